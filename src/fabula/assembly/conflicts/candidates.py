"""Candidate contradictions: readings and vectors of a pile in, pairs of claims of one thing out.

Claims are looked up by an inverted index over the words of their clauses, and among the nearest
sentences by vectors, since two sources seldom use the same words. Of each two sentences the best
aligned claims of a kind are compared; a value that the other sentence tells too is agreement.
Outcomes are opposed by negation of one predicate, by the states of one subject, or, in near
sentences, by words for opposite ends of a matter.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.conflicts.comparable import PEOPLE, comparable
from fabula.assembly.facts.anchors import Anchor
from fabula.assembly.facts.claims import Claim
from fabula.assembly.facts.outcomes import stems_of
from fabula.assembly.facts.reading import Clause, Reading
from fabula.pairs.features.facts import rarity
from fabula.text.quantity import Amount

__all__ = ["KINDS", "Candidate", "candidates"]

KINDS = ("number", "time", "date", "place", "outcome")
_MAX_POSTINGS = 200  # a key of more claims tells nothing
_MIN_ALIGNED = 0.6  # summed rarity of what two claims are told of
_NEAREST = 3  # sentences with a claim of the kind that are compared whatever their words
_NEAREST_OPPOSED = 5  # sentences that are compared by words for opposite outcomes
_MIN_COSINE = 0.3
_MIN_READ = 0.5  # cosine of sentences that are compared by reading alone
_ROWS = 1024
_ALIGNED = 0.1  # what aligned words weigh against the cosine
_PAIRS, _LEAST_PAIRS = 1.0, 60  # candidates for each sentence of a pile, and of any pile
_ONE = re.compile(
    r"\b(?:one|1|another|(?:an? )(?:\w+ )?(?:man|woman|person|boy|girl|child|officer|guard))\b",
    re.IGNORECASE,
)
_OPPOSITE = {"north": "south", "east": "west", "left": "right", "upper": "lower"}
_OPPOSITE |= {second: first for first, second in _OPPOSITE.items()}
_DIRECTION = re.compile(
    rf"\b({'|'.join(_OPPOSITE)})(?:ern)?\s+(?:(?:side|end|bank|part)\s+)?(?:of\s+)?(?:the\s+)?(\w+)",
    re.IGNORECASE,
)
_PROPER_NAME = re.compile(r"[A-Z]\w+\s+[A-Z]\w+")  # "South Wales" is a name
_MATTERS_OF_PEOPLE = frozenset(("life", "harm", "custody", "guilt"))


Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two sentences (indices, ``first`` < ``second``) whose claims of one kind may clash.

    ``aligned`` is the summed IDF of what both claims are told of; ``how`` says which comparison
    found it; ``distance`` how far apart the values are.
    """

    kind: str
    first: int
    second: int
    claims: tuple[Claim, Claim]
    aligned: float
    distance: float
    how: str

    @property
    def pair(self) -> tuple[int, int]:
        return self.first, self.second


def candidates(readings: Sequence[Reading], vectors: Floats) -> list[Candidate]:
    """At most one candidate of each kind for two sentences, the best aligned first.

    ``vectors`` are of length one, a row a sentence.
    """
    best: dict[tuple[str, int, int], Candidate] = {}
    for candidate in _all(readings, vectors):
        key = (candidate.kind, *candidate.pair)
        if key not in best or candidate.aligned > best[key].aligned:
            best[key] = candidate
    likeness = {key: float(vectors[key[1]] @ vectors[key[2]]) for key in best}
    ranked = sorted(
        best,
        key=lambda key: (-likeness[key] - _ALIGNED * best[key].aligned, key),
    )
    return [best[key] for key in ranked[: max(_LEAST_PAIRS, round(_PAIRS * len(readings)))]]


def _all(readings: Sequence[Reading], vectors: Floats) -> Iterator[Candidate]:
    for kind in ("number", "time", "date", "place"):
        claims = [
            (i, c)
            for i, reading in enumerate(readings)
            for c in reading.claims
            if c.kind == kind and c.anchor.asserted
        ]
        near = _nearest(vectors, sorted({i for i, _ in claims}), _NEAREST)
        yield from _differing(kind, claims, readings, near)
    yield from _negated(readings)
    yield from _opposed_states(readings)
    yield from _opposite_directions(readings)
    telling = [i for i, reading in enumerate(readings) if reading.words]
    yield from _opposed_words(readings, vectors, _nearest(vectors, telling, _NEAREST_OPPOSED))


def _nearest(vectors: Floats, members: Sequence[int], count: int) -> set[tuple[int, int]]:
    """Each member with its nearest others by cosine."""
    found: set[tuple[int, int]] = set()
    rows = vectors[list(members)]
    for start in range(0, len(members), _ROWS):
        block = rows[start : start + _ROWS] @ rows.T
        for row, cosines in enumerate(block, start):
            cosines[row] = -1.0
            for other in np.argsort(-cosines, kind="stable")[:count].tolist():
                if cosines[other] >= _MIN_COSINE:
                    i, j = sorted((members[row], members[other]))
                    found.add((i, j))
    return found


def _weight(words: Iterable[str]) -> float:
    """The summed rarity of words. In a pile on one event its own words are frequent, and tell the
    event nevertheless: how rare a word is in English counts."""
    return math.fsum(0.1 + rarity(word) for word in words)


def _told_of(claim: Claim) -> frozenset[str]:
    """What a claim is looked up by, and aligned by."""
    words = claim.anchor.words
    return words if claim.unit in ("", "year old") else words | {claim.unit}


def _differing(
    kind: str,
    claims: Sequence[tuple[int, Claim]],
    readings: Sequence[Reading],
    near: AbstractSet[tuple[int, int]],
) -> Iterator[Candidate]:
    """Claims of a kind that differ, of sentences that are near or share what they are told of."""
    keys = [_told_of(claim) for _, claim in claims]
    of_sentence: dict[int, list[int]] = defaultdict(list)
    for place, (i, _) in enumerate(claims):
        of_sentence[i].append(place)
    beside = [(a, b) for i, j in sorted(near) for a in of_sentence[i] for b in of_sentence[j]]
    for a, b in dict.fromkeys([*_linked(keys), *beside]):
        (i, first), (j, second) = claims[a], claims[b]
        is_near = (min(i, j), max(i, j)) in near
        distance = first.differs(second) if i != j else 0.0
        if not distance or not comparable(first, second, is_near):
            continue
        if _tells(readings[j], first) or _tells(readings[i], second):
            continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
        if _sums(first, readings[j]) or _sums(second, readings[i]):
            continue
        aligned = _weight(keys[a] & keys[b])
        if aligned >= _MIN_ALIGNED or is_near:
            how = "value" if aligned >= _MIN_ALIGNED else "near"
            yield _candidate(kind, i, j, (first, second), aligned, distance, how)


def _sums(claim: Claim, other: Reading) -> bool:
    """Whether an amount is the sum of amounts of another sentence: "three people", "a woman and
    two men"."""
    if claim.kind != "number" or not isinstance(claim.value, Amount):
        return False
    parts = [
        c.value.value
        for c in other.claims
        if isinstance(c.value, Amount)
        and (c.unit in ("", claim.unit) or {c.unit, claim.unit} <= PEOPLE)
    ]
    ones = [1.0] if _ONE.search(other.text) else []
    return any(
        sum(some) == claim.value.value
        for size in (2, 3)
        for some in combinations([*parts, *ones], size)
    )


def _tells(reading: Reading, claim: Claim) -> bool:
    """Whether a sentence tells the value of a claim, of whatever."""
    return any(
        c.kind == claim.kind
        and not c.differs(claim)
        and (c.unit == claim.unit or not c.unit or not claim.unit or c.kind != "number")
        for c in reading.claims
    )


def _linked(keys: Sequence[Iterable[Hashable]]) -> Iterator[tuple[int, int]]:
    """Every two claims that share a key, once, by the inverted index."""
    postings: dict[Hashable, list[int]] = defaultdict(list)
    for place, own in enumerate(keys):
        for key in own:
            postings[key].append(place)
    seen: set[tuple[int, int]] = set()
    for places in postings.values():
        if len(places) > _MAX_POSTINGS:
            continue
        for at, a in enumerate(places):
            for b in places[at + 1 :]:
                if (a, b) not in seen:
                    seen.add((a, b))
                    yield a, b


def _negated(readings: Sequence[Reading]) -> Iterator[Candidate]:
    """Clauses of one verb and one argument, of which one is denied."""
    claims = [
        (i, clause)
        for i, reading in enumerate(readings)
        for clause in reading.clauses
        if clause.certain and (clause.object_head or clause.subject_head)
    ]
    keys = [{(c.verb, head) for head in (c.subject_head, c.object_head) if head} for _, c in claims]
    for a, b in _linked(keys):
        (i, first), (j, second) = claims[a], claims[b]
        if i == j or first.negated == second.negated:
            continue
        shared = (first.subject & second.subject) | (first.object & second.object)
        aligned = _weight(shared | {first.verb.split()[0]}) if shared else 0.0
        if aligned >= _MIN_ALIGNED:
            told = (_claim_of_clause(first), _claim_of_clause(second))
            yield _candidate("outcome", i, j, told, aligned, 1.0, "negation")


def _claim_of_clause(clause: Clause) -> Claim:
    anchor = Anchor(
        predicate=clause.verb,
        arguments=frozenset({clause.subject_head, clause.object_head} - {""}),
        words=clause.subject | clause.object,
        names=clause.named,
        negated=clause.negated,
        asserted=clause.certain,
    )
    return Claim("outcome", clause.said, clause.said, anchor)


def _opposed_states(readings: Sequence[Reading]) -> Iterator[Candidate]:
    """Opposite states (alive, dead; held, free) of one name or noun."""
    states = [(i, state) for i, reading in enumerate(readings) for state in reading.states]
    keys = [{(s.kind, key) for key in s.names or {s.head}} for _, s in states]
    for a, b in _linked(keys):
        (i, first), (j, second) = states[a], states[b]
        if i == j or first.side == second.side:
            continue
        shared = (first.names & second.names) or (first.words & second.words)
        context = (readings[i].words & readings[j].words) - shared
        aligned = _weight(shared) + _weight(context) / 2
        if aligned >= _MIN_ALIGNED:
            told = [
                Claim("outcome", s.said, s.said, Anchor(s.kind, words=s.words, names=s.names))
                for s in (first, second)
            ]
            yield _candidate("outcome", i, j, (told[0], told[1]), aligned, 1.0, "state")


def _opposite_directions(readings: Sequence[Reading]) -> Iterator[Candidate]:
    """Opposite directions of one landmark: "south of Hestholm" and "north of Hestholm"."""
    told = [
        (i, match)
        for i, reading in enumerate(readings)
        for match in _DIRECTION.finditer(reading.text)
        if not _PROPER_NAME.fullmatch(match[0])
    ]
    for a, b in _linked([{match[2].lower()} for _, match in told]):
        (i, first), (j, second) = told[a], told[b]
        if i == j or _OPPOSITE[first[1].lower()] != second[1].lower():
            continue
        shared = {first[2].lower()} | (readings[i].words & readings[j].words)
        claims = [
            Claim("place", m[0], m[0], Anchor("", words=r.words, names=r.names, local=r.words))
            for m, r in ((first, readings[i]), (second, readings[j]))
        ]
        yield _candidate("place", i, j, (claims[0], claims[1]), _weight(shared), 2.0, "direction")


def _opposed_words(
    readings: Sequence[Reading], vectors: Floats, near: AbstractSet[tuple[int, int]]
) -> Iterator[Candidate]:
    """Near sentences on opposite sides of a matter, or of which one denies a word of the other;
    very near ones whatever their words: what they say of it has to be read."""
    stems = [stems_of(reading.words) for reading in readings]
    for i, j in sorted(near):
        first, second = readings[i], readings[j]
        opposed = {
            matter
            for matter, side in first.sides
            if (matter, -side) in second.sides
            and (matter, -side) not in first.sides
            and (matter, side) not in second.sides
        }
        denied = (first.denied & stems[j]) != (second.denied & stems[i])
        if not opposed and not denied and vectors[i] @ vectors[j] < _MIN_READ:
            continue
        told = [
            Claim(
                "outcome", r.text, r.text, Anchor("", r.event_classes, words=r.words, names=r.names)
            )
            for r in (first, second)
        ]
        aligned = _weight(first.words & second.words) / 2  # whole sentences share more than clauses
        how = "fate" if opposed & _MATTERS_OF_PEOPLE else "matter" if opposed else "denial"
        how = how if opposed or denied else "read"
        yield _candidate("outcome", i, j, (told[0], told[1]), aligned, float(len(opposed)), how)


def _candidate(
    kind: str, i: int, j: int, told: tuple[Claim, Claim], aligned: float, distance: float, how: str
) -> Candidate:
    if i > j:
        i, j, told = j, i, (told[1], told[0])
    return Candidate(kind, i, j, told, round(aligned, 4), distance, how)
