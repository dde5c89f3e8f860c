"""Same event: do two sentences mention one event? In batches, for clustering and alignment."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.pairs.items import Pair
from fabula.pairs.models.combined import Combined

__all__ = ["same_event"]


def same_event(
    pairs: Sequence[tuple[str, str]],
    contexts: Sequence[tuple[str | None, str | None]] | None = None,
) -> list[float]:
    """The probability that each two sentences mention one event.

    ``contexts`` are the texts of the documents they come from, where known. Sentences are parsed
    and encoded once, however many pairs they are in.
    """
    known = contexts if contexts is not None else [(None, None)] * len(pairs)
    asked = [
        Pair(str(number), a, b, None, None, *context)
        for number, ((a, b), context) in enumerate(zip(pairs, known, strict=True))
    ]
    return [relation.same for relation in Combined.shipped().relate(asked)]
