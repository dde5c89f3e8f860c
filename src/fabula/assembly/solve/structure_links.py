"""Structure links: log-odds of one story from a shared message, a shared sender, a repeat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.pile import Piece
from fabula.assembly.solve.repeats import find_repeats

__all__ = ["MAX_SENTENCES", "structure_log_odds"]

MAX_SENTENCES = 300  # above it the untangler scores no pairs that log-odds could be added to
# Log-odds that two sentences are of one story, by what they share.
_MESSAGE = 4.0
_SENDER = 0.5
_REPEAT = 4.0


def structure_log_odds(pieces: Sequence[Piece]) -> NDArray[np.float64] | None:
    """Log-odds [n, n] to add to the untangler's for each pair; None where there are none."""
    n = len(pieces)
    if n > MAX_SENTENCES:
        return None
    log_odds = np.zeros((n, n))
    for values, weight in (
        ([piece.message for piece in pieces], _MESSAGE),
        ([piece.sender for piece in pieces], _SENDER),
    ):
        if len(set(values) - {None}) > 1:
            same = np.array([[a is not None and a == b for b in values] for a in values])
            log_odds += weight * same
    for index, first in find_repeats([p.sentence.text for p in pieces], [0] * n).items():
        log_odds[index, first] += _REPEAT
        log_odds[first, index] += _REPEAT
    np.fill_diagonal(log_odds, 0.0)
    return log_odds if log_odds.any() else None
