"""The pages of the documentation, their code blocks, and a shell that is small enough to trust.

A block that cannot run here says so in its first line, where every reader sees it:
``# not run by the tests: WHY``.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from fabula.cli import app

__all__ = ["PAGES", "ROOT", "SHELL", "Block", "blocks", "check_options", "commands", "run_shell"]

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
SHELL = ("", "sh", "bash", "shell", "console")
_NOT_RUN = re.compile(r"# not run by the tests: (\S.*)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it stands, what language it is in and what it says."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def why_not(self) -> str | None:
        """Why the tests leave it out, as its first line says; None: they run it."""
        found = _NOT_RUN.match(self.text)
        return found[1] if found else None

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, *languages: str) -> list[Block]:
    """The page's fenced blocks in these languages (all of them: none named)."""
    found = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and token.map:
            language = token.info.split()[0] if token.info.strip() else ""
            if not languages or language in languages:
                found.append(Block(page, token.map[0] + 1, language, token.content))
    return found


def commands(text: str) -> Iterator[tuple[str, str | None]]:
    """The command lines of a shell block, each with its here-document if it has one."""
    lines = iter(re.sub(r"\\\n\s*", " ", text).splitlines())
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        here = re.search(r"<<'(\w+)'", line)
        if here is None:
            yield line, None
            continue
        body = []
        for other in lines:
            if other == here[1]:
                break
            body.append(other)
        yield line.replace(here[0], ""), "".join(f"{text}\n" for text in body)


def check_options(line: str, where: str) -> None:
    """A line of fabula names a command that there is, and options that it takes."""
    words = shlex.split(line, comments=True)
    if words[0] != "fabula":
        return
    group: Any = typer.main.get_command(app)
    node, rest = group, words[1:]
    while rest and rest[0] in getattr(node, "commands", {}):
        node, rest = node.commands[rest[0]], rest[1:]
    assert node is not group, f"{where}: no such command: {line}"
    known = {option for parameter in node.params for option in parameter.opts}
    unknown = [word for word in rest if re.match(r"--?[a-z]", word) and word not in known]
    assert not unknown, f"{where}: {line} has unknown options {unknown}"


def run_shell(block: Block) -> str:
    """Run a shell block in this process and folder; what it printed.

    It knows ``fabula ...``, ``cat > FILE`` with a here-document, and ``cat FILE | fabula ...``. A
    line that is meant to fail says so: ``# exit code 1: ...``. ``make VERB`` and ``fabula serve``,
    which would set up an environment or not come back, are only looked up.
    """
    printed = []
    for line, body in commands(block.text):
        words = shlex.split(line, comments=True)
        said = re.search(r"#.*\bexit code (\d)", line)
        if words[:2] == ["cat", ">"] and body is not None:
            Path(words[2]).write_text(body, encoding="utf-8")
            continue
        given = None
        if words[0] == "cat" and words[2:3] == ["|"]:
            given, words = Path(words[1]).read_text(encoding="utf-8"), words[3:]
        if words[0] == "make" or words[:2] == ["fabula", "serve"]:
            check_options(line, block.where)
            continue
        assert words[0] == "fabula", f"{block.where}: the tests cannot run: {line}"
        done = CliRunner().invoke(app, words[1:], input=given)
        assert done.exit_code == int(said[1] if said else 0), (
            f"{block.where}: {line}\n{done.output}"
        )
        printed.append(done.output)
    return "".join(printed)
