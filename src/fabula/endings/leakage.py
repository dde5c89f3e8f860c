"""Has a model seen an item in training? Told by marks of the stories, so that no text is kept.

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
    """A hash of a whole story, the same whatever its case, punctuation and spaces.

    >>> mark(["It rained."], "He got wet!") == mark(["it  rained"], "He got wet.")
    True
    """
    plain = [_OTHER.sub(" ", text.lower()).strip() for text in (" ".join(context), ending)]
    return hashlib.sha256("\n".join(plain).encode("utf-8", "replace")).hexdigest()[:16]


def marks(item: Ending) -> list[str]:
    """The marks of an item to be tested: its story with each of the endings."""
    return [mark(item.context, option) for option in item.options]


def training_marks(*items: Iterable[Ending]) -> frozenset[str]:
    """The marks of items trained on: the story with its right ending."""
    return frozenset(
        mark(item.context, item.options[item.gold])
        for some in items
        for item in some
        if item.gold is not None
    )
