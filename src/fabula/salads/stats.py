"""Statistics of salads (the paper's Table 1): their size and topic similarity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabula.salads.items import Salad

__all__ = ["statistics"]


def statistics(salads: Iterable[Salad]) -> dict[str, Any]:
    """Counts and means; the cosine is over the salads that store one, None where none does."""
    number = words = sentences = documents = 0
    cosines: list[float] = []
    for salad in salads:
        number += 1
        words += sum(len(sentence.split()) for sentence in salad.sentences)
        sentences += len(salad.sentences)
        documents += len(salad.documents) or salad.stories or 0
        if salad.cosine is not None:
            cosines.append(salad.cosine)
    divisor = max(number, 1)
    return {
        "salads": number,
        "words": words,
        "words_per_salad": words / divisor,
        "sentences_per_salad": sentences / divisor,
        "documents_per_salad": documents / divisor,
        "cosine": sum(cosines) / len(cosines) if cosines else None,
    }
