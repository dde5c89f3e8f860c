"""Which units may be neighbours: how alike the end of one and the beginning of another are.

Said by the packaged MiniLM as it is, untrained. It hardly tells which of the two stands first; what
does (``pairs``, ``evidence``) says little of who stands beside whom.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.text.encoders.sentence import MiniLM

__all__ = ["likeness"]

_WORDS = 60  # of an end or a beginning: a sentence is read whole


def likeness(units: Sequence[str]) -> NDArray[np.float32]:
    """n x n cosines of the last words of unit i and the first of unit j; 0 from i to i."""
    words = [unit.split() for unit in units]
    ends = [" ".join(some[-_WORDS:]) for some in words]
    heads = [" ".join(some[:_WORDS]) for some in words]
    vectors = MiniLM().encode([*ends, *heads])
    alike = vectors[: len(units)] @ vectors[len(units) :].T
    np.fill_diagonal(alike, 0.0)
    return alike
