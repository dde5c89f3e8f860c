"""Where accounts disagree: amounts, dates, times, places and outcomes of one event or actor.

There are two ways to a contradiction. By grammar: both sentences claim something of the same frame
(the same counted thing, the same deed of the same doer, the fate of the same one), and how surely
it is the same is the summed IDF of the words both share. By likeness (``likeness``): the
sentences seem to tell the same in other words, and their values clash, or reading them side by side
says that they cannot both be true.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from fabula.assembly.conflicts.contradiction_candidates import (
    candidates,
    probability,
    thresholds,
)
from fabula.assembly.facts.reading import Clause, Reading
from fabula.errors import MissingPart
from fabula.text.idf import IdfOverlap
from fabula.text.temporal.expressions import Moment, moment_of

__all__ = ["ContradictingPair", "find_contradictions"]

_ENOUGH = 1.7  # summed IDF of what is shared; 1 is a word that only these two sentences have
_MANY = 0.2  # what each further sentence that counts the same thing takes off
_MOST = 60  # claims of one key compared with each other: a word said everywhere tells nothing
_LIGHT = frozenset(("place", "part", "care"))  # objects that tell nothing: it "took place"
_OPPOSITE = {"north": "south", "east": "west", "left": "right", "upper": "lower"}
_OPPOSITE |= {two: one for one, two in _OPPOSITE.items()}
_DIRECTION = re.compile(
    rf"\b({'|'.join(_OPPOSITE)})(?:ern)?\s+(?:(?:side|end|bank|part)\s+)?(?:of\s+)?(?:the\s+)?(\w+)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[A-Z]\w+\s+[A-Z]\w+")  # "South Wales" is a name


@dataclass(frozen=True, slots=True)
class ContradictingPair:
    """Two sentences (indices) that cannot both be right. ``kind``: number, date, time, place,
    outcome. ``about`` is what they share, ``values`` what each says of it."""

    kind: str
    first: int
    second: int
    about: str
    values: tuple[str, str]
    weight: float


def find_contradictions(
    readings: Sequence[Reading], *, encoder: Any = None
) -> list[ContradictingPair]:
    """All clashes, the surest first: those by grammar (``weight`` from 1.7), then those by
    likeness (``weight`` is the chance that it is one).

    Of one pair of sentences there is one of each kind by grammar, and one by likeness only where
    grammar found none. ``encoder`` is MiniLM where none is given; without its weights there is
    grammar only.
    """
    overlap = IdfOverlap([reading.words for reading in readings])
    found: dict[tuple[str, int, int], ContradictingPair] = {}
    for finder in (_amounts, _clauses, _fates, _directions):
        for clash in finder(readings, overlap):
            key = (clash.kind, clash.first, clash.second)
            if key not in found or clash.weight > found[key].weight:
                found[key] = clash
    known = {(clash.first, clash.second) for clash in found.values()}
    likely: dict[tuple[int, int], ContradictingPair] = {}
    for clash in _likely(readings, encoder):
        if (clash.first, clash.second) not in known:
            likely.setdefault((clash.first, clash.second), clash)
    clashes = [*found.values(), *likely.values()]
    return sorted(clashes, key=lambda c: (-c.weight, c.first, c.second, c.kind))


def _likely(readings: Sequence[Reading], encoder: Any) -> Iterator[ContradictingPair]:
    """The likely clashes, the likeliest first; a sentence has one of each kind, its likeliest."""
    from fabula.text.encoders.sentence import minilm

    with suppress(MissingPart):
        found = candidates(readings, minilm() if encoder is None else encoder)
        likely = [(probability(c), c) for c in found]
        likely = [(p, c) for p, c in likely if p >= thresholds()[c.regression]]
        taken: set[tuple[str, int]] = set()
        for p, c in sorted(likely, key=lambda pair: (-pair[0], pair[1].first, pair[1].second)):
            ends = {(c.kind, c.first), (c.kind, c.second)}
            if ends & taken:
                continue
            taken |= ends
            one, two = readings[c.first], readings[c.second]
            about = one.words & two.words or one.happenings & two.happenings
            yield _clash(c.kind, c.first, c.second, about, c.values, p)


def _pairs(claims: dict[Hashable, list[tuple[int, Any]]]) -> Iterator[tuple[int, Any, int, Any]]:
    """Every two claims of one key that are of different sentences."""
    for group in claims.values():
        if len(group) > _MOST:
            continue
        for at, (i, one) in enumerate(group):
            for j, two in group[at + 1 :]:
                if i != j:
                    yield i, one, j, two


def _amounts(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for amount in reading.amounts:
            claims[amount.unit].append((index, amount))
    for i, one, j, two in _pairs(claims):
        if not one.differs(two) or (one.kinds and two.kinds and not one.kinds & two.kinds):
            continue
        first, second = readings[i], readings[j]
        if any(a.unit == one.unit and a.value == two.value for a in first.amounts):
            continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
        if any(a.unit == one.unit and a.value == one.value for a in second.amounts):
            continue
        if _other_doers(first, second):
            continue
        shared = (one.beside & two.beside) - {one.unit}
        weight = overlap.weight(shared) + overlap.weight(frozenset((one.unit,)))
        # What is counted in many sentences is counted of many things.
        weight -= _MANY * (len({index for index, _ in claims[one.unit]}) - 2)
        if shared and weight >= _ENOUGH:
            yield _clash("number", i, j, {*shared, one.unit}, (one.said, two.said), weight)


def _other_doers(first: Reading, second: Reading) -> bool:
    """Whether both name who did it, and name others: the losses of one side and of the other."""
    one = frozenset(name for clause in first.clauses for name in clause.named)
    two = frozenset(name for clause in second.clauses for name in clause.named)
    return bool(one and two and not one & second.names and not two & first.names)


def _clauses(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for clause in reading.clauses:
            if clause.certain and (clause.object_head or clause.subject_head):
                claims[clause.verb, clause.object_head or clause.subject_head].append(
                    (index, clause)
                )
    for i, one, j, two in _pairs(claims):
        shared = _same_deed(one, two)
        weight = overlap.weight(shared | {one.verb.split()[0]}) if shared else 0.0
        if weight < _ENOUGH:
            continue
        about = {*shared, one.verb}
        if one.negated != two.negated:
            yield _clash("outcome", i, j, about, (one.said, two.said), weight)
            continue
        if kind := _other_time(one.moment, two.moment):
            yield _clash(kind, i, j, about, (_as_told(one), _as_told(two)), weight)
        for place, other in _other_places(one, two):
            yield _clash("place", i, j, about, (place, other), weight)


def _same_deed(one: Clause, two: Clause) -> frozenset[str]:
    """The words of doer and object two clauses share; none when they cannot be the same deed."""
    if bool(one.object_head) != bool(two.object_head):
        return frozenset()
    if one.subject and two.subject and not one.subject & two.subject:
        return frozenset()
    if one.ways and two.ways and not one.ways & two.ways:
        return frozenset()  # sailed from one place, sailed into another
    return (one.subject & two.subject) | (one.object & two.object) - _LIGHT


def _other_time(one: Moment, two: Moment) -> str:
    """``date`` or ``time`` where the two cannot be the same moment, else nothing."""
    dates = [(m.year, m.month, m.day) for m in (one, two)]
    both = [(a, b) for a, b in zip(*dates, strict=True) if a is not None and b is not None]
    if any(a != b for a, b in both):
        return "date"
    if one.clock is None or two.clock is None:
        return ""
    turn = 720 if one.half is None or two.half is None else 1440  # midnight is 0.00 and 24.00
    return "time" if (one.clock - two.clock) % turn else ""


def _as_told(clause: Clause) -> str:
    """The fewest words of the clause that tell its time."""
    words = clause.said.split()
    for size in range(1, len(words)):
        for at in range(len(words) - size + 1):
            part = " ".join(words[at : at + size]).strip(" ,;.")
            if _without_half(moment_of(part)) == _without_half(clause.moment):
                return part
    return clause.said


def _without_half(moment: Moment) -> Moment:
    clock = None if moment.clock is None else moment.clock % 720
    return replace(moment, clock=clock, half=None)


def _other_places(one: Clause, two: Clause) -> Iterator[tuple[str, str]]:
    """The places of one deed, if they have no word in common: one pair at most."""
    words = {word for place in one.places for word in place.words}
    if any(words & other.words for other in two.places):
        return
    for place in one.places:
        for other in two.places:
            # "In Reno" and "near the dam" may both be true: one place may lie in the other.
            if (place.preposition == "in") == (other.preposition == "in"):
                yield place.said, other.said
                return


def _fates(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for state in reading.states:
            for key in state.names or {state.head}:
                claims[state.kind, key].append((index, state))
    for i, one, j, two in _pairs(claims):
        if one.side == two.side:
            continue
        names = one.names & two.names
        about = names or one.words & two.words
        beside = (readings[i].words & readings[j].words) - one.words
        weight = overlap.weight(about) + (1.0 if names else overlap.weight(beside) / 2)
        if weight >= _ENOUGH:
            yield _clash("outcome", i, j, about, (one.said, two.said), weight)


def _directions(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    """ "South of Hestholm" and "north of Hestholm", "the eastern gate" and "the western gate"."""
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for found in _DIRECTION.finditer(reading.text):
            if not _NAMED.fullmatch(found[0]):
                claims[found[2].lower()].append((index, found))
    for i, one, j, two in _pairs(claims):
        if _OPPOSITE.get(one[1].lower()) != two[1].lower():
            continue
        shared = {one[2].lower()} | (readings[i].words & readings[j].words)
        weight = overlap.weight(shared)
        if weight >= _ENOUGH:
            yield _clash("place", i, j, shared, (one[0], two[0]), weight)


def _clash(
    kind: str, i: int, j: int, about: AbstractSet[str], values: tuple[str, str], weight: float
) -> ContradictingPair:
    if i > j:
        i, j, values = j, i, (values[1], values[0])
    return ContradictingPair(kind, i, j, " ".join(sorted(about)), values, round(weight, 3))
