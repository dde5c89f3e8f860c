"""Texts -> random orders: the baseline of every table."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from fabula.ordering.items import Order, Text

__all__ = ["Random"]


class Random:
    """A random order, seeded by the units themselves so that a batch changes nothing."""

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    def order(self, texts: Sequence[Text]) -> list[Order]:
        return [self._order(text) for text in texts]

    def _order(self, text: Text) -> Order:
        n = len(text.units)
        order = list(range(n))
        seed = f"{self.seed} {' '.join(text.units)}".encode("utf-8", "surrogatepass")
        random.Random(seed).shuffle(order)
        return Order(tuple(order), np.full((n, n), 0.5, dtype=np.float32))
