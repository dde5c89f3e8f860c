"""Adjacency feature: the MiniLM cosine of the end of one unit and the beginning of another.

Without training. It hardly tells which of the two comes first; the precedence features do, but say
little about which units are adjacent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.text.encoders.sentence import MiniLM

__all__ = ["adjacency_similarity"]

_WORDS = 60  # of an end or a beginning: most sentences are encoded whole


def adjacency_similarity(units: Sequence[str]) -> NDArray[np.float32]:
    """n x n cosines of the last words of unit i and the first of unit j; 0 on the diagonal."""
    words = [unit.split() for unit in units]
    ends = [" ".join(tokens[-_WORDS:]) for tokens in words]
    heads = [" ".join(tokens[:_WORDS]) for tokens in words]
    vectors = MiniLM().encode([*ends, *heads])
    cosines = vectors[: len(units)] @ vectors[len(units) :].T
    np.fill_diagonal(cosines, 0.0)
    return cosines
