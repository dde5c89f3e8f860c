"""Contradictions: readings of a pile's sentences in, pairs that cannot both be true out.

Two methods. Slot comparison: two sentences fill one slot (amount of a unit, time, place or polarity
of a verb with its arguments, state of a person, direction from a landmark) with different values;
the pair is weighted by the summed IDF of the words they share. Candidate classification
(``contradiction_candidates``): sentences with near vectors, scored by logistic regressions over
their values and a pair classifier.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from fabula.assembly.conflicts.contradiction_candidates import (
    candidates,
    probability,
    thresholds,
)
from fabula.assembly.conflicts.relation import relation_of, speaker_of
from fabula.assembly.facts.reading import Clause, Reading
from fabula.errors import MissingPart
from fabula.text.idf import IdfOverlap
from fabula.text.lexicon import CARDINALS, ENGLISH_WORDS, MAGNITUDES, NEGATIONS
from fabula.text.temporal.expressions import Moment, moment_of

__all__ = ["ContradictingPair", "find_contradictions"]

_NEAR_COPY = 0.8  # Jaccard overlap of the words of two sentences
_VALUES = NEGATIONS.union(CARDINALS, MAGNITUDES)
_WORD = re.compile(r"\w+")
_MIN_IDF = 1.7  # summed IDF of the shared words; a word in only these two sentences has 1
_COMMON_UNIT_PENALTY = 0.2  # for each further sentence that has an amount of the same unit
_MAX_SLOT_CLAIMS = 60  # a slot filled more often is a common word and not compared
_LIGHT_VERB_OBJECTS = frozenset(("place", "part", "care"))  # "took place"
_OPPOSITE = {"north": "south", "east": "west", "left": "right", "upper": "lower"}
_OPPOSITE |= {second: first for first, second in _OPPOSITE.items()}
_DIRECTION = re.compile(
    rf"\b({'|'.join(_OPPOSITE)})(?:ern)?\s+(?:(?:side|end|bank|part)\s+)?(?:of\s+)?(?:the\s+)?(\w+)",
    re.IGNORECASE,
)
_PROPER_NAME = re.compile(r"[A-Z]\w+\s+[A-Z]\w+")  # "South Wales" is a name


@dataclass(frozen=True, slots=True)
class ContradictingPair:
    """Two sentences (indices, ``first`` < ``second``) that cannot both be true.

    ``kind`` is number, date, time, place or outcome; ``about`` the words both share, ``values`` the
    words of each that differ.
    """

    kind: str
    first: int
    second: int
    about: str
    values: tuple[str, str]
    weight: float
    relation: str = "conflict"
    speakers: tuple[str | None, str | None] = (None, None)
    accepted: bool = False  # by the user


def find_contradictions(
    readings: Sequence[Reading],
    *,
    dates: Sequence[str | None] | None = None,
    speakers: Sequence[str | None] | None = None,
    judged: Mapping[tuple[int, int], bool] | None = None,
    encoder: Any = None,
) -> list[ContradictingPair]:
    """All contradicting pairs, by descending weight: slot comparison (``weight`` from 1.7, a sum
    of IDF), then candidate classification (``weight`` is a probability).

    Slot comparison gives one contradiction of each kind for a pair of sentences; classification one
    for a pair without any. ``encoder`` defaults to MiniLM; without its weights there is slot
    comparison only. Questions, text that is not English, and copies of a sentence take no part.
    ``dates`` (of the documents, ISO) and ``speakers`` are given sentence by sentence, where known;
    ``judged`` are pairs that the user accepted or dismissed: the latter are not given.
    """
    overlap = IdfOverlap([reading.words for reading in readings])
    by_slot: dict[tuple[str, int, int], ContradictingPair] = {}
    for finder in (_amounts, _clauses, _states, _directions):
        for pair in finder(readings, overlap):
            key = (pair.kind, pair.first, pair.second)
            if key not in by_slot or pair.weight > by_slot[key].weight:
                by_slot[key] = pair
    slot_pairs = {(pair.first, pair.second) for pair in by_slot.values()}
    by_classifier: dict[tuple[int, int], ContradictingPair] = {}
    for pair in _classified(readings, encoder):
        if (pair.first, pair.second) not in slot_pairs:
            by_classifier.setdefault((pair.first, pair.second), pair)
    words = [_WORD.findall(reading.text.lower()) for reading in readings]
    claims = [_is_claim(reading.text, own) for reading, own in zip(readings, words, strict=True)]
    verdicts = judged or {}
    contradictions = [
        _related(pair, readings, dates, speakers, verdicts)
        for pair in [*by_slot.values(), *by_classifier.values()]
        if claims[pair.first] and claims[pair.second]
        and not _is_copy(words[pair.first], words[pair.second])
        and verdicts.get((pair.first, pair.second), True)
    ]  # fmt: skip
    return sorted(contradictions, key=lambda c: (-c.weight, c.first, c.second, c.kind))


def _is_claim(text: str, own: Sequence[str]) -> bool:
    """Whether a sentence claims something in English: it is no question."""
    if text.rstrip("\"'”’) ").endswith("?"):
        return False
    return len(own) < 6 or bool(ENGLISH_WORDS.intersection(own))


def _is_copy(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two sentences have four fifths of their words in common, and all values."""
    if first == second:
        return True
    one, other = Counter(first), Counter(second)
    if (one & other).total() < _NEAR_COPY * (one | other).total():
        return False
    differing = (one - other) + (other - one)
    return not any(word.isdigit() or word in _VALUES or len(word) > 4 for word in differing)


def _related(
    pair: ContradictingPair,
    readings: Sequence[Reading],
    dates: Sequence[str | None] | None,
    speakers: Sequence[str | None] | None,
    verdicts: Mapping[tuple[int, int], bool],
) -> ContradictingPair:
    """The pair with its relation and speakers, and whether the user accepted it."""
    i, j = pair.first, pair.second
    texts = (readings[i].text, readings[j].text)
    told = (speaker_of(texts[0]), speaker_of(texts[1]))
    said = told if speakers is None else (speakers[i] or told[0], speakers[j] or told[1])
    known = (None, None) if dates is None else (dates[i], dates[j])
    relation = relation_of(pair.kind, texts, pair.values, known, said)
    accepted = verdicts.get((i, j), False)
    return replace(pair, relation=relation, speakers=said, accepted=accepted)


def _classified(readings: Sequence[Reading], encoder: Any) -> Iterator[ContradictingPair]:
    """Candidates above their threshold by descending probability, greedily matched: a sentence
    takes part in at most one of each kind."""
    from fabula.text.encoders.sentence import minilm

    with suppress(MissingPart):
        scored = [
            (probability(c), c)
            for c in candidates(readings, minilm() if encoder is None else encoder)
        ]
        reported = [(p, c) for p, c in scored if p >= thresholds()[c.regression]]
        matched: set[tuple[str, int]] = set()
        for p, c in sorted(reported, key=lambda pair: (-pair[0], pair[1].first, pair[1].second)):
            ends = {(c.kind, c.first), (c.kind, c.second)}
            if ends & matched:
                continue
            matched |= ends
            first, second = readings[c.first], readings[c.second]
            about = first.words & second.words or first.happenings & second.happenings
            yield _pair(c.kind, c.first, c.second, about, c.values, p)


def _pairs(claims: dict[Hashable, list[tuple[int, Any]]]) -> Iterator[tuple[int, Any, int, Any]]:
    """Every two claims of one slot that are of different sentences."""
    for group in claims.values():
        if len(group) > _MAX_SLOT_CLAIMS:
            continue
        for start, (i, claim_i) in enumerate(group, 1):
            for j, claim_j in group[start:]:
                if i != j:
                    yield i, claim_i, j, claim_j


def _amounts(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    """Amounts of one unit that differ; shared context words of the unit are required."""
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for amount in reading.amounts:
            claims[amount.unit].append((index, amount))
    for i, first, j, second in _pairs(claims):
        if not first.differs(second) or (
            first.kinds and second.kinds and not first.kinds & second.kinds
        ):
            continue
        reading_i, reading_j = readings[i], readings[j]
        if any(a.unit == first.unit and a.value == second.value for a in reading_i.amounts):
            continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
        if any(a.unit == first.unit and a.value == first.value for a in reading_j.amounts):
            continue
        if _different_subjects(reading_i, reading_j):
            continue
        shared = (first.beside & second.beside) - {first.unit}
        weight = overlap.weight(shared) + overlap.weight(frozenset((first.unit,)))
        # A unit with amounts in many sentences counts many different things.
        weight -= _COMMON_UNIT_PENALTY * (len({index for index, _ in claims[first.unit]}) - 2)
        if shared and weight >= _MIN_IDF:
            yield _pair("number", i, j, {*shared, first.unit}, (first.said, second.said), weight)


def _different_subjects(first: Reading, second: Reading) -> bool:
    """Whether both have named subjects and none in common: the losses of either army."""
    first_names = frozenset(name for clause in first.clauses for name in clause.named)
    second_names = frozenset(name for clause in second.clauses for name in clause.named)
    return bool(
        first_names
        and second_names
        and not first_names & second.names
        and not second_names & first.names
    )


def _clauses(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    """Clauses with one verb and shared arguments that differ in polarity, time or place."""
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for clause in reading.clauses:
            if clause.certain and (clause.object_head or clause.subject_head):
                claims[clause.verb, clause.object_head or clause.subject_head].append(
                    (index, clause)
                )
    for i, first, j, second in _pairs(claims):
        shared = _shared_arguments(first, second)
        weight = overlap.weight(shared | {first.verb.split()[0]}) if shared else 0.0
        if weight < _MIN_IDF:
            continue
        about = {*shared, first.verb}
        if first.negated != second.negated:
            yield _pair("outcome", i, j, about, (first.said, second.said), weight)
            continue
        if kind := _differing_time(first.moment, second.moment):
            yield _pair(kind, i, j, about, (_time_words(first), _time_words(second)), weight)
        for place, other in _differing_places(first, second):
            yield _pair("place", i, j, about, (place, other), weight)


def _shared_arguments(first: Clause, second: Clause) -> frozenset[str]:
    """Shared words of subjects and objects; empty where the clauses are of different events."""
    if bool(first.object_head) != bool(second.object_head):
        return frozenset()
    if first.subject and second.subject and not first.subject & second.subject:
        return frozenset()
    if first.ways and second.ways and not first.ways & second.ways:
        return frozenset()  # sailed from one place, sailed into another
    return (first.subject & second.subject) | (first.object & second.object) - _LIGHT_VERB_OBJECTS


def _differing_time(first: Moment, second: Moment) -> str:
    """The kind, "date" or "time", in which two moments differ; "" where they may be equal."""
    dates = [(m.year, m.month, m.day) for m in (first, second)]
    fields = [(a, b) for a, b in zip(*dates, strict=True) if a is not None and b is not None]
    if any(a != b for a, b in fields):
        return "date"
    if first.clock is None or second.clock is None:
        return ""
    # Modulo a day, so that midnight as 0.00 equals 24.00.
    period = 720 if first.half is None or second.half is None else 1440
    return "time" if (first.clock - second.clock) % period else ""


def _time_words(clause: Clause) -> str:
    """The shortest span of the clause that is read as its moment."""
    words = clause.said.split()
    for size in range(1, len(words)):
        for start in range(len(words) - size + 1):
            span = " ".join(words[start : start + size]).strip(" ,;.")
            if _without_half(moment_of(span)) == _without_half(clause.moment):
                return span
    return clause.said


def _without_half(moment: Moment) -> Moment:
    clock = None if moment.clock is None else moment.clock % 720
    return replace(moment, clock=clock, half=None)


def _differing_places(first: Clause, second: Clause) -> Iterator[tuple[str, str]]:
    """At most one pair of places of two clauses whose places share no word."""
    words = {word for place in first.places for word in place.words}
    if any(words & other.words for other in second.places):
        return
    for place in first.places:
        for other in second.places:
            # "In Reno" and "near the dam" may both be true: one place may lie in the other.
            if (place.preposition == "in") == (other.preposition == "in"):
                yield place.said, other.said
                return


def _states(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    """Opposite states (alive, dead; held, free) of one name or noun."""
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for state in reading.states:
            for key in state.names or {state.head}:
                claims[state.kind, key].append((index, state))
    for i, first, j, second in _pairs(claims):
        if first.side == second.side:
            continue
        names = first.names & second.names
        about = names or first.words & second.words
        context = (readings[i].words & readings[j].words) - first.words
        weight = overlap.weight(about) + (1.0 if names else overlap.weight(context) / 2)
        if weight >= _MIN_IDF:
            yield _pair("outcome", i, j, about, (first.said, second.said), weight)


def _directions(readings: Sequence[Reading], overlap: IdfOverlap) -> Iterator[ContradictingPair]:
    """Opposite directions of one landmark: "south of Hestholm" and "north of Hestholm"."""
    claims: dict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
    for index, reading in enumerate(readings):
        for match in _DIRECTION.finditer(reading.text):
            if not _PROPER_NAME.fullmatch(match[0]):
                claims[match[2].lower()].append((index, match))
    for i, first, j, second in _pairs(claims):
        if _OPPOSITE.get(first[1].lower()) != second[1].lower():
            continue
        shared = {first[2].lower()} | (readings[i].words & readings[j].words)
        weight = overlap.weight(shared)
        if weight >= _MIN_IDF:
            yield _pair("place", i, j, shared, (first[0], second[0]), weight)


def _pair(
    kind: str, i: int, j: int, about: AbstractSet[str], values: tuple[str, str], weight: float
) -> ContradictingPair:
    if i > j:
        i, j, values = j, i, (values[1], values[0])
    return ContradictingPair(kind, i, j, " ".join(sorted(about)), values, round(weight, 3))
