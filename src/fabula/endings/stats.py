"""Descriptive statistics of endings items: counts and mean lengths in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabula.endings.items import Ending

__all__ = ["statistics"]


def statistics(items: Iterable[Ending]) -> dict[str, Any]:
    """Counts and means over the items."""
    number = options = context_words = option_words = 0
    for item in items:
        number += 1
        options += len(item.options)
        context_words += sum(len(sentence.split()) for sentence in item.context)
        option_words += sum(len(option.split()) for option in item.options)
    return {
        "items": number,
        "options": options,
        "words": context_words + option_words,
        "options_per_item": options / max(number, 1),
        "words_per_context": context_words / max(number, 1),
        "words_per_option": option_words / max(options, 1),
    }
