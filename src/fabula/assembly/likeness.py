"""Likely contradictions: values that cannot both be true, in sentences that seem to tell the same.

Two hands seldom tell a thing in the same words, so sentences are compared by their vectors: how
alike they are, how much nearer to each other than to the rest of the pile, and whether they sound
like different hands. What that adds up to was learnt by logistic regression, one for each kind of
contradiction, on the dossiers and worlds of benchmarks/written that are for training.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.claims import Claim
from fabula.assembly.opposites import denies, stems_of
from fabula.assembly.rarity import Rarity
from fabula.assembly.reading import Reading
from fabula.assembly.voices import other_hand, voice_of

__all__ = ["ENOUGH", "WEIGHTS", "Candidate", "candidates", "chance"]

# What each sign adds to the log-odds of a contradiction; "" is where they start.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "number": {
        "": -7.23, "alike": 4.88, "nearer": 10.44, "hands": 1.42, "happenings": 0.47,
        "names": -1.38, "figures": 2.63, "written": 0.5, "apart": -0.41, "share": -1.36,
        "units": 2.77, "unnamed": 1.61, "few": -0.97,
    },
    "time": {
        "": -7.03, "alike": 3.77, "nearer": 6.14, "hands": 1.15, "happenings": 0.76, "names": 1.84,
        "figures": -0.15, "written": 0.55, "apart": -0.28, "share": -2.42, "vague": -0.78,
    },
    "date": {
        "": -9.42, "alike": 6.93, "nearer": 1.89, "hands": 2.31, "happenings": 0.48,
        "names": 1.72, "figures": 0.41, "written": 0.96, "apart": -0.57, "share": -2.26,
    },
    "place": {
        "": -4.83, "alike": 1.34, "nearer": 10.5, "hands": 1.32, "happenings": 0.95,
        "names": -1.54, "words": 0.44, "denied": 0.1, "kind": 1.01, "placed": 1.0, "named": 0.23,
        "half": -0.65,
    },
    "outcome": {
        "": -4.93, "alike": 2.29, "nearer": 4.21, "hands": 0.9, "happenings": 0.16, "rank": -0.53,
        "words": 0.11, "denied": 0.62, "opposed": 1.17, "fate": 0.93,
    },
}  # fmt: skip
# The chance from which it is reported: so that of those reported about half are right.
ENOUGH = {"number": 0.2, "time": 0.25, "date": 0.25, "place": 0.3, "outcome": 0.2}

_SMALLEST = 12  # sentences; in fewer there is no telling what is near
_NEAREST = 20  # sentences of its kind each one is compared with at most
_ALIKE = 0.1  # cosine of two sentences below which they do not tell the same
_UNIT = 0.3  # cosine of two units below which they count different things
_CHUNK = 1024
_FATES = frozenset(("life", "harm", "custody", "guilt"))  # matters of people, told more surely

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


def candidates(readings: Sequence[Reading], encoder: Any) -> list[Candidate]:
    """Every two sentences near each other that may not both be true."""
    if len(readings) < _SMALLEST:
        return []
    vectors = np.asarray(encoder.encode([r.text for r in readings]), dtype=np.float32)
    pile = _Pile(readings, _Near(vectors, [_kinds_of(r) for r in readings]))
    return [*_valued(pile, encoder), *_placed(pile), *_opposed(pile)]


def _kinds_of(reading: Reading) -> set[str]:
    """The kinds of contradiction a sentence may be part of."""
    placed = {"place"} if reading.sites else set()
    return {"outcome", *placed, *(claim.kind for claim in reading.claims)}


class _Near:
    """The nearest sentences of each sentence, among those that claim something of a kind."""

    def __init__(self, vectors: Floats, kinds: Sequence[set[str]]) -> None:
        self.vectors = vectors
        self.top = np.zeros(len(vectors), dtype=np.float32)
        self.ranks: dict[str, dict[tuple[int, int], int]] = {kind: {} for kind in WEIGHTS}
        members = {kind: np.flatnonzero([kind in some for some in kinds]) for kind in WEIGHTS}
        for start in range(0, len(vectors), _CHUNK):
            alike = vectors[start : start + _CHUNK] @ vectors.T
            for row, scores in enumerate(alike, start):
                scores[row] = -1.0
                self.top[row] = scores.max()
                for kind in kinds[row]:
                    self._add(kind, row, _nearest(scores, members[kind]))

    def _add(self, kind: str, row: int, others: Sequence[int]) -> None:
        """Pairs with how many of the kind are nearer, on the better side."""
        known = self.ranks[kind]
        for rank, other in enumerate(others):
            pair = (min(row, other), max(row, other))
            known[pair] = min(rank, known.get(pair, rank))


def _nearest(scores: Floats, members: NDArray[np.intp]) -> list[int]:
    """The members with the best scores, the best first."""
    some = scores[members]
    most = min(_NEAREST, len(some))
    least = max(_ALIKE, np.partition(some, -most)[-most])
    close = np.flatnonzero(some >= least)  # sorting all would take most of the time
    best = close[np.argsort(-some[close], kind="stable")][:most]
    found: list[int] = members[best].tolist()
    return found


class _Pile:
    """The signs that hang on the two sentences alone."""

    def __init__(self, readings: Sequence[Reading], near: _Near) -> None:
        self.readings = readings
        self.near = near
        self.voices = [voice_of(r.text) for r in readings]
        self.denies = [denies(r.text) for r in readings]
        self.stems = [stems_of(r.words) for r in readings]
        self.happenings = Rarity([r.happenings for r in readings])
        self.words = Rarity([r.words for r in readings])

    def pairs(self, kind: str) -> list[tuple[int, int]]:
        return sorted(self.near.ranks[kind])

    def signs(self, kind: str, i: int, j: int) -> dict[str, float]:
        """What two sentences have in common, whatever they claim."""
        near, one, two = self.near, self.readings[i], self.readings[j]
        alike = float(near.vectors[i] @ near.vectors[j])
        return {
            "alike": alike,
            "nearer": alike - float(near.top[i] + near.top[j]) / 2,
            "rank": math.log1p(near.ranks[kind][i, j]),
            "hands": other_hand(self.voices[i], self.voices[j]),
            "happenings": self.happenings.of(one.happenings & two.happenings),
            "words": self.words.of(one.words & two.words),
            "names": self.words.of(one.names & two.names),
            "denied": float(self.denies[i] != self.denies[j]),
        }

    def unsaid(self, i: int, j: int) -> bool:
        """Whether one sentence says with a "no" what the other says without."""
        one, two = self.readings[i].denied, self.readings[j].denied
        return (one & self.stems[j]) != (two & self.stems[i])


def _valued(pile: _Pile, encoder: Any) -> Iterator[Candidate]:
    """Candidates by amounts, times and days."""
    told = [
        (i, j, one, two)
        for kind in ("number", "time", "date")
        for i, j in pile.pairs(kind)
        for one, two in _disagreements(kind, pile.readings[i], pile.readings[j])
    ]
    units = sorted({claim.unit for _, _, *both in told for claim in both if claim.unit})
    known = dict(zip(units, encoder.encode(units), strict=True)) if units else {}
    kinds = Counter(claim.kind for r in pile.readings for claim in r.claims)
    for i, j, one, two in told:
        counted = bool(one.unit and two.unit)
        alike = float(known[one.unit] @ known[two.unit]) if counted else 0.0
        if counted and alike < _UNIT:
            continue
        apart = one.differs(two)
        signs = {
            "figures": float(one.in_figures and two.in_figures),
            "written": float(one.in_figures != two.in_figures),
            "apart": apart if one.kind == "number" else math.log1p(apart),
            "units": alike,
            "unnamed": float(not counted),
            "few": float(one.few or two.few),
            "vague": float(not one.exact) + float(not two.exact),
            "share": math.log(kinds[one.kind] / len(pile.readings)),
        }
        shared = pile.signs(one.kind, i, j)
        yield Candidate(one.kind, i, j, (one.said, two.said), {**shared, **signs})


def _disagreements(kind: str, first: Reading, second: Reading) -> Iterator[tuple[Claim, Claim]]:
    """Claims of the one and the other that cannot both be true."""
    for one in first.claims:
        for two in second.claims:
            if one.kind != kind or two.kind != kind or not one.differs(two):
                continue
            if _agrees(one, second) or _agrees(two, first):
                continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
            yield one, two


def _agrees(claim: Claim, other: Reading) -> bool:
    return any(
        c.kind == claim.kind and c.unit == claim.unit and not c.differs(claim) for c in other.claims
    )


def _placed(pile: _Pile) -> Iterator[Candidate]:
    """Candidates by where something is or happens."""
    for i, j in pile.pairs("place"):
        one, two = pile.readings[i], pile.readings[j]
        apart = [(a.apart(b), a, b) for a in one.sites for b in two.sites]
        if any(not far for far, _, _ in apart):
            continue
        far, here, there = max(apart, key=lambda found: found[0])
        signs = {
            "kind": float(far > 1),
            "placed": float(here.preposition == there.preposition),
            "named": float(here.is_named and there.is_named),
            "half": float(here.is_named != there.is_named),
        }
        values = (here.said, there.said)
        yield Candidate("place", i, j, values, {**pile.signs("place", i, j), **signs})


def _opposed(pile: _Pile) -> Iterator[Candidate]:
    """Candidates by what became of something, or whether it was so at all."""
    for i, j in pile.pairs("outcome"):
        one, two = pile.readings[i].sides, pile.readings[j].sides
        opposed = {
            matter
            for matter, side in one
            if (matter, -side) in two and (matter, -side) not in one and (matter, side) not in two
        }
        if not opposed and not pile.unsaid(i, j):
            continue
        signs = {"opposed": float(len(opposed)), "fate": float(bool(opposed & _FATES))}
        values = (pile.readings[i].text, pile.readings[j].text)
        yield Candidate("outcome", i, j, values, {**pile.signs("outcome", i, j), **signs})
