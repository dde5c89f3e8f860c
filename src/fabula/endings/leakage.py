"""Contamination check: was an item in a model's training data? Compared by hashes of stories.

A trained model keeps ``training_marks_``: the marks of its training and tuning items, in its
``config.json`` as well. The evaluator refuses items with one of these marks unless it is forced.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from fabula.endings.items import Ending

__all__ = ["mark", "marks", "training_marks"]

_OTHER = re.compile(r"[^\w]+")


def mark(context: Sequence[str], ending: str) -> str:
    """A hash of a story that ignores case, punctuation and spaces.

    >>> mark(["It rained."], "He got wet!") == mark(["it  rained"], "He got wet.")
    True
    """
    plain = [_OTHER.sub(" ", text.lower()).strip() for text in (" ".join(context), ending)]
    return hashlib.sha256("\n".join(plain).encode("utf-8", "replace")).hexdigest()[:16]


def marks(item: Ending) -> list[str]:
    """The hashes of a test item: its context with each of the options."""
    return [mark(item.context, option) for option in item.options]


def training_marks(*items: Iterable[Ending]) -> frozenset[str]:
    """The hashes of training items: the context with its right ending."""
    return frozenset(
        mark(item.context, item.options[item.gold])
        for some in items
        for item in some
        if item.gold is not None
    )
