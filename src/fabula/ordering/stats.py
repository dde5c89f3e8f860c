"""How many texts there are to order, and how long they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabula.ordering.items import Text

__all__ = ["statistics"]


def statistics(texts: Iterable[Text]) -> dict[str, Any]:
    number = units = words = 0
    for text in texts:
        number += 1
        units += len(text.units)
        words += sum(len(unit.split()) for unit in text.units)
    return {
        "texts": number,
        "units": units,
        "words": words,
        "units_per_text": units / max(number, 1),
        "words_per_unit": words / max(units, 1),
    }
