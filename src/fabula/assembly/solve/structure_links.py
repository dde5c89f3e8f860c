"""What else draws sentences together: one message, one sender, the same report again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.pile import Piece
from fabula.assembly.solve.repeats import find_repeats

__all__ = ["LARGEST", "structure_log_odds"]

LARGEST = 300  # sentences above which the untangler scores no pairs, and there is nothing to add to
_MESSAGE = 4.0  # log-odds that sentences of one message tell of one thing
_SENDER = 0.5
_REPEAT = 4.0


def structure_log_odds(pieces: Sequence[Piece]) -> NDArray[np.float64] | None:
    """Log-odds to add to the untangler's; None when there are none to add."""
    n = len(pieces)
    if n > LARGEST:
        return None
    odds = np.zeros((n, n))
    for values, worth in (
        ([piece.message for piece in pieces], _MESSAGE),
        ([piece.sender for piece in pieces], _SENDER),
    ):
        if len(set(values) - {None}) > 1:
            same = np.array([[a is not None and a == b for b in values] for a in values])
            odds += worth * same
    for index, first in find_repeats([p.sentence.text for p in pieces], [0] * n).items():
        odds[index, first] += _REPEAT
        odds[first, index] += _REPEAT
    np.fill_diagonal(odds, 0.0)
    return odds if odds.any() else None
