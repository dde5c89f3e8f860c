"""Table 1: how large salads are, and how near in topic."""

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
    some = max(number, 1)
    return {
        "salads": number,
        "words": words,
        "words_per_salad": words / some,
        "sentences_per_salad": sentences / some,
        "documents_per_salad": documents / some,
        "cosine": sum(cosines) / len(cosines) if cosines else None,
    }
