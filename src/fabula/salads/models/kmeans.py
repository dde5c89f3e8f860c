"""K-means over sentence vectors of length one, so that near means alike in direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.vectors import kmeans, leading
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.sentence_vectors import group_vectors

__all__ = ["KMeans"]


class KMeans:
    """Lloyd's algorithm; the best of several starts, none of them random.

    The argument is an encoder: ``kmeans:glove``.
    """

    def __init__(self, *, encoder: Any = "minilm") -> None:
        self.encoder = encoder

    @classmethod
    def from_argument(cls, argument: str) -> KMeans:
        return cls(encoder=argument)

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return group_vectors(self.encoder, salads, _divide)


def _divide(rows: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    # Turned to their leading directions the rows keep all distances, and the starts, which are
    # extreme points of the first directions, are worth more.
    return kmeans(leading(rows - rows.mean(axis=0), min(rows.shape)), k)
