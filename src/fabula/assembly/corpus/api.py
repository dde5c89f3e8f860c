"""Assemble a corpus: documents in, a folder of stories out, in steps that an engine runs.

Read, then facts (split, encode, count), fold near copies, index, links (candidates and features),
groups (block by block), stories. Steps are resumed from their shards; what lies between them is
computed again from the shards, which takes seconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corpus import store
from fabula.assembly.corpus.facts import unpack
from fabula.assembly.corpus.links.candidate_pairs import Linker, joined_pairs
from fabula.assembly.corpus.links.index import CorpusIndex
from fabula.assembly.corpus.links.model import PAIR_FEATURES, CorpusLinks, Pairs
from fabula.assembly.corpus.links.solving import (
    blocks,
    joined_groups,
    spread_of,
    structure_of_pairs,
)
from fabula.assembly.corpus.page import write_page
from fabula.assembly.corpus.summaries import summarise
from fabula.assembly.corpus.units import Before, Units, save_for_later
from fabula.core.files import write_text
from fabula.core.html import counted
from fabula.core.threads import one_blas_thread
from fabula.errors import InputError
from fabula.scale import Engine, Plan, Shards
from fabula.types import Document

__all__ = ["CorpusAnswer", "assemble_corpus"]

_STEPS = "fabula.assembly.corpus.steps"
_DOCUMENTS_A_SHARD = 100
_RANGE = 250  # documents whose candidates are searched together


@dataclass(frozen=True, slots=True)
class CorpusAnswer:
    """The folder written, the run in numbers, and the stories, largest first."""

    folder: Path
    report: Mapping[str, Any]
    steps: str = ""
    stories: Sequence[Mapping[str, Any]] = field(repr=False, default=())

    def summary(self) -> str:
        """The answer as a few lines of text."""
        report = self.report
        several = sum(story["documents"] > 1 for story in self.stories)
        stories = "1 story" if len(self.stories) == 1 else f"{len(self.stories):,} stories"
        lines = [
            f"{counted(report['distinct'] + report['copies'], 'document')}, "
            f"{report['copies']:,} of them near copies; {stories}, "
            f"{several:,} of several documents",
            *(
                f"  {story['documents']:>6,}  story {story['story']}: {story['title']}"
                for story in self.stories[:10]
            ),
        ]
        changes = report.get("changes")
        if changes is not None:
            lines.append(
                f"{changes['documents']:,} new documents: {changes['joined']:,} joined "
                f"{changes['old_stories']:,} earlier stories, {changes['opened']:,} are in "
                f"{changes['new_stories']:,} new ones; changes.json lists them"
            )
        lines += [self.steps, *report["notes"], f"Written to {self.folder}; open index.html"]
        return "\n".join(lines)


@one_blas_thread()
def assemble_corpus(
    documents: Iterable[Document],
    folder: str | Path,
    *,
    engine: Engine | None = None,
    work: str | None = None,
    identity: Iterable[str] = (),
    previous: str | Path | None = None,
    notes: Callable[[], Sequence[str]] = list,
) -> CorpusAnswer:
    """Assemble any number of documents into a folder (``store``); an interrupted run goes on.

    ``identity`` is what the documents depend on (names, sizes and times of files), so that the
    shards of another corpus are never gone on with. ``work`` is the folder of the shards. With
    ``previous``, the folder of an earlier corpus, the documents are new ones: they join its stories
    or open new ones, and no earlier document changes its story. ``notes`` is asked after reading.
    """
    folder = Path(folder)
    work = work or f"{folder}.work"
    store.check_target(folder, Path(work))
    before = Before.nothing() if previous is None else Before.load(Path(previous))
    plan = Plan(work, identity=["corpus", *identity], engine=engine, size=_DOCUMENTS_A_SHARD)
    given = plan.read(_rows(documents, before.documents), facts=lambda: {"notes": list(notes())})
    if not given.done():
        plan.clear()
        raise InputError("there is no document to be read")
    units = Units(plan.run(f"{_STEPS}:facts", given).rows(), before)
    index = units.index()
    index.save(folder / store.INDEX)
    pairs = _linked(plan, index, folder / store.INDEX, len(before))
    model = CorpusLinks()
    alone = model.alone(pairs.features)
    log_odds = model.log_odds(len(index), pairs, alone, before.pairs)
    log_odds = log_odds + structure_of_pairs(index, pairs.first, pairs.second)
    groups = _grouped(plan, model, len(before), len(index), pairs, log_odds)
    solved = joined_groups(model, index, groups, pairs, log_odds, before.stories, before.spread)
    save_for_later(
        folder / store.INDEX, units.terms, units.threads, units.sketches,
        _with_earlier(pairs, alone, before.pairs),
        spread_of(index, solved.stories),
    )  # fmt: skip
    stories = _write(folder, given, units, solved.stories, previous, index)
    changes = None if previous is None else _changes(folder, units, solved.stories, before)
    copies = sum(units.copied)
    report = {
        **plan.report(),
        "distinct": len(index), "copies": before.documents - len(before) + copies,
        "candidate_pairs": len(pairs.first), "groups": solved.groups, "stories": len(stories),
        **({} if changes is None else {"changes": changes}),
        "notes": list((given.closed() or {}).get("notes", [])),
    }  # fmt: skip
    _finish(folder, report, stories)
    said = plan.summary()
    plan.clear()
    return CorpusAnswer(folder, report, said, stories)


def _rows(documents: Iterable[Document], start: int) -> Iterator[dict[str, Any]]:
    for number, document in enumerate(documents, start):
        yield {"number": number, "id": document.id, "document": document.to_row()}


def _linked(plan: Plan, index: CorpusIndex, folder: Path, known: int) -> Pairs:
    """The candidate pairs of all documents from ``known`` on."""
    n = len(index)
    ranges = (
        {"id": f"{start}", "start": start, "end": min(n, start + _RANGE)}
        for start in range(known, n, _RANGE)
    )
    made = plan.run(f"{_STEPS}:links", plan.read(ranges, "ranges", 1), folder=str(folder.resolve()))
    parts = [
        Pairs(
            unpack(row["first"], np.int32), unpack(row["second"], np.int32),
            unpack(row["features"], np.float32).reshape(-1, len(PAIR_FEATURES)),
        )
        for row in made.rows()
    ]  # fmt: skip
    if (np.asarray(index.threads[known:]) >= 0).any():
        parts.append(Linker(index).of_threads(known))
    return joined_pairs(parts)


def _grouped(
    plan: Plan, model: CorpusLinks, known: int, n: int, pairs: Pairs,
    log_odds: NDArray[np.float64],
) -> NDArray[np.int64]:  # fmt: skip
    """Groups, from 0, of the documents from ``known`` on."""
    model.ensure_trained()
    rows = blocks(known, n, pairs, log_odds, model.least_)
    named = ({"id": f"block {number}", **row} for number, row in enumerate(rows))
    made = plan.run(
        f"{_STEPS}:solve", plan.read(named, "blocks", 1), absent=model.absent_, least=model.least_
    )
    labels, groups = np.zeros(n - known, np.int64), 0
    for row in made.rows():
        found = unpack(row["labels"], np.int32)
        labels[unpack(row["members"], np.int32)] = found + groups
        groups += int(found.max(initial=-1)) + 1
    return labels


def _with_earlier(pairs: Pairs, alone: NDArray[Any], earlier: Pairs) -> Pairs:
    return Pairs(
        np.concatenate([earlier.first, pairs.first]),
        np.concatenate([earlier.second, pairs.second]),
        np.concatenate([earlier.features, alone[:, None].astype(np.float32)]),
    )


def _write(
    folder: Path, given: Shards, units: Units, story: NDArray[np.int64],
    previous: str | Path | None, index: CorpusIndex,
) -> list[dict[str, Any]]:  # fmt: skip
    """``documents.parquet`` and ``stories.parquet``; the stories, largest first."""
    place = {number: at for at, number in enumerate(units.numbers)}

    def rows() -> Iterator[dict[str, Any]]:
        if previous is not None:
            yield from store.iterate_documents(previous)
        for row in given.rows():
            at = place.get(row["number"])
            if at is None:
                continue  # set aside, and in the report
            document, unit = row["document"], units.unit[at]
            first = int(units.number_of_unit[unit])
            yield {
                "number": row["number"], "story": int(story[unit]), "id": document["id"],
                "source": document["source"], "line": document["line"], "date": document["date"],
                "title": document["title"], "copy_of": first if units.copied[at] else None,
                "unit": unit, "lead": units.leads[at],
                "names": json.dumps(units.phrases[at], ensure_ascii=False),
                "document": json.dumps(document, ensure_ascii=False),
            }  # fmt: skip

    store.write_documents(folder, rows())
    stories = summarise(store.iterate_documents(folder, without="document"), index.vectors)
    store.write_stories(folder, stories)
    return stories


def _changes(
    folder: Path, units: Units, story: NDArray[np.int64], before: Before
) -> dict[str, int]:
    """What came, by story, as ``changes.json``; its totals."""
    old = set(before.stories.tolist())
    by_story: dict[int, list[int]] = {}
    for number, unit in zip(units.numbers, units.unit, strict=True):
        by_story.setdefault(int(story[unit]), []).append(number)
    listed = [
        {"story": number, "new": number not in old, "documents": documents}
        for number, documents in sorted(by_story.items())
    ]
    write_text(folder / "changes.json", json.dumps(listed, indent=1) + "\n")
    joined = [len(numbers) for number, numbers in by_story.items() if number in old]
    opened = [len(numbers) for number, numbers in by_story.items() if number not in old]
    return {
        "documents": len(units.numbers),
        "joined": sum(joined),
        "old_stories": len(joined),
        "opened": sum(opened),
        "new_stories": len(opened),
    }


def _finish(folder: Path, report: Mapping[str, Any], stories: Sequence[Mapping[str, Any]]) -> None:
    write_text(folder / "report.json", json.dumps(report, ensure_ascii=False, indent=1) + "\n")
    write_page(folder, stories, report)
    store.write_marker(
        folder, {"documents": report["distinct"] + report["copies"], "stories": len(stories)}
    )
