"""Which story each sentence is in: the untangler's answer, then what a person put right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corrections import Corrections, Replay, replay
from fabula.assembly.pile import Piece
from fabula.salads import Untangled, untangle

__all__ = ["Solved", "solve"]

_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Solved:
    """A story number, a certainty, a runner-up and reasons for each sentence."""

    labels: tuple[int, ...]
    probabilities: tuple[float, ...]
    runner_up: tuple[int | None, ...]
    why: tuple[tuple[str, ...], ...]
    separable: bool
    base: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # before the corrections
    pinned: frozenset[int] = frozenset()
    locked: frozenset[int] = frozenset()
    after: tuple[tuple[int, int | None], ...] = ()
    positions: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()


def solve(
    pieces: Sequence[Piece],
    *,
    stories: int | None,
    corrections: Corrections,
    previous: Mapping[str, int],
    evidence: NDArray[np.floating] | None,
    model: Any,
) -> Solved:
    """Untangle, then replay the corrections and let the free sentences follow them."""
    texts = [piece.sentence.text for piece in pieces]
    by_id = {piece.id: piece.sentence.text for piece in pieces}
    told = {i: number for number, ids in corrections.stories.items() for i in ids if i in by_id}
    known = {by_id[i]: number for i, number in told.items()} or {
        by_id.get(name, name): number for name, number in previous.items()
    }
    found = untangle(
        texts, stories=stories, previous=known, evidence=evidence, by_size=True, model=model
    )
    # Where the corrections say which stories they speak of, old sentences start out there.
    labels = [told.get(piece.id, label) for piece, label in zip(pieces, found.labels, strict=True)]
    base: dict[int, list[str]] = {}
    for piece, label in zip(pieces, labels, strict=True):
        base.setdefault(label, []).append(piece.id)
    if not corrections:
        return _solved(found, Replay(labels), pieces, base)
    if found.odds is None:
        state = replay(corrections.entries, pieces, labels)
    else:
        odds = np.array(found.odds, dtype=np.float64)
        np.fill_diagonal(odds, 0.0)
        state = replay(corrections.entries, pieces, labels, partial(_follow, odds))
    return _solved(found, state, pieces, base)


def _follow(odds: NDArray[np.floating], state: Replay) -> None:
    """Let every sentence nobody fixed move to where it gains most; locked stories take none."""
    open_stories = [s for s in dict.fromkeys(state.labels) if s not in state.locked]
    free = [i for i in range(len(state.labels)) if i not in state.pinned]
    for _ in range(_ROUNDS):
        moved = False
        for i in free:
            here = state.labels[i]
            if here in state.locked:
                continue  # new text that came into a locked story by itself
            labels = np.array(state.labels)
            if (labels == here).sum() == 1:
                continue  # no story is emptied
            gains = {story: float(odds[i][labels == story].sum()) for story in open_stories}
            best = max(gains, key=lambda story: (gains[story], -story))
            if gains[best] > gains[here] + 1e-9:
                state.labels[i], moved = best, True
        if not moved:
            break


def _solved(
    found: Untangled, state: Replay, pieces: Sequence[Piece], base: Mapping[int, Sequence[str]]
) -> Solved:
    changed = tuple(state.labels) != found.labels
    sure = list(found.probabilities)
    runner_up = list(found.runner_up)
    if changed and found.odds is not None:
        sure, runner_up = _certainty(found.odds, state.labels, found)
    why: list[tuple[str, ...]] = []
    for i, pulls in enumerate(found.why):
        if i in state.pinned:
            sure[i], runner_up[i] = 1.0, None
            why.append(("A correction puts it here.",))
            continue
        here = [pull for pull in pulls if state.labels[pull.sentence] == state.labels[i]]
        why.append(tuple(_reason(pieces[pull.sentence], pull.shared) for pull in here))
    return Solved(
        labels=tuple(state.labels),
        probabilities=tuple(sure),
        runner_up=tuple(runner_up),
        why=tuple(why),
        separable=found.separable,
        base={number: tuple(ids) for number, ids in base.items()},
        pinned=frozenset(state.pinned),
        locked=frozenset(state.locked),
        after=tuple(state.after),
        positions=tuple(state.positions),
        notes=tuple(state.notes),
    )


def _reason(piece: Piece, shared: Sequence[str]) -> str:
    said = " ".join(piece.sentence.text.split())
    said = said if len(said) <= 60 else said[:57].rstrip() + "..."
    both = f": both say {', '.join(shared[:5])}" if shared else ""
    return f"Like line {piece.sentence.line} ({said}){both}"


def _certainty(
    odds: NDArray[np.floating], labels: Sequence[int], found: Untangled
) -> tuple[list[float], list[int | None]]:
    """Certainty after a correction, on the scale the untangler's own answer was on."""
    from fabula.salads.clustering.correlation import story_log_odds

    names = sorted(set(labels))
    index = np.array([names.index(label) for label in labels])
    if len(names) == 1:
        return [1.0] * len(labels), [None] * len(labels)
    towards = story_log_odds(odds, index)
    shares = np.exp(towards - towards.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    sure = [
        old if label == before else float(new)
        for old, label, before, new in zip(
            found.probabilities, labels, found.labels, shares[rows, index], strict=True
        )
    ]
    towards[rows, index] = -np.inf
    return sure, [names[int(i)] for i in towards.argmax(axis=1)]
