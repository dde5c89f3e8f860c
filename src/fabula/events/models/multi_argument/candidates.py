"""Candidate multi-argument events: every filling of three slots at once, and their scores.

A filling is a number in base (entities + 2): slot by slot 0 is empty, 1 an entity the chain does
not mention (Other), 2 and on the entities of the chain. A rewritten event (``rewriting.rewrite``)
has a slot code below 125, in base five: 0 is empty, 1 is Other, 2 to 4 "the entity in slot 1 to 3
of the earlier event".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fabula.events.models.multi_argument.rewriting import OTHER, MultiEvent, RewrittenEvent

__all__ = ["SLOT_CODES", "ArgumentFillings", "Candidates", "encode_slots"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SIGNS = "-O123"
SLOT_CODES = len(_SIGNS) ** 3
_WEIGHTS = np.array([25, 5, 1])


def encode_slots(told: RewrittenEvent) -> int:
    """The number of the slots of a rewritten event.

    >>> encode_slots(("go", "1", "-", "O"))
    51
    """
    one, two, three = (_SIGNS.index(sign) for sign in told[1:])
    return one * 25 + two * 5 + three


@dataclass(frozen=True)
class ArgumentFillings:
    """All fillings over the entities of one chain; an entity stands in one slot at most."""

    entities: Sequence[str]

    @property
    def size(self) -> int:
        return (len(self.entities) + 2) ** 3

    @cached_property
    def numbers(self) -> dict[str | None, int]:
        return {None: 0, OTHER: 1, **{who: i for i, who in enumerate(self.entities, 2)}}

    @cached_property
    def slots(self) -> Ints:
        """(fillings, 3): who is in each slot."""
        side = len(self.entities) + 2
        return np.stack(np.unravel_index(np.arange(side**3), (side,) * 3), axis=1)

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which fillings have an entity in a slot and no known entity in two."""
        one, two, three = self.slots.T
        twice = ((one == two) & (one > 1)) | ((one == three) & (one > 1))
        twice |= (two == three) & (two > 1)
        return np.asarray((self.slots > 0).any(1) & ~twice)

    def number(self, frame: MultiEvent) -> int:
        """The number of a frame's filling; whoever is not of the chain is some Other."""
        one, two, three = (self.numbers.get(who, 1) for who in frame.slots)
        side = len(self.entities) + 2
        return (one * side + two) * side + three

    def frame(self, verb: str, number: int) -> MultiEvent:
        names = [None, OTHER, *self.entities]
        one, two, three = (names[place] for place in self.slots[number].tolist())
        return MultiEvent(verb, (one, two, three))

    def plain(self, own: str) -> Ints:
        """The number of each filling with everybody but ``own`` told as some Other."""
        side, mine = len(self.entities) + 2, self.numbers.get(own, 1)
        slots = np.where((self.slots > 1) & (self.slots != mine), 1, self.slots)
        return np.asarray(slots @ np.array([side * side, side, 1]))

    def pair_codes(self, known: MultiEvent, *, later: bool) -> tuple[Ints, Ints]:
        """How ``known`` is told beside each filling, and the filling beside ``known``.

        ``later``: the filling is that of the later event, so that numbers are slots of ``known``.
        """
        mine = np.array([self.numbers.get(who, 1) for who in known.slots])
        theirs = self.slots
        same = (theirs[:, :, None] == mine) & (mine > 1)  # (fillings, their slot, my slot)
        if later:  # of two slots with one entity the last gives its number
            place = {who: 2 + i for i, who in enumerate(mine.tolist())}
            numbers = np.array([place[who] for who in mine.tolist()])
            own = np.where(same.any(1), numbers, 1)
            other = np.where(same.any(2), 2 + _last(same), 1)
        else:
            own = np.where(same.any(1), 2 + same.argmax(1), 1)
            other = np.where(same.any(2), 2 + np.arange(3), 1)
        own, other = np.where(mine > 0, own, 0), np.where(theirs > 0, other, 0)
        return own @ _WEIGHTS, other @ _WEIGHTS


def _last(same: NDArray[np.bool_]) -> Ints:
    """The last of my slots that is the same."""
    return np.asarray(2 - same[:, :, ::-1].argmax(2))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Whole events with their scores: a key is the verb's number times the fillings, plus one."""

    keys: Ints  # sorted
    scores: Floats
    fillings: ArgumentFillings
    verbs: Sequence[str]
    ids: Mapping[str, int]

    def score_of(self, frame: MultiEvent) -> float | None:
        """The score of a whole event; None for one that is no candidate."""
        verb = self.ids.get(frame.verb)
        if verb is None:
            return None
        key = verb * self.fillings.size + self.fillings.number(frame)
        place = int(np.searchsorted(self.keys, key))
        if place == len(self.keys) or self.keys[place] != key:
            return None
        return float(self.scores[place])

    def best(self, top: int) -> list[tuple[MultiEvent, float]]:
        """The first so many, best first."""
        scores = self.scores
        chosen = np.arange(len(scores))
        if len(scores) > top:
            edge = np.partition(-scores, top - 1)[top - 1]
            chosen = np.flatnonzero(-scores <= edge)
        found = chosen[np.argsort(-scores[chosen], kind="stable")][:top]
        return [(self._frame(int(self.keys[i])), float(scores[i])) for i in found]

    def _frame(self, key: int) -> MultiEvent:
        verb, number = divmod(key, self.fillings.size)
        return self.fillings.frame(self.verbs[verb], number)
