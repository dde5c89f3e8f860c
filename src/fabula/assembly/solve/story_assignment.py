"""Story assignment: a pile's sentences in, story labels out, by correlation clustering and then
the user's corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.assembly.corrections import Corrections, Replay, replay
from fabula.assembly.pile import Piece
from fabula.assembly.solve.structure_links import pile_structure, sentence_log_odds
from fabula.salads.stories.assignment import Untangled, assign_stories
from fabula.salads.stories.revision import move_free_sentences, revised_probabilities

__all__ = ["StoryAssignment", "assign_with_corrections"]


@dataclass(frozen=True, slots=True)
class StoryAssignment:
    """For each sentence its story number, probability, runner-up story and reasons.

    ``base``: the sentence ids of each story before corrections. ``pinned``: sentences fixed by a
    correction. ``locked``: stories that admit no further sentences. ``after`` and ``positions``:
    where a correction puts a sentence within its story. ``notes``: corrections not applied.
    ``numbers``: numbers of stories with their probabilities, where the number was found.
    """

    labels: tuple[int, ...]
    probabilities: tuple[float, ...]
    runner_up: tuple[int | None, ...]
    why: tuple[tuple[str, ...], ...]
    separable: bool
    base: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    pinned: frozenset[int] = frozenset()
    locked: frozenset[int] = frozenset()
    after: tuple[tuple[int, int | None], ...] = ()
    positions: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
    numbers: tuple[tuple[int, float], ...] = ()


def assign_with_corrections(
    pieces: Sequence[Piece],
    *,
    stories: int | None,
    corrections: Corrections,
    previous: Mapping[str, int],
    model: Any,
) -> StoryAssignment:
    """Cluster, then replay the corrections, reassigning the sentences not fixed after each one."""
    texts = [piece.sentence.text for piece in pieces]
    by_id = {piece.id: piece.sentence.text for piece in pieces}
    corrected = {i: story for story, ids in corrections.stories.items() for i in ids if i in by_id}
    earlier_numbers = {by_id[i]: story for i, story in corrected.items()} or {
        by_id.get(name, name): story for name, story in previous.items()
    }
    assigned = assign_stories(
        texts,
        model,
        stories=stories,
        structure=pile_structure(pieces),
        extra_log_odds=sentence_log_odds(pieces),
        previous=earlier_numbers,
    )
    # Sentences in the stories recorded with the corrections start with those labels.
    labels = [
        corrected.get(piece.id, label) for piece, label in zip(pieces, assigned.labels, strict=True)
    ]
    base: dict[int, list[str]] = {}
    for piece, label in zip(pieces, labels, strict=True):
        base.setdefault(label, []).append(piece.id)
    if not corrections:
        return _story_assignment(assigned, Replay(labels), pieces, base)

    def reassign(state: Replay) -> None:
        if assigned.odds is not None:
            state.labels = move_free_sentences(
                assigned.odds, state.labels, pinned=state.pinned, locked=state.locked
            )

    return _story_assignment(
        assigned, replay(corrections.entries, pieces, labels, reassign), pieces, base
    )


def _story_assignment(
    assigned: Untangled, state: Replay, pieces: Sequence[Piece], base: Mapping[int, Sequence[str]]
) -> StoryAssignment:
    probabilities, runner_up = revised_probabilities(assigned, state.labels)
    why: list[tuple[str, ...]] = []
    for i, reasons in enumerate(assigned.why):
        if i in state.pinned:
            probabilities[i], runner_up[i] = 1.0, None
            why.append(("A correction puts it here.",))
            continue
        valid = [link for link in reasons if state.labels[link.sentence] == state.labels[i]]
        why.append(tuple(_reason(pieces[link.sentence], link.shared) for link in valid))
    return StoryAssignment(
        labels=tuple(state.labels),
        probabilities=tuple(probabilities),
        runner_up=tuple(runner_up),
        why=tuple(why),
        separable=assigned.separable,
        base={number: tuple(ids) for number, ids in base.items()},
        pinned=frozenset(state.pinned),
        locked=frozenset(state.locked),
        after=tuple(state.after),
        positions=tuple(state.positions),
        notes=tuple(state.notes),
        numbers=assigned.numbers,
    )


def _reason(piece: Piece, shared: Sequence[str]) -> str:
    quote = " ".join(piece.sentence.text.split())
    quote = quote if len(quote) <= 60 else quote[:57].rstrip() + "..."
    both = f": both say {', '.join(shared[:5])}" if shared else ""
    return f"Like line {piece.sentence.line} ({quote}){both}"
