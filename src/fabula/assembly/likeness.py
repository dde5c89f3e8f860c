"""Likely contradictions: values that cannot both be true, in sentences that seem to tell the same.

Two hands seldom tell a thing in the same words, so sentences are compared by their vectors: how
alike they are, how much nearer to each other than to the rest of the pile, and whether they sound
like different hands. What that adds up to was learnt by logistic regression, one for each kind of
value, on the dossiers of benchmarks/written (writers p, q, r and s).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.claims import Claim
from fabula.assembly.opposites import denies
from fabula.assembly.rarity import Rarity
from fabula.assembly.reading import Reading
from fabula.assembly.voices import other_hand, voice_of

__all__ = ["ENOUGH", "WEIGHTS", "Candidate", "candidates", "chance"]

# What each sign adds to the log-odds of a contradiction; "" is where they start.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "number": {
        "": -3.64, "nearer": 6.82, "rank": -0.72, "hands": 2.79, "figures": 2.66, "written": 0.59,
        "apart": -0.53, "units": 2.01, "unnamed": 0.66, "only": 3.23, "few": -1.02,
    },
    "time": {
        "": -5.76, "nearer": 7.51, "rank": -0.48, "story": 0.67, "hands": 1.85, "frames": 2.42,
        "told": 1.05, "figures": 0.92, "written": 1.16,
    },
    "outcome": {
        "": -9.21, "alike": 9.83, "nearer": 7.97, "story": 0.33, "hands": 2.39,
        "happenings": 0.95, "opposed": 2.39, "denied": 0.55,
    },
}  # fmt: skip
ENOUGH = {"number": 0.2, "time": 0.2, "outcome": 0.25}  # the chance from which it is reported

_SMALLEST = 12  # sentences; in fewer there is no telling what is near
_NEAREST = 20  # sentences each one is compared with at most
_ALIKE = 0.2  # cosine of two sentences below which they do not tell the same
_UNIT = 0.3  # cosine of two units below which they count different things
_NOTHING = 0.2  # likeness of the frames of the next best, where there is none
_CHUNK = 1024

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two sentences (indices, the first the smaller) with what they say, and the signs."""

    kind: str
    first: int
    second: int
    values: tuple[str, str]
    signs: Mapping[str, float]


def chance(candidate: Candidate) -> float:
    """How likely it is a contradiction."""
    weights = WEIGHTS[candidate.kind]
    odds = weights[""] + sum(
        weight * candidate.signs[name] for name, weight in weights.items() if name
    )
    return 1 / (1 + math.exp(-odds))


def candidates(
    readings: Sequence[Reading], stories: Sequence[int] | None, encoder: Any
) -> list[Candidate]:
    """Every two sentences near each other whose values cannot both be true."""
    if len(readings) < _SMALLEST:
        return []
    vectors = np.asarray(encoder.encode([r.text for r in readings]), dtype=np.float32)
    near = _Near(vectors)
    pile = _Pile(readings, stories, near)
    told = [(i, j, c) for i, j in near.pairs for c in _disagreements(readings[i], readings[j])]
    texts = sorted({t for _, _, (a, b) in told for t in (a.frame, b.frame, a.unit, b.unit) if t})
    known = dict(zip(texts, encoder.encode(texts), strict=True)) if texts else {}
    return [*_valued(told, pile, known), *_opposed(readings, pile)]


class _Near:
    """The nearest sentences of each sentence, and every two that are near (the smaller first)."""

    def __init__(self, vectors: Floats) -> None:
        self.vectors = vectors
        n = len(vectors)
        most = min(_NEAREST, n - 1)
        self.neighbours: list[list[int]] = []
        self.top = np.zeros(n, dtype=np.float32)
        for start in range(0, n, _CHUNK):
            alike = vectors[start : start + _CHUNK] @ vectors.T
            for row, scores in enumerate(alike, start):
                scores[row] = -1.0
                least = max(_ALIKE, np.partition(scores, -most)[-most])
                close = np.flatnonzero(scores >= least)  # sorting all would take most of the time
                best = close[np.argsort(-scores[close], kind="stable")][:most]
                self.neighbours.append(best.tolist())
                self.top[row] = scores.max()
        self.pairs = sorted(
            {(min(i, j), max(i, j)) for i, some in enumerate(self.neighbours) for j in some}
        )

    def rank(self, i: int, j: int) -> int:
        """How many sentences are nearer to the one than the other is, on the better side."""
        return min(
            self.neighbours[a].index(b) if b in self.neighbours[a] else _NEAREST
            for a, b in ((i, j), (j, i))
        )


class _Pile:
    """The signs that hang on the two sentences alone."""

    def __init__(
        self, readings: Sequence[Reading], stories: Sequence[int] | None, near: _Near
    ) -> None:
        self.readings = readings
        self.stories = stories
        self.near = near
        self.voices = [voice_of(r.text) for r in readings]
        self.happenings = Rarity([r.happenings for r in readings])

    def signs(self, i: int, j: int) -> dict[str, float]:
        """What two sentences have in common, whatever they claim."""
        alike = float(self.near.vectors[i] @ self.near.vectors[j])
        both = self.readings[i].happenings & self.readings[j].happenings
        return {
            "alike": alike,
            "nearer": alike - float(self.near.top[i] + self.near.top[j]) / 2,
            "rank": math.log1p(self.near.rank(i, j)),
            "story": float(self.stories is None or self.stories[i] == self.stories[j]),
            "hands": other_hand(self.voices[i], self.voices[j]),
            "happenings": self.happenings.of(both),
        }


def _disagreements(first: Reading, second: Reading) -> Iterator[tuple[Claim, Claim]]:
    """Claims of the one and the other that cannot both be true."""
    for one in first.claims:
        for two in second.claims:
            if one.kind != two.kind or not one.differs(two):
                continue
            if one.kind == "number" and (_agrees(one, second) or _agrees(two, first)):
                continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
            yield one, two


def _agrees(claim: Claim, other: Reading) -> bool:
    return any(
        c.kind == claim.kind and c.unit == claim.unit and not c.differs(claim) for c in other.claims
    )


def _valued(
    told: Sequence[tuple[int, int, tuple[Claim, Claim]]], pile: _Pile, known: Mapping[str, Floats]
) -> Iterator[Candidate]:
    """Candidates by times and amounts."""
    rows = []
    best = _Best()
    for i, j, (one, two) in told:
        unnamed = one.kind == "number" and not (one.unit and two.unit)
        units = 0.0 if unnamed or one.kind == "time" else float(known[one.unit] @ known[two.unit])
        if one.kind == "number" and not unnamed and units < _UNIT:
            continue
        frames = float(known[one.frame] @ known[two.frame]) if one.frame and two.frame else 0.0
        rows.append((i, j, one, two, units, unnamed, frames))
        best.add(one.kind, i, j, frames)
    for i, j, one, two, units, unnamed, frames in rows:
        apart = one.differs(two)
        signs = {
            "frames": frames,
            "only": frames - best.besides(one.kind, i, j),
            "told": pile.happenings.of(one.happenings & two.happenings),
            "figures": float(one.in_figures and two.in_figures),
            "written": float(one.in_figures != two.in_figures),
            "apart": math.log1p(apart) if one.kind == "time" else apart,
            "units": units,
            "unnamed": float(unnamed),
            "few": float(one.few or two.few),
        }
        yield Candidate(one.kind, i, j, (one.said, two.said), {**pile.signs(i, j), **signs})


class _Best:
    """How alike the frames of a sentence's claims are to those of other sentences, at best.

    Of each sentence the two best others are kept: one of them is not the one asked about.
    """

    def __init__(self) -> None:
        self._best: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)

    def add(self, kind: str, i: int, j: int, frames: float) -> None:
        for one, other in ((i, j), (j, i)):
            known = self._best[kind, one]
            known[other] = max(frames, known.get(other, frames))
            if len(known) > 2:
                del known[min(known, key=lambda k: known[k])]

    def besides(self, kind: str, i: int, j: int) -> float:
        """The best of either sentence with any but the other."""
        found = [
            frames
            for one, not_this in ((i, j), (j, i))
            for other, frames in self._best[kind, one].items()
            if other != not_this
        ]
        return max(found, default=_NOTHING)


def _opposed(readings: Sequence[Reading], pile: _Pile) -> Iterator[Candidate]:
    """Candidates by what became of something, or whether it was so at all."""
    denied = [denies(r.text) for r in readings]
    for i, j in pile.near.pairs:
        one, two = readings[i].sides, readings[j].sides
        opposed = {
            matter
            for matter, side in one
            if (matter, -side) in two and (matter, -side) not in one and (matter, side) not in two
        }
        if not opposed and denied[i] == denied[j]:
            continue
        signs = {"opposed": float(len(opposed)), "denied": float(denied[i] != denied[j])}
        values = (readings[i].text, readings[j].text)
        yield Candidate("outcome", i, j, values, {**pile.signs(i, j), **signs})
