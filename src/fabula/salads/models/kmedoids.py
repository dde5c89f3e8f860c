"""KM (section 4): k-medoids over the cosine distance of sentence vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.by_name import distances
from fabula.salads.clustering.kmedoids import best_medoids, kmedoids
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.sentence_vectors import group_vectors

__all__ = ["KMedoids"]


class KMedoids:
    """The paper's baseline: alternating k-medoids from one seeded start.

    The argument is an encoder; the paper's is ``kmedoids:glove``. With ``exact`` the medoids are
    the best there are, which shows how much of the baseline's weakness is its search.
    """

    def __init__(self, *, encoder: Any = "minilm", exact: bool = False, seed: int = 0) -> None:
        self.encoder = encoder
        self.exact = exact
        self.seed = seed

    @classmethod
    def from_argument(cls, argument: str) -> KMedoids:
        return cls(encoder=argument)

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return group_vectors(self.encoder, salads, self._divide)

    def _divide(self, rows: NDArray[np.floating], k: int) -> NDArray[np.int64]:
        distance = distances(rows @ rows.T)
        if self.exact:
            return best_medoids(distance, k)
        return kmedoids(distance, k, random.Random(self.seed))
