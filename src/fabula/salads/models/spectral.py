"""Spectral: the leading eigenvectors of the salad's similarity matrix, less what all share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.vectors import spectral
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.sentence_vectors import group_vectors

__all__ = ["Spectral"]


class Spectral:
    """Two stories by the sign of one eigenvector, more by k-means on the first few.

    The argument is an encoder: ``spectral:tfidf``.
    """

    def __init__(self, *, encoder: Any = "minilm") -> None:
        self.encoder = encoder

    @classmethod
    def from_argument(cls, argument: str) -> Spectral:
        return cls(encoder=argument)

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return group_vectors(self.encoder, salads, _divide)


def _divide(rows: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    return spectral(rows @ rows.T, k)
