"""Docs cannot drift: their code runs, their links lead somewhere, the site builds strictly."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from tests.pages import PAGES, ROOT, SHELL, Block, blocks, check_options, commands, run_shell
from tests.stock import stock

from fabula import registry
from fabula.cli.manual import manual
from fabula.text.io.documents import readers

DOCS = ROOT / "docs"
BLOCKS = [block for page in PAGES for block in blocks(page)]
RUN = ("python", *SHELL)
KNOWN = (*RUN, "text", "json", "toml", "yaml", "bibtex", "{toctree}", "{eval-rst}", "{include}")
SLOW = (
    "README.md",
    "docs/guides/train.md",
    "docs/guides/who-did-what.md",
)  # they load or train every model
REGISTRIES = (
    registry.adapters,
    registry.encoders,
    registry.metrics,
    registry.models,
    registry.probes,
    registry.tasks,
    readers,
)


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stock")
    stock(folder)
    return folder


@pytest.fixture
def folder(stocked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with what a reader would have; what a page registers is forgotten afterwards."""
    place = tmp_path / "reader"
    shutil.copytree(stocked, place)
    monkeypatch.chdir(place)
    with contextlib.ExitStack() as stack:
        for some in REGISTRIES:
            some.names()  # entry points are found before what a page adds
            stack.enter_context(some.restored())
        yield place


def runs(block: Block) -> bool:
    return block.language in RUN and block.why_not is None


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page,
            id=str(page.relative_to(ROOT)),
            marks=[pytest.mark.slow] if str(page.relative_to(ROOT)) in SLOW else [],
        )
        for page in PAGES
        if any(map(runs, blocks(page))) and page.name != "quickstart.md"
    ],
)
def test_blocks_run(page: Path, folder: Path) -> None:
    """A page is one session, shell and Python as they come; the quickstart has its own test."""
    names: dict[str, Any] = {"__name__": "docs"}
    for block in filter(runs, blocks(page)):
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, block.where, "exec"), names)
        else:
            run_shell(block)


def test_blocks_are_of_a_known_kind() -> None:
    """And those in a language of their own are well written."""
    for block in BLOCKS:
        assert block.language in KNOWN, block.where
        if block.language == "json":
            json.loads(block.text)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "python":
            compile(block.text, block.where, "exec")


def test_commands_that_are_not_run_exist_and_take_their_options() -> None:
    for block in BLOCKS:
        if block.language in SHELL and block.why_not:
            for line, _ in commands(block.text):
                check_options(line, block.where)


def test_few_blocks_are_left_out() -> None:
    """What is not run says why, and nearly everything is run, but for the commands below the
    tables of results, which take hours and corpora of one's own."""
    code = [b for b in BLOCKS if b.language in RUN and b.page.name != "results.md"]
    left = [block.where for block in code if not runs(block)]
    assert len(left) <= len(code) // 5, left


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Files exist, and headings that are linked to as well."""
    for target in links(page):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{page.name} links to {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there), f"{page.name} links to {target}"


def test_pictures_are_described() -> None:
    for page in PAGES:
        for alt in re.findall(r"!\[([^\]]*)\]\(", page.read_text(encoding="utf-8")):
            assert len(alt.split()) > 2, f"{page.name}: say what the picture shows, not {alt!r}"


def test_every_page_is_in_the_contents() -> None:
    """And each is linked to from some page, for those who read the files."""
    trees = [b.text for b in BLOCKS if b.language == "{toctree}" and b.page.parent == DOCS]
    lines = [line for tree in trees for line in tree.splitlines() if not line.startswith(":")]
    listed = {line.partition("<")[2].rstrip(">") or line for line in lines}  # Title <page>, or page
    linked = {(page.parent / t.partition("#")[0]).resolve() for page in PAGES for t in links(page)}
    for page in DOCS.rglob("*.md"):
        name = str(page.relative_to(DOCS).with_suffix(""))
        if name != "index":
            assert name in listed or page.parent.name == "reference", f"docs/{name}.md: no toctree"
        assert page.resolve() in linked, f"no page links to docs/{name}.md"


def test_every_public_package_has_a_reference_page() -> None:
    pages = "\n".join(
        page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md")
    )
    named = set(re.findall(r"automodule:: (\S+)", pages))
    rooms = {path.parent.name for path in (ROOT / "src" / "fabula").glob("*/__init__.py")}
    for room in rooms - {"cli", "web", "data"}:
        assert any(f"{name}.".startswith(f"fabula.{room}.") for name in named), room
    for name in named:
        assert importlib.util.find_spec(name), name


def test_the_tasks_of_contributing_name_modules_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tasks = text.partition("## Ten common tasks")[2].partition("##")[0]
    named = re.findall(r"`((?:[a-z_]+/)*[a-z_]+(?:/|\.py))`", tasks)
    assert len(named) > 20
    for path in set(named) - {"metrics.py"}:
        assert (ROOT / "src" / "fabula" / path).exists() or (ROOT / path).exists(), path


def test_make_verbs_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    code = "\n".join(block.text for block in BLOCKS if block.language in SHELL)
    for verb in re.findall(r"^make (\S+)", code, re.MULTILINE):
        assert re.search(rf"^{verb}:", makefile, re.MULTILINE), f"make {verb}"


def test_cli_page_matches_help() -> None:
    page = DOCS / "cli.md"
    assert page.read_text(encoding="utf-8") == manual(), "run: make docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; a warning of Sphinx fails it."""
    for name in ("sphinx", "furo", "myst_parser"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f'needs {name}: pip install "fabula[docs]"')
    folder = tmp_path_factory.mktemp("site")
    line = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(folder / "trees"), str(DOCS)]
    command = [sys.executable, "-m", "sphinx", *line, str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.mark.slow
def test_the_site_loads_nothing_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(list(DOCS.rglob("*.md")))
    for page in pages:
        loaded = Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        for address in loaded.addresses:
            assert not re.match(r"(https?:)?//", address), f"{page.name} loads {address}"
            path = (page.parent / address.split("?")[0].split("#")[0]).resolve()
            assert address.startswith("data:") or path.exists(), f"{page.name} loads {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text("utf-8")), sheet


class Loaded(HTMLParser):
    """What a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.addresses.append(given.get("href") or "")
        elif tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.addresses.append(given["src"] or "")


@cache
def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures."""
    found = []
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8")):
        for part in token.children or ():
            target = part.attrs.get("href") or part.attrs.get("src")
            if target:
                found.append(str(target))
    return found


@cache
def anchors(page: Path) -> set[str]:
    """The headings of a page as a forge and MyST make anchors of them."""
    tokens = MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8"))
    titles = [
        "".join(part.content for part in inline.children or ())
        for heading, inline in pairwise(tokens)
        if heading.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
