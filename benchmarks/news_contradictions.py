"""Contradictions shown in real news with nothing planted, against labels by hand.

Piles of six reports of ECB+: three each of two like events, or six of one event. What ``assemble``
shows is looked up in ``labels/contradictions.jsonl``, whose rows name two sentences by document and
number and never hold their text. ``label`` is conflict, update, scope or attributed where both
cannot be true as told, else none. ``labels/number_conflicts.jsonl`` has all pairs of sentences of
one event with unlike numbers of one thing (cosine .6 or more) in the first twenty piles; ``about``
names the disagreement, if it is one. ``python -m benchmarks.news_contradictions PART`` prints what
is shown in the piles of a part (``test`` or ``train``) and not labelled yet, to be read.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.document_piles import ecb_documents
from benchmarks.shared import measured
from fabula.assembly.conflicts.contradictions import (
    ContradictingPair,
    Sources,
    find_contradictions,
)
from fabula.assembly.corrections import Corrections
from fabula.assembly.facts.reading import read_sentences
from fabula.assembly.pile import pieces_of
from fabula.assembly.solve.story_assignment import assign_with_corrections
from fabula.core.stats import wilson
from fabula.types import Document

LABELS = Path(__file__).parent / "labels" / "contradictions.jsonl"
NUMBERS = LABELS.with_name("number_conflicts.jsonl")
PILES, FIRST = 60, 20
REPORTS = 6  # of a pile
REAL_LABELS = frozenset(("conflict", "update", "scope", "attributed"))
_WORD = re.compile(r"\w+")


class NewsReport(NamedTuple):
    """A report of ECB+: id, topic, event, and its numbered sentences without date lines."""

    id: str
    topic: int
    event: str
    sentences: tuple[tuple[int, str], ...]


class Shown(NamedTuple):
    """A contradiction shown: two sentences by id (``DOCUMENT:NUMBER``), sorted, and its kind."""

    a: str
    b: str
    kind: str


@cache
def news_reports() -> tuple[NewsReport, ...]:
    """The reports of ECB+; none where the data is not there."""
    return tuple(
        NewsReport(row["id"], int(row["topic"]), row["event"], tuple(told))
        for row, told in ecb_documents()
    )


def piles(part: str, count: int = PILES) -> Iterator[tuple[NewsReport, ...]]:
    """The piles of a part: ``test`` are the topics divisible by four, ``train`` the others."""
    topics = sorted({r.topic for r in news_reports() if (r.topic % 4 == 0) == (part == "test")})
    for number in range(count if topics else 0):
        rng = random.Random(f"{part} {number}")
        of_topic = [r for r in news_reports() if r.topic == topics[number % len(topics)]]
        events = sorted({report.event for report in of_topic})
        by_event = [[r for r in of_topic if r.event == event] for event in events]
        if number // len(topics) % 2:
            chosen = [r for some in by_event for r in rng.sample(some, min(3, len(some)))]
        else:
            some = rng.choice(by_event)
            chosen = rng.sample(some, min(REPORTS, len(some)))
        yield tuple(rng.sample(chosen, len(chosen)))


def shown_in(
    pile: Sequence[NewsReport], *, everything: bool = False
) -> list[tuple[Shown, ContradictingPair, tuple[str, str]]]:
    """What ``assemble`` shows for a pile, by the two of its steps that decide it."""
    # Ids tell the event: the model sees numbers.
    documents = [
        Document(
            f"report {at}",
            tuple(text for _, text in report.sentences),
            source=str(at),
            lines=tuple(number + 1 for number, _ in report.sentences),
        )
        for at, report in enumerate(pile)
    ]
    pieces = pieces_of(documents)
    assignment = assign_with_corrections(
        pieces, stories=None, corrections=Corrections(), previous={}, model="best"
    )
    sources = Sources(
        documents=[piece.document for piece in pieces],
        stories=assignment.labels,
        dates=[piece.date for piece in pieces],
    )
    sentences = [piece.sentence for piece in pieces]
    readings = read_sentences([sentence.text for sentence in sentences])
    found = []
    for pair in find_contradictions(readings, sources, everything=everything):
        both = sentences[pair.first], sentences[pair.second]
        ids = sorted(f"{pile[int(str(s.source))].id}:{s.line - 1}" for s in both)
        found.append((Shown(ids[0], ids[1], pair.kind), pair, (both[0].text, both[1].text)))
    return found


@cache
def labels() -> dict[Shown, str]:
    """The labels by hand; the kind "any" stands for the two sentences whatever the kind."""
    if not LABELS.is_file():
        return {}
    rows = (json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines())
    return {
        Shown(min(row["a"], row["b"]), max(row["a"], row["b"]), row["kind"]): row["label"]
        for row in rows
    }


def label_of(shown: Shown) -> str | None:
    return labels().get(shown, labels().get(shown._replace(kind="any")))


def is_near_copy(a: str, b: str) -> bool:
    """Whether two sentences have four fifths of their words, and all their numbers, in common."""
    one, other = (set(_WORD.findall(text.lower())) for text in (a, b))
    figures = {word for word in one ^ other if word[0].isdigit()}
    return not figures and len(one & other) >= 0.8 * len(one | other)


def disagreements() -> dict[tuple[int, str], set[tuple[str, str]]]:
    """The pairs of sentences of each real disagreement in numbers, by pile and name."""
    found: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for line in NUMBERS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["about"]:
            pair = (min(row["a"], row["b"]), max(row["a"], row["b"]))
            found.setdefault((row["pile"], row["about"]), set()).add(pair)
    return found


def run(quick: bool) -> list[dict[str, Any]]:
    drawn = list(piles("test", 2 if quick else PILES))
    if not drawn:
        note = "skipped: ../shared/data is not here"
        return [measured("contradictions in real news", None, note=note)]
    by_pile = [shown_in(pile) for pile in drawn]
    shown = [one for some in by_pile for one in some]
    real_ones = {key: pairs for key, pairs in disagreements().items() if key[0] < len(drawn)}
    found = sum(
        any((one.a, one.b) in pairs and one.kind == "number" for one, *_ in by_pile[number])
        for (number, _), pairs in real_ones.items()
    )
    copies = sum(is_near_copy(*texts) for *_, texts in shown)
    known = [label for one, *_ in shown if (label := label_of(one)) is not None]
    real = sum(label in REAL_LABELS for label in known)
    a_pile = len(shown) / len(drawn)
    low, high = wilson(real, len(known)) if known else (0.0, 1.0)
    note = f"{len(shown)} in {len(drawn)} piles of ECB+ topics divisible by four, nothing planted"
    share = real / len(known) if known else None
    told = f"[{low:.2f}, {high:.2f}], {real} of {len(known)} labelled"
    where = "contradictions in real news"
    return [
        measured(f"{where}, shown a pile", a_pile, None, 1.0, None if quick else a_pile <= 1, note),
        measured(f"{where}, near copies", copies, None, 0, copies == 0, note),
        measured(
            f"{where}, disagreements in numbers shown",
            found / len(real_ones) if real_ones else None,
            None, 1 / 3, None if quick else found * 3 >= len(real_ones),
            f"{found} of {len(real_ones)} in the first {FIRST} piles",
        ),
        measured(
            f"{where}, share that is real", share, None, 0.5,
            None if quick or share is None else share >= 0.5, told,
        ),
    ]  # fmt: skip


def main(part: str, count: int, everything: bool) -> None:
    """Print what is shown and not labelled yet."""
    total = 0
    for number, pile in enumerate(piles(part, count)):
        for one, pair, texts in shown_in(pile, everything=everything):
            total += 1
            label = label_of(one)
            head = f"{one.a} {one.b} {one.kind} {pair.relation} {pair.weight:.2f}"
            print(f"pile {number}: {head} label: {label}", flush=True)
            if label is None:
                for value, text in zip(pair.values, texts, strict=True):
                    print(f"    [{value}] {text}", flush=True)
    print(f"{total} shown in {count} piles")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else PILES, "--all" in sys.argv)
