"""Accuracy with the context, and context ablation: accuracy without it.

A model may say in ``without_context`` how it is asked without the story: ``"empty"`` (it reads an
empty context), ``"others"`` (it needs one, and gets those of other items; the default) or
``"never"`` (it only has answers to the items themselves).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fabula.endings.items import Ending, Scores
from fabula.errors import UnknownName, UsageError
from fabula.task import Score

__all__ = [
    "ABLATION_METRICS",
    "DRAWS",
    "METRICS",
    "ablated",
    "accuracy",
    "context_gain",
    "no_context",
    "ties",
]

DRAWS = 5  # contexts of other items
_WAYS = ("empty", "others", "never")


def accuracy(item: Ending, scores: Scores) -> Score:
    """Right when the gold option has the largest score; a tie counts its share.

    >>> accuracy(Ending("a", (), ("x", "y"), gold=0), (0.5, 0.5)).total
    0.5
    """
    if item.gold is None:
        raise UsageError(f"item {item.id!r} has no gold answer; it cannot be scored")
    winners = _winners(scores)
    return Score(1 / len(winners) if item.gold in winners else 0.0)


def ties(item: Ending, scores: Scores) -> Score:
    """1 when several options share the largest score, else 0."""
    return Score(float(len(_winners(scores)) > 1))


def no_context(item: Ending, scores: Scores, ablated: Sequence[Scores]) -> Score:
    """Accuracy without the context, the mean over the ablated copies; count 0 if there are none."""
    if not ablated:
        return Score(0.0, 0.0)
    return Score(sum(accuracy(item, copy).total for copy in ablated) / len(ablated))


def context_gain(item: Ending, scores: Scores, ablated: Sequence[Scores]) -> Score:
    """Accuracy with the context less accuracy without it, item by item."""
    without = no_context(item, scores, ablated)
    return Score(accuracy(item, scores).total - without.total if ablated else 0.0, without.count)


def ablated(
    model: Any, items: Sequence[Ending], seed: int = 0
) -> Callable[[Ending], list[Ending]] | None:
    """A function from an item to its ablated copies: one with no context, or five with others'."""
    way = getattr(model, "without_context", "others")
    if way not in _WAYS:
        raise UnknownName("way to ask without context", str(way), _WAYS)
    if way == "never":
        return None
    if way == "empty":
        return lambda item: [replace(item, context=())]
    contexts = list(dict.fromkeys(item.context for item in items if item.context))

    def drawn(item: Ending) -> list[Ending]:
        rng = random.Random(f"{seed}:twins:{item.id}")
        # One more than needed, so that the item's own context can be left out.
        some = rng.sample(contexts, min(DRAWS + 1, len(contexts)))
        others = [context for context in some if context != item.context][:DRAWS]
        return [replace(item, context=context) for context in others]

    return drawn


def _winners(scores: Scores) -> list[int]:
    best = max(scores)
    return [place for place, score in enumerate(scores) if score == best]


METRICS = {"accuracy": accuracy, "ties": ties}
ABLATION_METRICS = {"no_context": no_context, "context_gain": context_gain}
