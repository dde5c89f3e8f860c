"""Constant: every option is as good as any other. The floor: exactly one in k."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.endings.items import Ending, Scores

__all__ = ["Constant"]


class Constant:
    """Ties everywhere; the evaluator counts each tie as its share.

    The papers' constant chooses the first option. Here options are shuffled before a model sees
    them, so that the first is any of them, and a tie is the same without the noise.
    """

    without_context = "empty"

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        return [(0.0,) * len(item.options) for item in items]
