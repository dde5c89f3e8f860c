"""Joint (evaluator, section 3.1): the ending whose vector is nearest to the context's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fabula.endings.items import Ending, Scores
from fabula.registry import encoders

__all__ = ["Joint"]


class Joint:
    """Cosine of the context read as one paragraph with each ending, under any encoder."""

    def __init__(self, *, encoder: Any = "minilm") -> None:
        self.encoder = encoder

    @classmethod
    def from_argument(cls, argument: str) -> Joint:
        return cls(encoder=argument)

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        if not items:
            return []
        encoder = encoders.get(self.encoder)() if isinstance(self.encoder, str) else self.encoder
        texts = [text for item in items for text in (" ".join(item.context), *item.options)]
        vectors = np.asarray(encoder.encode(texts), dtype=np.float64)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        scores, at = [], 0
        for item in items:
            context, options = vectors[at], vectors[at + 1 : at + 1 + len(item.options)]
            scores.append(tuple((options @ context).tolist()))
            at += 1 + len(item.options)
        return scores
