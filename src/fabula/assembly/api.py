"""Assemble: a pile of mixed text in, one ordered account of each story out; the main verb."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from fabula.assembly.account.notes import (
    aside_notes,
    inseparable_notes,
    number_notes,
    pile_notes,
)
from fabula.assembly.account.titles import story_text, title_stories
from fabula.assembly.pile import Piece, pieces_of
from fabula.assembly.types import Assembly, Contradiction, Side
from fabula.core.threads import one_blas_thread
from fabula.errors import InputError, UsageError
from fabula.types import Aside, Document, Narrative, Placed, Sentence

if TYPE_CHECKING:
    from fabula.assembly.account.timeline import TimelineEntry, Undated
    from fabula.assembly.conflicts.contradictions import ContradictingPair
    from fabula.assembly.facts.reading import Reading
    from fabula.assembly.solve.story_assignment import StoryAssignment
    from fabula.ordering.chronology.story_time import StoryTime

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
    date: str | None = None,
    all_contradictions: bool = False,
) -> Assembly:
    """Split, untangle and order a pile of texts; every sentence is in exactly one story.

    A string is one text, named ``text 1``, ``text 2`` ...; a document keeps its own name, date and
    lines, and a chat message (``read_pile``) its sender and time. A document is one story, unless
    its own text splits. The number of stories is found unless given. ``corrections`` (a file, or
    what it holds) are replayed; with ``previous`` (an earlier answer as JSON) story numbers stay
    and ``changes`` lists what differs.
    ``query`` finds the account in which something happens. ``date`` (YYYY-MM-DD) is the day of
    writing of texts that have no date of their own. ``all_contradictions`` also gives those that
    are likelier false than true.
    """
    from fabula.assembly.conflicts.contradictions import Sources, find_contradictions
    from fabula.assembly.corrections import (
        Corrections,
        judged_contradictions,
        read_corrections,
    )
    from fabula.assembly.facts.reading import read_sentences
    from fabula.assembly.previous import changes_since, numbers_of, read_previous
    from fabula.assembly.query import find_account
    from fabula.assembly.solve.identical import copies_note, fold_identical, with_copies
    from fabula.assembly.solve.repeats import find_repeats
    from fabula.assembly.solve.story_assignment import assign_with_corrections
    from fabula.text.times import check_date

    aside: list[tuple[str, Aside]] = []
    reading_notes: list[str] = []
    distinct, copies = fold_identical(texts)
    pieces = pieces_of(distinct, aside, reading_notes)
    sentences = [piece.sentence.text for piece in pieces]
    _check(stories, sentences)
    user_corrections = read_corrections(corrections) if corrections is not None else Corrections()
    before = read_previous(previous) if previous is not None else None
    assignment = assign_with_corrections(
        pieces,
        stories=stories,
        corrections=user_corrections,
        previous=numbers_of(before) if before else {},
        model=untangler,
    )
    readings = read_sentences(sentences)
    contradicting = find_contradictions(
        readings,
        Sources(
            documents=[piece.document for piece in pieces],
            stories=assignment.labels,
            dates=[piece.date for piece in pieces],
            speakers=[piece.sender for piece in pieces],
        ),
        judged=judged_contradictions(user_corrections.entries, pieces),
        everything=all_contradictions,
    )
    repeats = find_repeats(
        sentences,
        assignment.labels,
        {(c.first, c.second) for c in contradicting},
        [piece.chat or piece.document for piece in pieces],
    )
    narratives, notes, times = _narratives(
        pieces,
        assignment,
        repeats,
        readings,
        orderer,
        check_date(date),
        user_corrections.entries,
    )
    narratives = with_copies(narratives, pieces, copies)
    timeline, undated = _timeline(narratives, times, pieces, readings)
    return Assembly(
        stories=narratives,
        notes=(
            *reading_notes,
            *copies_note(copies),
            *pile_notes(
                sentences,
                assignment.separable,
                [str(p.sentence.source or f"document {p.document + 1}") for p in pieces],
            ),
            *number_notes(assignment.numbers),
            *inseparable_notes(narratives),
            *notes,
            *assignment.notes,
            *aside_notes(part for _, part in aside),
        ),
        contradictions=_contradictions(contradicting, pieces, narratives, readings),
        timeline=timeline,
        undated=undated,
        changes=None if before is None else changes_since(before, narratives),
        found=find_account(narratives, query) if query else None,
        base=assignment.base,
        numbers=assignment.numbers,
        aside=tuple(aside),
    )


def _check(stories: int | None, sentences: Sequence[str]) -> None:
    if not sentences:
        raise InputError("there is no sentence in the text given")
    if stories is not None and not 1 <= stories <= len(sentences):
        raise UsageError(
            f"stories must be between 1 and the number of sentences ({len(sentences)}), or auto; "
            f"it is {stories}"
        )


def _narratives(
    pieces: Sequence[Piece],
    assignment: StoryAssignment,
    repeats: Mapping[int, int],
    readings: Sequence[Reading],
    orderer: Any,
    date: str | None,
    corrections: Sequence[Mapping[str, Any]],
) -> tuple[tuple[Narrative, ...], list[str], dict[str, StoryTime]]:
    """The ordered stories, a note for each order that is unsure or was not computed, and the time
    of each sentence by its id."""
    from fabula.assembly.corrections import edited_dates, edited_titles
    from fabula.assembly.solve.story_order import order_story, story_sentences, unordered_positions
    from fabula.core.progress import track

    groups: dict[int, list[int]] = {}
    for index, label in enumerate(assignment.labels):
        groups.setdefault(label, []).append(index)
    titles = title_stories([story_text(group, pieces, readings) for group in groups.values()])
    narratives, notes = [], []
    times: dict[int, StoryTime] = {}
    edited, dates = edited_titles(corrections), edited_dates(corrections, pieces)
    told = story_sentences(
        pieces, assignment.labels, date, [reading.parsed for reading in readings]
    )
    for (number, group), title in track(
        list(zip(groups.items(), titles, strict=True)), "ordering stories"
    ):
        given = _edited_times(dates, group)
        story = order_story(group, pieces, assignment, orderer, told, given)
        times.update(story.times)
        title = edited.get(number, title)
        confidence, remark = story.confidence, story.remark
        # A message that says again what another said stays where it was sent.
        moved = {i: first for i, first in repeats.items() if pieces[i].message is None}
        ordered = _repeats_after_originals(story.order, moved)
        unsure = not remark and len(ordered) > 1 and confidence < UNSURE_ORDER
        narratives.append(
            _narrative(
                number,
                title,
                ordered,
                confidence,
                pieces,
                assignment,
                repeats,
                readings,
                times,
                corrections,
                {} if unsure else unordered_positions(ordered, story.unknown),
            )
        )
        if remark or unsure:
            notes.append(f"Story {number}: {remark or 'order unsure'}.")
    return tuple(narratives), notes, {pieces[i].id: time for i, time in times.items()}


def _edited_times(dates: Mapping[int, str | None], members: Sequence[int]) -> dict[int, StoryTime]:
    """The times of a story's sentences that the user set; an empty one for "not known"."""
    from fabula.ordering.chronology.story_time import StoryTime
    from fabula.text.temporal.interval import interval_of

    return {
        index: StoryTime()
        if (date := dates[index]) is None
        else StoryTime(date, interval_of(date), "told", "set by a correction")
        for index in members
        if index in dates
    }


def _contradictions(
    pairs: Sequence[ContradictingPair],
    pieces: Sequence[Piece],
    narratives: Sequence[Narrative],
    readings: Sequence[Reading],
) -> tuple[Contradiction, ...]:
    """The contradicting pairs as story numbers and positions in place of sentence indices."""
    location = {p.id: (story.id, p.position) for story in narratives for p in story.sentences}
    contradictions = []
    for pair in pairs:
        first, second = pieces[pair.first], pieces[pair.second]
        sides = (
            Side(*location[first.id], pair.values[0], pair.speakers[0], first.date),
            Side(*location[second.id], pair.values[1], pair.speakers[1], second.date),
        )
        about = _as_written(pair.about.split(), readings[pair.first])
        contradictions.append(
            Contradiction(pair.kind, about, sides, pair.weight, pair.relation, pair.accepted)
        )
    return tuple(contradictions)


def _narrative(
    number: int,
    title: str,
    ordered: Sequence[int],
    confidence: float,
    pieces: Sequence[Piece],
    assignment: StoryAssignment,
    repeats: Mapping[int, int],
    readings: Sequence[Reading],
    times: Mapping[int, StoryTime],
    corrections: Sequence[Mapping[str, Any]],
    unordered: Mapping[int, tuple[int, ...]],
) -> Narrative:
    from fabula.assembly.account.actors import actors_of, deeds_of, story_sentences
    from fabula.assembly.corrections import actor_corrections
    from fabula.ordering.chronology.story_time import edtf_when

    position_of = {index: position for position, index in enumerate(ordered, 1)}
    position_of_message: dict[int | None, int] = {}
    for index in reversed(ordered):
        position_of_message[pieces[index].message] = position_of[index]
    copies: dict[int, list[Sentence]] = {}
    for index, first in repeats.items():
        if index in position_of and pieces[index].document != pieces[first].document:
            copies.setdefault(first, []).append(pieces[index].sentence)
    placed = tuple(
        Placed(
            sentence=pieces[i].sentence,
            position=position_of[i],
            probability=assignment.probabilities[i],
            id=pieces[i].id,
            repeat_of=position_of[repeats[i]] if i in repeats else None,
            runner_up=assignment.runner_up[i],
            why=assignment.why[i],
            sender=pieces[i].sender,
            time=pieces[i].time,
            fixed=i in assignment.pinned,
            when=edtf_when(times[i]) if i in times else None,
            also_in=tuple(copies.get(i, ())),
            message=pieces[i].message,
            conversation=pieces[i].conversation,
            answers=None
            if (turn := pieces[i].turn) is None or turn.answers is None
            else position_of_message.get(turn.answers),
            unordered=unordered.get(i, ()),
        )
        for i in ordered
    )
    told = story_sentences(ordered, pieces, readings)
    changes = actor_corrections(corrections, ordered, pieces)
    return Narrative(
        number,
        title,
        placed,
        confidence,
        actors_of(told, changes),
        deeds_of(told, changes),
        number in assignment.locked,
    )


def _repeats_after_originals(ordered: Sequence[int], repeats: Mapping[int, int]) -> list[int]:
    """The order with each repeat moved directly after the sentence it repeats."""
    repeats_of: dict[int, list[int]] = {}
    for index in ordered:
        if index in repeats:
            repeats_of.setdefault(repeats[index], []).append(index)
    return [
        i for first in ordered if first not in repeats for i in (first, *repeats_of.get(first, ()))
    ]


def _as_written(lemmas: Sequence[str], reading: Reading) -> str:
    """The words of a sentence that have these lemmas, as and in the order they are written."""
    if reading.parsed is None:
        return " ".join(lemmas)
    written: dict[str, str] = {}
    for word, lemma, tag in zip(
        reading.parsed.words, reading.parsed.lemmas, reading.parsed.tags, strict=True
    ):
        if lemma.lower() in lemmas:
            written.setdefault(lemma.lower(), word if tag.startswith("NNP") else word.lower())
    return " ".join(written.values()) or " ".join(lemmas)


def _timeline(
    narratives: Sequence[Narrative],
    times: Mapping[str, StoryTime],
    pieces: Sequence[Piece],
    readings: Sequence[Reading],
) -> tuple[tuple[TimelineEntry, ...], Undated]:
    """The dated sentences of all stories, repeats left out, and what has no date.

    ``times`` are by sentence id.
    """
    from fabula.assembly.account.timeline import TimelineRow, timeline_of, undated_of
    from fabula.assembly.facts.telling import tells_event

    tells_nothing = {
        piece.id
        for piece, reading in zip(pieces, readings, strict=True)
        if piece.message is not None
        and reading.parsed is not None
        and not tells_event(reading.parsed)
    }
    entry_of = {piece.id: piece.entry for piece in pieces}
    rows = [
        TimelineRow(
            story.id,
            p.position,
            f"{p.sentence.document} {entry_of[p.id] or ''}",
            times[p.id],
            p.time,
            p.id not in tells_nothing,
        )
        for story in narratives
        for p in story.sentences
        if p.repeat_of is None and p.id in times
    ]
    entries = tuple(timeline_of(rows))
    dates: dict[str, str | None] = {}
    for piece in pieces:  # a chat is one document here, however many messages it has
        name = piece.chat or str(piece.sentence.document)
        dates[name] = dates.get(name) or piece.date or piece.time
    return entries, undated_of(rows, entries, dates)
