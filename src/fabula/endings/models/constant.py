"""Constant: every option is as good as any other. The floor: exactly one in k."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.endings.items import Ending, Scores

__all__ = ["Constant"]


class Constant:
    """Ties everywhere; the evaluator counts each tie as its share."""

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        return [(0.0,) * len(item.options) for item in items]
