"""What the text tells of its times, as evidence for the order within a story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.evidence import Moment, earlier, moment_of
from fabula.ordering.hours import unrolled, weekday_of

__all__ = ["Date", "hours_of", "one_date", "reordered", "told_log_odds"]

Floats = NDArray[np.float64]
Date = tuple[int | None, int | None, int | None]

_CLOCK = 2.5  # log-odds that the earlier clock time is told of the earlier event
_CERTAIN = 0.95  # no model is believed further than that


def one_date(moments: Iterable[Moment]) -> Date | None:
    """The one date told of (all None where none is), or None where there are several."""
    nothing = (None, None, None)
    dates = {(moment.year, moment.month, moment.day) for moment in moments} - {nothing}
    return None if len(dates) > 1 else next(iter(dates), nothing)


def hours_of(texts: Sequence[str]) -> list[int | None] | None:
    """``unrolled`` over a whole pile, if it may be one stretch of hours: it tells of one date."""
    moments = [moment_of(text) for text in texts]
    if one_date(moments) is None:
        return None
    return unrolled(moments, [weekday_of(text) for text in texts])


def told_log_odds(texts: Sequence[str], hours: Sequence[int | None] | None = None) -> Floats:
    """n x n, antisymmetric: the log-odds that the one is earlier than the other.

    ``hours`` are those of ``hours_of`` for these texts, where the texts are part of a pile.
    """
    n = len(texts)
    odds = np.zeros((n, n))
    moments = [moment_of(text) for text in texts]
    passed = hours or unrolled(moments, [weekday_of(text) for text in texts])
    for i in range(n):
        for j in range(i + 1, n):
            one, two = passed[i], passed[j]
            if one is None or two is None or one == two:
                continue
            if {"year", "month", "day"} & earlier(moments[i], moments[j]).keys():
                continue  # of other days; and of dates the ordering model knows more than we do
            odds[i, j] = _CLOCK if one < two else -_CLOCK
    return odds - odds.T


def reordered(
    before: NDArray[np.floating], texts: Sequence[str], hours: Sequence[int | None] | None = None
) -> tuple[Sequence[int], float]:
    """The best order under a model's P(i before j) and the times told, and how sure it is.

    Empty where the texts tell no times that differ.
    """
    from fabula.ordering.decode import decode

    odds = told_log_odds(texts, hours)
    if not odds.any():
        return (), 0.0
    shares = np.clip(np.asarray(before, dtype=np.float64), 1 - _CERTAIN, _CERTAIN)
    shares = 1 / (1 + np.exp(-(np.log(shares / (1 - shares)) + odds)))
    np.fill_diagonal(shares, 0.5)
    found = decode(shares)
    pairs = [shares[a, b] for at, a in enumerate(found) for b in found[at + 1 :]]
    return found, float(np.mean(pairs))
