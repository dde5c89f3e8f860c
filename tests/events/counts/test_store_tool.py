"""The tool that makes the shipped store, and whether that store is what it would make today."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

from fabula.events.counts.store import open_counts
from fabula.events.items import Chain
from fabula.events.models.count_model import shipped_counts

TOOL = Path(__file__).parents[3] / "tools" / "event_store.py"


@pytest.fixture
def tool() -> ModuleType:
    if not TOOL.is_file():
        pytest.skip("the tool is not part of an installed package")
    spec = importlib.util.spec_from_file_location("event_store", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_document(chains: list[Chain]) -> dict[str, list[tuple[str, ...]]]:
    found = defaultdict(list)
    for chain in chains:
        found[chain.document].append(tuple(map(str, chain.events)))
    return found


@pytest.mark.slow
def test_the_shipped_store_is_what_the_tool_makes(tool: ModuleType, tmp_path: Path) -> None:
    """Its first documents are packaged, so that nothing else is needed to make them again."""
    tool.main(str(tmp_path), str(tmp_path / "store"), "2")
    made = open_counts(tmp_path / "store")
    shipped = shipped_counts()
    assert made.documents == shipped.documents[:2]
    assert dict(made.titles).items() <= dict(shipped.titles).items()
    theirs = by_document(list(shipped.chains()))
    for document, chains in by_document(list(made.chains())).items():
        same = sum(chain in theirs[document] for chain in chains)
        assert same >= 0.9 * len(chains)  # another version of the parser may see a few otherwise
