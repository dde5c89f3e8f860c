"""Assemble: from a pile of mixed text to separate, ordered accounts. The product's main verb."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from fabula.assembly.account.notes import doubts, inseparable
from fabula.assembly.account.titles import title_stories
from fabula.assembly.pile import Piece, pieces_of
from fabula.assembly.types import Assembly, Contradiction, Side
from fabula.core.threads import one_blas_thread
from fabula.errors import InputError, UsageError
from fabula.types import Document, Narrative, Placed

if TYPE_CHECKING:
    from fabula.assembly.account.timeline import Dated
    from fabula.assembly.conflicts.contradictions import Clash
    from fabula.assembly.facts.reading import Reading
    from fabula.assembly.solve.story_assignment import Solved

__all__ = ["Assembly", "assemble"]

UNSURE_ORDER = 0.6  # mean pair probability below which an order is little more than a guess


@one_blas_thread()
def assemble(
    texts: Iterable[str | Document] | Sequence[Piece],
    *,
    stories: int | None = None,
    corrections: str | PathLike[str] | Mapping[str, Any] | None = None,
    previous: str | PathLike[str] | Mapping[str, Any] | None = None,
    query: str | None = None,
    untangler: Any = "best",
    orderer: Any = "best",
    events: Any = "best",
) -> Assembly:
    """Split, untangle and order a pile of texts; every sentence is in exactly one story.

    A string is one text, named ``text 1``, ``text 2`` ...; a document keeps its own name and
    lines, and a chat message (``read_pile``) its sender and time. The number of stories is found
    unless given. ``corrections`` (a file, or what it holds) are replayed; with ``previous`` (an
    earlier answer as JSON) story numbers stay and ``changes`` says what is other than before.
    ``query`` finds the account in which something happens.
    """
    from fabula.assembly.account.gaps import find_gaps
    from fabula.assembly.conflicts.contradictions import find_clashes
    from fabula.assembly.corrections import Corrections, read_corrections
    from fabula.assembly.facts.reading import read_sentences
    from fabula.assembly.previous import changes_since, numbers_of, read_previous
    from fabula.assembly.query import find_account
    from fabula.assembly.solve.repeats import find_repeats
    from fabula.assembly.solve.story_assignment import solve
    from fabula.assembly.solve.structure_links import evidence_of

    pieces = pieces_of(texts)
    given = [piece.sentence.text for piece in pieces]
    _check(stories, given)
    wishes = read_corrections(corrections) if corrections is not None else Corrections()
    before = read_previous(previous) if previous is not None else None
    solved = solve(
        pieces,
        stories=stories,
        corrections=wishes,
        previous=numbers_of(before) if before else {},
        evidence=evidence_of(pieces),
        model=untangler,
    )
    readings = read_sentences(given)
    clashes = find_clashes(readings)
    repeats = find_repeats(given, solved.labels, {(c.first, c.second) for c in clashes})
    told, notes = _tell(pieces, solved, repeats, readings, orderer)
    return Assembly(
        stories=told,
        notes=(*doubts(given, solved.separable), *inseparable(told), *notes, *solved.notes),
        contradictions=_contradictions(clashes, pieces, told),
        gaps=find_gaps(told, events),
        timeline=_timeline(told, {p.id: r for p, r in zip(pieces, readings, strict=True)}),
        changes=None if before is None else changes_since(before, told),
        found=find_account(told, query) if query else None,
        base=solved.base,
    )


def _check(stories: int | None, sentences: Sequence[str]) -> None:
    if not sentences:
        raise InputError("there is no sentence in the text given")
    if stories is not None and not 1 <= stories <= len(sentences):
        raise UsageError(
            f"stories must be between 1 and the number of sentences ({len(sentences)}), or auto; "
            f"it is {stories}"
        )


def _tell(
    pieces: Sequence[Piece],
    solved: Solved,
    repeats: Mapping[int, int],
    readings: Sequence[Reading],
    orderer: Any,
) -> tuple[tuple[Narrative, ...], list[str]]:
    """The stories, each in order, and what is to be said of their orders."""
    from fabula.assembly.solve.story_order import arrange
    from fabula.core.progress import track
    from fabula.ordering.chronology.temporal_order import hours_of

    given = [piece.sentence.text for piece in pieces]
    groups: dict[int, list[int]] = {}
    for index, label in enumerate(solved.labels):
        groups.setdefault(label, []).append(index)
    titles = title_stories([[given[i] for i in group] for group in groups.values()])
    hours = hours_of(given)
    told, notes = [], []
    for (number, group), title in track(
        list(zip(groups.items(), titles, strict=True)), "ordering stories"
    ):
        ordered, sure, remark = arrange(group, pieces, solved, orderer, hours)
        ordered = _beside(ordered, repeats)
        told.append(_narrative(number, title, ordered, sure, pieces, solved, repeats, readings))
        if remark:
            notes.append(f"Story {number}: {remark}.")
        elif len(ordered) > 1 and sure < UNSURE_ORDER:
            notes.append(f"Story {number}: order unsure.")
    return tuple(told), notes


def _contradictions(
    clashes: Sequence[Clash], pieces: Sequence[Piece], told: Sequence[Narrative]
) -> tuple[Contradiction, ...]:
    """The clashes, by where their sentences stand now."""
    place = {p.id: (story.id, p.position) for story in told for p in story.sentences}
    found = []
    for clash in clashes:
        first, second = pieces[clash.first], pieces[clash.second]
        sides = Side(*place[first.id], clash.values[0]), Side(*place[second.id], clash.values[1])
        about = _as_said(clash.about, first.sentence.text)
        found.append(Contradiction(clash.kind, about, sides, clash.weight))
    return tuple(found)


def _narrative(
    number: int,
    title: str,
    ordered: Sequence[int],
    sure: float,
    pieces: Sequence[Piece],
    solved: Solved,
    repeats: Mapping[int, int],
    readings: Sequence[Reading],
) -> Narrative:
    from fabula.assembly.account.actors import actors_of, deeds_of

    at = {index: position for position, index in enumerate(ordered, 1)}
    placed = tuple(
        Placed(
            sentence=pieces[i].sentence,
            position=at[i],
            probability=solved.probabilities[i],
            id=pieces[i].id,
            repeat_of=at[repeats[i]] if i in repeats else None,
            runner_up=solved.runner_up[i],
            why=solved.why[i],
            sender=pieces[i].sender,
            time=pieces[i].time,
            fixed=i in solved.pinned,
        )
        for i in ordered
    )
    read = [readings[i] for i in ordered]
    return Narrative(
        number, title, placed, sure, actors_of(read), deeds_of(read), number in solved.locked
    )


def _beside(ordered: Sequence[int], repeats: Mapping[int, int]) -> list[int]:
    """The same order with every repeat directly after what it repeats."""
    again: dict[int, list[int]] = {}
    for index in ordered:
        if index in repeats:
            again.setdefault(repeats[index], []).append(index)
    return [i for first in ordered if first not in repeats for i in (first, *again.get(first, ()))]


def _as_said(words: str, sentence: str) -> str:
    """The words in the order in which the sentence has them."""
    text = sentence.lower()
    return " ".join(sorted(words.split(), key=lambda w: (text.find(w) % (len(text) + 1), w)))


def _timeline(told: Sequence[Narrative], readings: Mapping[str, Reading]) -> tuple[Dated, ...]:
    """What is dated, by the readings of the sentences' ids; said again is said once."""
    from fabula.assembly.account.timeline import When, date_stories
    from fabula.text.temporal.weekdays import weekday_of

    stories = [
        (
            story.id,
            [
                When(readings[p.id].moment, p.time, weekday_of(p.sentence.text))
                for p in story.sentences
            ],
        )
        for story in told
    ]
    repeats = {(s.id, p.position) for s in told for p in s.sentences if p.repeat_of is not None}
    return tuple(d for d in date_stories(stories) if (d.story, d.position) not in repeats)
