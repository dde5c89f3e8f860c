"""How often the right ending is chosen."""

from __future__ import annotations

from fabula.endings.items import Ending, Scores
from fabula.errors import UsageError
from fabula.task import Score

__all__ = ["METRICS", "accuracy"]


def accuracy(item: Ending, scores: Scores) -> Score:
    """Right when the gold option has the largest score; a tie counts its share.

    >>> accuracy(Ending("a", (), ("x", "y"), gold=0), (0.5, 0.5)).total
    0.5
    """
    if item.gold is None:
        raise UsageError(f"item {item.id!r} has no gold answer; it cannot be scored")
    best = max(scores)
    winners = [i for i, score in enumerate(scores) if score == best]
    return Score(1 / len(winners) if item.gold in winners else 0.0)


METRICS = {"accuracy": accuracy}
