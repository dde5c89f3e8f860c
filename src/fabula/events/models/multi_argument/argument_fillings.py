"""Every filling of three slots at once, and how each is told beside a known event.

A filling is a number: slot by slot 0 is nobody, 1 some Other, 2 and on the entities of the chain.
How an event is told, of which ``multi.rewrite`` is the plain form, is a number below 125: slot by
slot 0 is nobody, 1 is Other, 2 to 4 "in slot 1 to 3 of the earlier event".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fabula.events.models.multi_argument.rewriting import OTHER, Frame, Rewritten

__all__ = ["CODES", "Fillings", "code_of", "told_by"]

Ints = NDArray[np.int64]
_SIGNS = "-O123"
CODES = len(_SIGNS) ** 3
_WEIGHTS = np.array([25, 5, 1])


def code_of(told: Rewritten) -> int:
    """The number of the slots of a rewritten event.

    >>> code_of(("go", "1", "-", "O")), told_by("go", 51)
    (51, ('go', '1', '-', 'O'))
    """
    one, two, three = (_SIGNS.index(sign) for sign in told[1:])
    return one * 25 + two * 5 + three


def told_by(verb: str, code: int) -> Rewritten:
    """The event that a code of three slots in base five stands for."""
    return verb, _SIGNS[code // 25], _SIGNS[code // 5 % 5], _SIGNS[code % 5]


@dataclass(frozen=True)
class Fillings:
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
        """Fillings with somebody in them, and nobody known in two slots."""
        one, two, three = self.slots.T
        twice = ((one == two) & (one > 1)) | ((one == three) & (one > 1))
        twice |= (two == three) & (two > 1)
        return np.asarray((self.slots > 0).any(1) & ~twice)

    def number(self, frame: Frame) -> int:
        """The number of a frame's filling; whoever is not of the chain is some Other."""
        one, two, three = (self.numbers.get(who, 1) for who in frame.slots)
        side = len(self.entities) + 2
        return (one * side + two) * side + three

    def frame(self, verb: str, number: int) -> Frame:
        names = [None, OTHER, *self.entities]
        one, two, three = (names[place] for place in self.slots[number].tolist())
        return Frame(verb, (one, two, three))

    def plain(self, own: str) -> Ints:
        """The number of each filling with everybody but ``own`` told as some Other."""
        side, mine = len(self.entities) + 2, self.numbers.get(own, 1)
        slots = np.where((self.slots > 1) & (self.slots != mine), 1, self.slots)
        return np.asarray(slots @ np.array([side * side, side, 1]))

    def beside(self, known: Frame, *, later: bool) -> tuple[Ints, Ints]:
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
