"""Multi-argument events and their rewriting in pairs (Pichotta and Mooney 2014).

An event is a verb with three slots: subject, object, and one preposition. For a pair of events the
entities are rewritten relative to the earlier one: ``-`` is an empty slot, ``O`` some entity that
the two do not share, ``1``, ``2`` or ``3`` the entity that fills that slot of the earlier event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from fabula.events.items import Chain, Event

__all__ = [
    "OTHER",
    "MultiEvent",
    "candidates",
    "multi_event",
    "multi_events",
    "number_of_fillings",
    "rewrite",
]

OTHER = "*"  # an entity that no known event mentions
_SUBJECTS = {"subj", "nsubj", "agent", "xsubj"}
_OBJECTS = {"obj", "dobj", "nsubjpass"}
RewrittenEvent = tuple[str, str, str, str]  # the verb and its three slots


@dataclass(frozen=True, slots=True)
class MultiEvent:
    """A verb and the entities in its slots (subject, object, preposition); None is empty."""

    verb: str
    slots: tuple[str | None, str | None, str | None]


def multi_event(event: Event, entity: str) -> MultiEvent:
    """An event with all its arguments; without ``args`` only its own slot, by ``entity``."""
    subject = object_ = other = None
    for slot, who in sorted((event.args or {event.slot: entity}).items()):
        if slot in _SUBJECTS:
            subject = subject or who
        elif slot in _OBJECTS:
            object_ = object_ or who
        elif other is None or slot == event.slot:  # one preposition: the chain's own if it is one
            other = who
    return MultiEvent(event.verb, (subject, object_, other))


def multi_events(chain: Chain) -> list[MultiEvent]:
    """The multi-argument events of a chain."""
    return [multi_event(event, chain.entity) for event in chain.events]


def rewrite(earlier: MultiEvent, later: MultiEvent) -> tuple[RewrittenEvent, RewrittenEvent]:
    """Both events of a pair, entities written as slots of the earlier event.

    >>> arrest = MultiEvent("arrest", ("police", "Jon", None))
    >>> rewrite(arrest, MultiEvent("flee", ("Jon", None, "town")))
    (('arrest', 'O', '2', '-'), ('flee', '2', '-', 'O'))
    """
    place: dict[str | None, str] = {
        who: str(i) for i, who in enumerate(earlier.slots, 1) if who not in (None, OTHER)
    }
    shared = {who: sign for who, sign in place.items() if who in later.slots}
    one, two, three = (_sign(who, shared) for who in earlier.slots)
    four, five, six = (_sign(who, shared) for who in later.slots)
    return (earlier.verb, one, two, three), (later.verb, four, five, six)


def _sign(who: str | None, place: Mapping[str | None, str]) -> str:
    return "-" if who is None else place.get(who, "O")


def _once(slots: tuple[str | None, ...]) -> bool:
    """Whether every known entity is in one slot at most."""
    filled = [who for who in slots if who not in (None, OTHER)]
    return len(set(filled)) == len(filled)


def candidates(verbs: Iterable[str], entities: Sequence[str]) -> Iterator[MultiEvent]:
    """Every verb with every filling of its slots, an entity in one slot at most: brute force."""
    fillings = [
        (one, two, three)
        for one, two, three in product((None, OTHER, *entities), repeat=3)
        if _once((one, two, three)) and (one or two or three)
    ]
    for verb in verbs:
        for slots in fillings:
            yield MultiEvent(verb, slots)


def number_of_fillings(entities: int) -> int:
    """How many fillings ``candidates`` gives each verb.

    >>> number_of_fillings(2) == sum(1 for _ in candidates(["go"], ["a", "b"]))
    True
    """
    n = entities
    known = (1, 3 * n, 3 * n * (n - 1), n * (n - 1) * (n - 2))  # 0 to 3 slots hold a known entity
    return sum(ways << (3 - slots) for slots, ways in enumerate(known)) - 1
