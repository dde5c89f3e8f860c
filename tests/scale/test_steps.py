"""The corpus steps give what one process gives, however the documents are cut into shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.scale.test_scale import Here

from fabula.errors import UsageError
from fabula.events.counts.encoding import EncodedChains
from fabula.events.counts.store_build import count_to_store
from fabula.events.extract.chains import build_chains
from fabula.events.items import Chain, Event, write_chains
from fabula.events.steps import CHAINS, NUMBERED
from fabula.ordering.build import Tally, build_texts
from fabula.ordering.steps import TEXTS
from fabula.salads.build.hardest import hardest_salads
from fabula.salads.build.mix import build_salads, read_sources
from fabula.salads.build.steps import SOURCES, TOPICS, source_from
from fabula.salads.build.topics import with_topics
from fabula.scale import Plan, Shards
from fabula.types import Document

POISON = {"id": "poison"}  # a document without paragraphs cannot be read


def plan_of(tmp_path: Path, documents: list[Document], size: int) -> tuple[Plan, Shards]:
    plan = Plan(str(tmp_path / f"work{size}"), engine=Here(), size=size)
    return plan, plan.read([POISON, *(document.to_row() for document in documents)])


@pytest.mark.parametrize("size", [2, 50])
def test_chains(tmp_path: Path, articles: list[Document], size: int) -> None:
    some = articles[:3]
    plan, documents = plan_of(tmp_path, some, size)
    made = list(plan.run(CHAINS, documents).rows())
    assert made == [chain.to_row() for chain in build_chains(some)]
    facts = plan.report()
    assert (facts["documents"], facts["skipped"], facts["chains"]) == (4, 1, len(made))
    assert facts["tokens"] > 100 and "KeyError" in facts["errors"][0]["error"]
    assert facts["worker_seconds_inside"].keys() >= {"split", "parse", "coreference", "chains"}


def many_chains() -> list[Chain]:
    rng = np.random.default_rng(0)
    words = [Event(f"verb{i}", slot) for i in range(9) for slot in ("subj", "obj")]
    return [
        Chain(f"d{i // 3}", str(i), tuple(words[j] for j in rng.integers(0, 18, 1 + i % 5)))
        for i in range(60)
    ]


def test_counts(tmp_path: Path) -> None:
    chains, paths = many_chains(), []
    for number in range(3):
        paths.append(str(tmp_path / f"c{number}.jsonl"))
        write_chains(paths[-1], chains[20 * number : 20 * number + 20])
    plan = Plan(str(tmp_path / "work"), engine=Here(), size=2)
    pieces = plan.read({"id": path, "path": path} for path in paths)
    batches = [EncodedChains.from_row(row) for row in plan.run(NUMBERED, pieces).rows()]
    count_to_store(tmp_path / "ours", batches, source=["x"])
    count_to_store(tmp_path / "alone", chains, source=["x"])
    stores = [
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("ours", "alone")
    ]
    assert stores[0] == stores[1] and len(stores[0]) > 5


def test_a_file_of_chains_is_never_set_aside(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text('{"document": "a", "entity": "b", "events": 3}\n')
    plan = Plan(str(tmp_path / "work"), engine=Here())
    pieces = plan.read([{"id": "bad", "path": str(tmp_path / "bad.jsonl")}])
    with pytest.raises(UsageError, match=r"bad\.jsonl:1: 'events' must be a list"):
        plan.run(NUMBERED, pieces)


@pytest.mark.parametrize("size", [3, 50])
def test_salads(tmp_path: Path, articles: list[Document], size: int) -> None:
    some = articles[:12]
    plan, documents = plan_of(tmp_path, some, size)
    found = list(map(source_from, plan.run(TOPICS, plan.run(SOURCES, documents)).rows()))
    expected, short = read_sources(some)
    assert plan.report()["short"] == short and plan.report()["skipped"] == 1
    rows = [salad.to_row() for salad in build_salads(found, n=20)]
    topics = with_topics(expected)
    assert rows == [salad.to_row() for salad in build_salads(topics, n=20)]
    hardest: list[Any] = [hardest_salads(s, n=5, among="all") for s in (found, topics)]
    assert hardest[0] == hardest[1]


def test_ordering(tmp_path: Path, articles: list[Document]) -> None:
    some = articles[:8]
    plan, documents = plan_of(tmp_path, some, 3)
    how: dict[str, Any] = {"level": "paragraph", "window": (2, 4), "seed": 3}
    rows = plan.run(TEXTS, documents, **how).rows()
    made = [text for row in rows for text in row["texts"]]
    tally = Tally()
    assert made == [text.to_row() for text in build_texts(some, **how, tally=tally)]
    assert (plan.report()["single"], plan.report()["joined"]) == (tally.single, tally.joined)
