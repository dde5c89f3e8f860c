"""Likely contradictions, in sentences that seem to tell the same in other words.

Two hands seldom tell a thing in the same words, so sentences are compared by their vectors: how
alike they are, how much nearer to each other than to the rest of the pile, and whether they sound
like different hands. Those that are near are read side by side (``disputes``). There are two ways
to a candidate: values that cannot both be true, and, of a kind of which no values clash, the
reading alone. What all that adds up to was learnt by logistic regression, one for each kind of
values and one for reading, on dossiers, worlds and reports of benchmarks/written.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.conflicts.pair_classifier import KINDS, Disputes
from fabula.assembly.conflicts.source_style import other_hand, voice_of
from fabula.assembly.facts.claims import Claim
from fabula.assembly.facts.outcomes import denies, stems_of
from fabula.assembly.facts.reading import Reading
from fabula.text.idf import IdfOverlap

__all__ = ["ENOUGH", "WEIGHTS", "Candidate", "candidates", "chance"]

# What each sign adds to the log-odds of a contradiction; "" is where they start.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "number": {
        "": -5.06, "above": 2.78, "nearest": 0.78, "alike": 2.11, "nearer": 7.08, "hands": 1.0,
        "happenings": 0.81, "names": 0.06, "figures": -0.08, "written": 0.62, "apart": -0.23,
        "share": -1.07, "units": 2.49, "unnamed": 1.44, "few": -0.32, "read": 0.5, "as": 0.55,
    },
    "time": {
        "": -5.26, "above": 2.6, "nearest": 1.64, "alike": 1.94, "nearer": 2.93, "hands": 1.11,
        "happenings": 0.32, "names": 0.1, "figures": 0.07, "written": 0.5, "apart": -0.19,
        "share": -1.59, "vague": -0.86, "read": 0.23, "as": 0.41,
    },
    "date": {
        "": -4.71, "above": 4.95, "nearest": 0.36, "alike": 0.0, "nearer": 3.75, "hands": 1.86,
        "happenings": 0.86, "names": 1.24, "figures": 0.29, "written": 0.99, "apart": -0.56,
        "share": -1.77, "read": 0.26, "as": 0.4,
    },
    "place": {
        "": -1.14, "above": 7.22, "nearest": 0.29, "alike": -0.74, "nearer": 9.9, "hands": 0.78,
        "happenings": 0.22, "names": -1.1, "words": 0.47, "denied": -0.19, "kind": 1.43,
        "placed": 1.44, "named": 0.25, "half": -0.29, "read": 0.27, "as": 0.41,
    },
    "outcome": {
        "": -3.27, "above": 3.91, "nearest": 0.75, "alike": -0.84, "nearer": 5.53, "hands": -0.82,
        "happenings": 0.4, "rank": 0.21, "words": 0.42, "denied": 1.22, "opposed": 1.36,
        "fate": 0.53, "read": 0.31, "as": -0.04,
    },
    "reading": {
        "": -3.05, "above": 2.98, "nearest": 0.52, "alike": -0.93, "nearer": 6.77, "hands": 0.24,
        "happenings": 0.7, "names": 0.08, "words": 0.05, "denied": -0.64, "rank": -0.03,
        "read": 0.48, "as": -0.37,
    },
}  # fmt: skip
# The chance from which it is reported: on development piles about every second one is then right.
ENOUGH = {
    "number": 0.25, "time": 0.25, "date": 0.25, "place": 0.35, "outcome": 0.28, "reading": 0.24,
}  # fmt: skip

_SMALLEST = 12  # sentences; in fewer there is no telling what is near
_NEAREST = 20  # sentences of its kind each one is compared with at most
_READ, _READ_KIND = 6, 3  # the nearest of all, and of its kind, that each one is read beside
_FAR = 0.2  # how much less alike than each and its nearest two may be
_MOST_READ = 3000  # pairs; of a larger pile the nearest
_SAME = 1e-3  # of two cosines that are the same but for rounding
_ALIKE = 0.1  # cosine of two sentences below which they do not tell the same
_UNIT = 0.3  # cosine of two units below which they count different things
_CHUNK = 1024
_FATES = frozenset(("life", "harm", "custody", "guilt"))  # matters of people, told more surely

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two sentences (indices, the first the smaller) with what they say, and the signs.

    ``way`` is the kind where values clash, else "reading"; it tells how the signs are weighed.
    """

    way: str
    kind: str
    first: int
    second: int
    values: tuple[str, str]
    signs: Mapping[str, float]

    @property
    def pair(self) -> tuple[int, int]:
        return self.first, self.second


def chance(candidate: Candidate) -> float:
    """How likely it is a contradiction."""
    weights = WEIGHTS[candidate.way]
    odds = weights[""] + sum(
        weight * candidate.signs[name] for name, weight in weights.items() if name
    )
    return 1 / (1 + math.exp(-odds))


def candidates(
    readings: Sequence[Reading], encoder: Any, disputes: Disputes | None = None
) -> list[Candidate]:
    """Every two sentences near each other that may not both be true."""
    if len(readings) < _SMALLEST:
        return []
    texts = [reading.text for reading in readings]
    vectors = np.asarray(encoder.encode(texts), dtype=np.float32)
    pile = _Pile(readings, _Near(vectors, [_kinds_of(r) for r in readings]))
    disputes = Disputes.shipped() if disputes is None else disputes
    read = dict(zip(pile.near.close, disputes.logits(texts, pile.near.close), strict=True))
    found = [*_valued(pile, encoder), *_placed(pile), *_opposed(pile)]
    known = [_beside(candidate, read[candidate.pair]) for candidate in found]
    return [*known, *_disputed(pile, read, {(c.kind, *c.pair) for c in known})]


def _beside(candidate: Candidate, logits: Floats) -> Candidate:
    """The candidate with what reading says of it."""
    return replace(candidate, signs={**candidate.signs, **_read(logits, candidate.kind)})


def _read(logits: Floats, kind: str) -> dict[str, float]:
    """Log-odds of any contradiction, and the log-probability that one is of this kind."""
    some = logits[1:].astype(float)
    any_kind = float(np.logaddexp.reduce(some))
    return {"read": any_kind - float(logits[0]), "as": float(some[KINDS.index(kind)]) - any_kind}


def _disputed(
    pile: _Pile, read: Mapping[tuple[int, int], Floats], known: AbstractSet[tuple[str, int, int]]
) -> Iterator[Candidate]:
    """Candidates by reading alone, of the kind it says."""
    for (i, j), logits in read.items():
        kind = KINDS[int(logits[1:].argmax())]
        if (kind, i, j) not in known:
            values = (pile.readings[i].text, pile.readings[j].text)
            signs = {**pile.signs("outcome", i, j), **_read(logits, kind)}
            yield Candidate("reading", kind, i, j, values, signs)


def _kinds_of(reading: Reading) -> set[str]:
    """The kinds of contradiction a sentence may be part of."""
    placed = {"place"} if reading.sites else set()
    return {"outcome", *placed, *(claim.kind for claim in reading.claims)}


class _Near:
    """The nearest sentences of each sentence, among those that claim something of a kind; and the
    pairs that are ``close`` enough to be read side by side."""

    def __init__(self, vectors: Floats, kinds: Sequence[set[str]]) -> None:
        self.vectors = vectors
        self.top = np.zeros(len(vectors), dtype=np.float32)
        self.usual = 0.0  # how alike a sentence and its nearest are in this pile
        self.ranks: dict[str, dict[tuple[int, int], int]] = {kind: {} for kind in KINDS}
        members = {kind: np.flatnonzero([kind in some for some in kinds]) for kind in KINDS}
        for start in range(0, len(vectors), _CHUNK):
            alike = vectors[start : start + _CHUNK] @ vectors.T
            for row, scores in enumerate(alike, start):
                scores[row] = -1.0
                self.top[row] = scores.max()
                for kind in kinds[row]:
                    self._add(kind, row, nearest(scores, members[kind]))
        self.usual = float(self.top.mean())
        self.close = self._close()

    def _close(self) -> list[tuple[int, int]]:
        """Every sentence may have an outcome: the nearest of that kind are the nearest of all."""
        near = {
            pair
            for kind, ranks in self.ranks.items()
            for pair, rank in ranks.items()
            if rank < (_READ if kind == "outcome" else _READ_KIND)
        }
        less = {pair: -self.nearer(*pair) for pair in sorted(near)}
        found = [pair for pair, far in less.items() if far < _FAR]
        return sorted(sorted(found, key=less.__getitem__)[:_MOST_READ])

    def nearer(self, i: int, j: int) -> float:
        """How much more alike two are than each of them and its nearest, on average."""
        return float(self.vectors[i] @ self.vectors[j] - (self.top[i] + self.top[j]) / 2)

    def _add(self, kind: str, row: int, others: Sequence[int]) -> None:
        """Pairs with how many of the kind are nearer, on the better side."""
        known = self.ranks[kind]
        for rank, other in enumerate(others):
            pair = (min(row, other), max(row, other))
            known[pair] = min(rank, known.get(pair, rank))


def nearest(scores: Floats, members: NDArray[np.intp]) -> list[int]:
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
        self.happenings = IdfOverlap([r.happenings for r in readings])
        self.words = IdfOverlap([r.words for r in readings])

    def pairs(self, kind: str) -> list[tuple[int, int]]:
        """The close ones of which both claim something of the kind."""
        return [pair for pair in self.near.close if pair in self.near.ranks[kind]]

    def signs(self, kind: str, i: int, j: int) -> dict[str, float]:
        """What two sentences have in common, whatever they claim."""
        near, one, two = self.near, self.readings[i], self.readings[j]
        alike = float(near.vectors[i] @ near.vectors[j])
        return {
            "alike": alike,
            "above": alike - near.usual,
            "nearest": float(alike >= max(near.top[i], near.top[j]) - _SAME),
            "nearer": near.nearer(i, j),
            "rank": math.log1p(near.ranks[kind].get((i, j), _NEAREST)),
            "hands": other_hand(self.voices[i], self.voices[j]),
            "happenings": self.happenings.weight(one.happenings & two.happenings),
            "words": self.words.weight(one.words & two.words),
            "names": self.words.weight(one.names & two.names),
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
        yield Candidate(one.kind, one.kind, i, j, (one.said, two.said), {**shared, **signs})


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
        yield Candidate("place", "place", i, j, values, {**pile.signs("place", i, j), **signs})


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
        signs = pile.signs("outcome", i, j)
        signs |= {"opposed": float(len(opposed)), "fate": float(bool(opposed & _FATES))}
        values = (pile.readings[i].text, pile.readings[j].text)
        yield Candidate("outcome", "outcome", i, j, values, signs)
