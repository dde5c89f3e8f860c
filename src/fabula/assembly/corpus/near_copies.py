"""Near copies: the documents' sketches in, for each the first document it copies out.

Linear: a document is compared with the first of each bucket it falls into (MinHash with banding),
never with all of them, so that 100,000 copies of one text cost 100,000 comparisons.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corpus.facts import SKETCH
from fabula.assembly.corpus.links.index import Terms

__all__ = ["fold_copies"]

_BANDS = 4
_ALIKE = 13  # of the 16 numbers of a sketch
_SAME_NAMES = 0.9  # Jaccard of names and numbers: two notices from one form differ in these


def fold_copies(sketches: NDArray[np.uint64], bags: Terms, known: int = 0) -> list[int | None]:
    """For each document the number of the earlier one that it copies, or None.

    The first ``known`` documents are not folded: they were, when they came.
    """
    firsts: list[int | None] = [None] * len(sketches)
    buckets: dict[tuple[int, bytes], int] = {}
    width = SKETCH // _BANDS
    for number, sketch in enumerate(sketches):
        keys = [
            (band, sketch[band * width : (band + 1) * width].tobytes()) for band in range(_BANDS)
        ]
        if number >= known:
            others = sorted({buckets[key] for key in keys if key in buckets})
            same = (other for other in others if _are_copies(number, other, sketches, bags))
            firsts[number] = next(same, None)
        if firsts[number] is None:
            for key in keys:
                buckets.setdefault(key, number)
    return firsts


def _are_copies(one: int, other: int, sketches: NDArray[np.uint64], bags: Terms) -> bool:
    if int((sketches[one] == sketches[other]).sum()) < _ALIKE:
        return False
    first, second = bags.names_of(one), bags.names_of(other)
    both = first | second
    return not both or len(first & second) >= _SAME_NAMES * len(both)
