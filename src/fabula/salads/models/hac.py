"""Hierarchical agglomerative clustering, average linkage, over the cosine distance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.by_name import average_linkage, distances
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.sentence_vectors import group_vectors

__all__ = ["Hac"]


class Hac:
    """Joins the two stories that are nearest on average until the number is reached.

    The argument is an encoder: ``hac:glove``. Tends to leave single sentences over: the paper
    tried it too and found it worse than k-medoids (note 7).
    """

    def __init__(self, *, encoder: Any = "minilm") -> None:
        self.encoder = encoder

    @classmethod
    def from_argument(cls, argument: str) -> Hac:
        return cls(encoder=argument)

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return group_vectors(self.encoder, salads, _divide)


def _divide(rows: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    return average_linkage(distances(rows @ rows.T), k)
