"""Centred: no training. The salad's own mean removed, then the leading singular vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fabula.registry import encoders
from fabula.salads.cluster import centre, find_k, memberships, split
from fabula.salads.items import Grouping, Salad

__all__ = ["Centred"]


class Centred:
    """Subtract the mean sentence vector of the salad and cut along what is left.

    The argument is an encoder: ``centred:minilm``, ``centred:tfidf``, or any object with
    ``.encode(list[str])``.
    """

    def __init__(self, *, encoder: Any = "minilm", sharpness: float = 12.0) -> None:
        self.encoder = encoder
        self.sharpness = sharpness  # of the probabilities; 12 minimises the Brier score (dev part)

    @classmethod
    def from_argument(cls, argument: str) -> Centred:
        return cls(encoder=argument)

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        if not salads:
            return []
        encoder = encoders.get(self.encoder)() if isinstance(self.encoder, str) else self.encoder
        sentences = [sentence for salad in salads for sentence in salad.sentences]
        vectors = np.asarray(encoder.encode(sentences))
        ends = np.cumsum([len(salad.sentences) for salad in salads])[:-1]
        return [
            self._group(salad, part)
            for salad, part in zip(salads, np.split(vectors, ends), strict=True)
        ]

    def _group(self, salad: Salad, vectors: np.ndarray[Any, Any]) -> Grouping:
        rows = centre(vectors.astype(np.float64))
        k = salad.stories if salad.stories is not None else find_k(rows)
        labels = split(rows, k)
        shares = memberships(rows, labels, self.sharpness)
        sure = shares[np.arange(len(labels)), labels]
        return Grouping(tuple(labels.tolist()), tuple(sure.tolist()))
