"""What a release needs: metadata, links, a workflow that builds, checks and publishes."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.extras import USES, extras  # noqa: E402
from tools.project_links import with_links  # noqa: E402

PROJECT = ROOT / "pyproject.toml"
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"


def test_the_metadata_are_complete() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    for field in ("description", "readme", "license", "requires-python", "authors", "keywords"):
        assert project[field], field
    kinds = {line.split(" :: ")[0] for line in project["classifiers"]}
    assert {"Development Status", "Intended Audience", "Programming Language", "Topic"} <= kinds
    heavy = {"torch", "transformers", "lightning", "daft", "ray", "bertopic"}
    assert not heavy & {re.split(r"[<>=]", name)[0] for name in project["dependencies"]}


def test_links_are_written_for_the_repository_that_releases() -> None:
    text = with_links(PROJECT.read_text(encoding="utf-8"), "https://example.org/me/fabula/")
    links = tomllib.loads(text)["project"]["urls"]
    assert links["Source"] == "https://example.org/me/fabula"
    assert links["Changelog"] == "https://example.org/me/fabula/blob/HEAD/CHANGELOG.md"
    for wrong in ("http://example.org", 'https://x/"', "fabula"):
        with pytest.raises(SystemExit):
            with_links(text, wrong)
    with pytest.raises(SystemExit, match="already"):
        with_links(text, "https://example.org/me/fabula")


def test_every_extra_has_a_use_that_is_tried() -> None:
    assert set(USES) == {"", *extras()}
    for line in USES.values():
        compile(line, "use", "exec")


def test_the_workflow_checks_before_it_publishes() -> None:
    text = WORKFLOW.read_text(encoding="utf-8")
    steps = ("project_links.py", "python -m build", "twine check --strict", "import torch",
             "upload-artifact", "pypi-publish")  # fmt: skip
    places = [text.index(step) for step in steps]
    assert places == sorted(places) and "needs: build" in text
    yaml = pytest.importorskip("yaml", reason="pip install pyyaml")
    assert set(yaml.safe_load(text)["jobs"]) == {"build", "publish"}
