"""Whole events as candidates of a test, with their scores: which are best, how one is rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.events.models.multi_argument.argument_fillings import Fillings, Ints
from fabula.events.models.multi_argument.rewriting import Frame

__all__ = ["Candidates"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Whole events with their scores: a key is the verb's number times the fillings, plus one."""

    keys: Ints  # sorted
    scores: Floats
    fillings: Fillings
    verbs: Sequence[str]
    ids: Mapping[str, int]

    def score_of(self, frame: Frame) -> float | None:
        """The score of a whole event; None for one that is no candidate."""
        verb = self.ids.get(frame.verb)
        if verb is None:
            return None
        key = verb * self.fillings.size + self.fillings.number(frame)
        place = int(np.searchsorted(self.keys, key))
        if place == len(self.keys) or self.keys[place] != key:
            return None
        return float(self.scores[place])

    def best(self, top: int) -> list[tuple[Frame, float]]:
        """The first so many, best first."""
        scores = self.scores
        chosen = np.arange(len(scores))
        if len(scores) > top:
            edge = np.partition(-scores, top - 1)[top - 1]
            chosen = np.flatnonzero(-scores <= edge)
        found = chosen[np.argsort(-scores[chosen], kind="stable")][:top]
        return [(self._frame(int(self.keys[i])), float(scores[i])) for i in found]

    def _frame(self, key: int) -> Frame:
        verb, number = divmod(key, self.fillings.size)
        return self.fillings.frame(self.verbs[verb], number)
