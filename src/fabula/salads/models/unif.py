"""UNIF (section 4): everything in one story. CA is then the share of the largest story."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.salads.items import Grouping, Salad

__all__ = ["Unif"]


class Unif:
    """The floor: no sentence is told apart from any other."""

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return [self._group(salad) for salad in salads]

    def _group(self, salad: Salad) -> Grouping:
        n = len(salad.sentences)
        return Grouping((0,) * n, (1 / (salad.stories or 1),) * n)
