"""Docs cannot drift: their code runs, their links lead somewhere, their commands exist."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from fabula.cli import app
from fabula.cli.manual import manual

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(page):
    """The blocks of a page are read as one program, as a reader would."""
    names: dict[str, Any] = {"__name__": "docs"}
    for number, block in enumerate(blocks(page, "python"), 1):
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, f"{page.name} block {number}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist_and_take_their_options(page):
    group: Any = typer.main.get_command(app)
    for block in blocks(page, ""):
        for line in block.splitlines():
            if not line.startswith("fabula "):
                continue
            words = shlex.split(line, comments=True)
            node, rest = group, words[1:]
            while rest and rest[0] in getattr(node, "commands", {}):
                node, rest = node.commands[rest[0]], rest[1:]
            assert node is not group, f"{page.name}: no such command: {line}"
            known = {option for parameter in node.params for option in parameter.opts}
            unknown = [w for w in rest if w.startswith("-") and len(w) > 1 and w not in known]
            assert not unknown, f"{page.name}: {line} has unknown options {unknown}"


def test_readme_verbs_are_in_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for verb in re.findall(r"^make (\S+)", "\n".join(blocks(ROOT / "README.md", "")), re.MULTILINE):
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE), f"make {verb}"


def test_cli_page_matches_help():
    page = ROOT / "docs" / "cli.md"
    assert page.read_text(encoding="utf-8") == manual(), "run: make docs"


def test_every_page_of_docs_is_linked():
    linked = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    for page in (ROOT / "docs").glob("*.md"):
        assert f"{page.name})" in linked, f"no page links to docs/{page.name}"
