"""Statistics of texts to order (the ordering paper's Table 1): their number and length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabula.ordering.items import Text
from fabula.text.segment.sentences import split_sentences
from fabula.text.segment.words import split_words

__all__ = ["statistics"]


def statistics(texts: Iterable[Text]) -> dict[str, Any]:
    """Counts and means. Words are separated by spaces; the vocabulary counts lower-cased words.

    ``sentences_per_unit`` is the paper's number in parentheses: about 1 where units are sentences.
    """
    number = units = words = sentences = shortest = longest = 0
    vocabulary: set[str] = set()
    for text in texts:
        n = len(text.units)
        number += 1
        units += n
        words += sum(len(unit.split()) for unit in text.units)
        sentences += sum(sum(1 for _ in split_sentences(unit)) for unit in text.units)
        vocabulary.update(word for unit in split_words(text.units) for word in unit)
        shortest, longest = min(shortest or n, n), max(longest, n)
    return {
        "texts": number,
        "units": units,
        "words": words,
        "units_per_text": units / max(number, 1),
        "fewest_units": shortest,
        "most_units": longest,
        "sentences_per_unit": sentences / max(units, 1),
        "words_per_unit": words / max(units, 1),
        "vocabulary": len(vocabulary),
    }
