"""Which of two partial moments is earlier, by the coarsest part in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.text.temporal.expressions import Moment, moment_of

__all__ = ["KINDS", "earlier", "time_signs"]

# Weights fitted on time evidence are stored under these names, and a model whose names differ is
# refused: a new kind of evidence needs newly fitted weights.
KINDS = ("year", "month", "day", "clock", "half", "clock of another half")


def earlier(first: Moment, second: Moment) -> dict[str, float]:
    """For each kind of evidence that tells two moments apart, 1 if the first is earlier, else -1.

    >>> earlier(moment_of("In 1911 it rained."), moment_of("By 1914 it was dry."))
    {'year': 1.0}
    """
    if first.year is not None and second.year is not None and first.year != second.year:
        return {"year": _sign(first.year, second.year)}
    if first.month is not None and second.month is not None:
        if first.month != second.month:
            return {"month": _sign(first.month, second.month)}
        if first.day and second.day and first.day != second.day:
            return {"day": _sign(first.day, second.day)}
    if first.clock is None or second.clock is None or first.clock == second.clock:
        return {}
    kind = "clock" if first.half == second.half else "clock of another half"
    if first.half and second.half and first.half != second.half:
        kind = "half"
    return {kind: _sign(first.clock, second.clock)}


def _sign(first: int, second: int) -> float:
    return 1.0 if first < second else -1.0


def time_signs(units: Sequence[str]) -> NDArray[np.float64]:
    """n x n x 6, antisymmetric: for each of ``KINDS`` 1 where unit i is earlier than unit j."""
    moments = [moment_of(unit) for unit in units]
    dated = [i for i, moment in enumerate(moments) if moment != Moment()]
    signs = np.zeros((len(units), len(units), len(KINDS)))
    for index, i in enumerate(dated):
        for j in dated[index + 1 :]:
            for kind, sign in earlier(moments[i], moments[j]).items():
                signs[i, j, KINDS.index(kind)] = sign
                signs[j, i, KINDS.index(kind)] = -sign
    return signs
