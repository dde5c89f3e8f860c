"""Last sentiment: the ending whose VADER score is nearest to the last context sentence's."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.endings.items import Ending, Scores
from fabula.endings.models.average_sentiment import moods

__all__ = ["LastSentiment"]


class LastSentiment:
    """Minus the distance of VADER's compound scores; all options tie where there is no context."""

    without_context = "others"

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        return [
            tuple(-abs(option - context[-1]) for option in options)
            if context
            else (0.0,) * len(options)
            for context, options in moods(items)
        ]
