"""Centred: no training. The salad's own mean removed, then the leading singular vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.salads.clustering.vectors import centre, split
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.sentence_vectors import SHARPNESS, group_vectors

__all__ = ["Centred"]


class Centred:
    """Subtract the mean sentence vector of the salad and cut along what is left.

    The argument is an encoder: ``centred:minilm``, ``centred:tfidf``, or any object with
    ``.encode(list[str])``.
    """

    def __init__(self, *, encoder: Any = "minilm", sharpness: float = SHARPNESS) -> None:
        self.encoder = encoder
        self.sharpness = sharpness

    @classmethod
    def from_argument(cls, argument: str) -> Centred:
        return cls(encoder=argument)

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return group_vectors(self.encoder, salads, split, prepare=centre, sharpness=self.sharpness)
