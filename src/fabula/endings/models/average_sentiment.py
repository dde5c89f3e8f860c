"""Average sentiment: the ending whose VADER score is nearest to the context's mean score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fabula.endings.items import Ending, Scores
from fabula.text.sentiment import compound

__all__ = ["AverageSentiment", "moods"]


class AverageSentiment:
    """Minus the distance of VADER's compound scores; all options tie where there is no context."""

    without_context = "others"

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        return [
            tuple(-abs(option - float(np.mean(context))) for option in options)
            if context
            else (0.0,) * len(options)
            for context, options in moods(items)
        ]


def moods(items: Sequence[Ending]) -> list[tuple[list[float], list[float]]]:
    """The compound scores of each item's context sentences and of its options."""
    texts = dict.fromkeys(text for item in items for text in (*item.context, *item.options))
    mood = dict(zip(texts, compound(list(texts)).tolist(), strict=True))
    return [
        ([mood[text] for text in item.context], [mood[text] for text in item.options])
        for item in items
    ]
