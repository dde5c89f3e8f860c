"""Clock times and weekdays told in the text, as log-odds for the order within a story."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.kemeny import decode
from fabula.ordering.items import Order
from fabula.text.temporal.comparison import earlier
from fabula.text.temporal.expressions import Moment, moment_of
from fabula.text.temporal.hour_offsets import clock_offsets
from fabula.text.temporal.lexicon import DAY
from fabula.text.temporal.weekdays import (
    Span,
    compare_spans,
    first_weekday,
    is_one_night,
    possible_first_days,
    weekday_of,
    weekday_spans,
)

__all__ = ["Date", "hours_of", "one_date", "told_log_odds", "with_told_times"]

Floats = NDArray[np.float64]
Date = tuple[int | None, int | None, int | None]

# Log-odds that the earlier of two is told first, beyond what the ordering model makes of it:
_CLOCK = 2.5  # clock times of one stretch of hours
_WEEKDAY = 1.5  # weekdays
_LIKELY_DAY = 1.0  # clock times of which the day is inferred
_CERTAIN = 0.95  # a model's probabilities are clipped to 1 - this and this


def one_date(moments: Iterable[Moment]) -> Date | None:
    """The only date (year, month, day) among the moments, all None without any; None if several."""
    nothing = (None, None, None)
    dates = {(moment.year, moment.month, moment.day) for moment in moments} - {nothing}
    return None if len(dates) > 1 else next(iter(dates), nothing)


def hours_of(texts: Sequence[str]) -> list[int | None] | None:
    """Minutes since the first clock time of a pile (``clock_offsets``); None unless it is one
    stretch of hours, with one date and one night at most."""
    moments, days = [moment_of(text) for text in texts], [weekday_of(text) for text in texts]
    if one_date(moments) is None or not is_one_night(days):
        return None
    return clock_offsets(moments, days)


def told_log_odds(
    texts: Sequence[str],
    hours: Sequence[int | None] | None = None,
    before: NDArray[np.floating] | None = None,
) -> Floats:
    """n x n, antisymmetric: the log-odds that text i is of an earlier time than text j.

    ``hours`` are those of ``hours_of`` for these texts, where the texts are part of a pile.
    ``before``, a model's P(i before j), resolves with which weekday the story begins where that is
    ambiguous, and the day of a clock time without one.
    """
    n = len(texts)
    odds = np.zeros((n, n))
    moments, days = [moment_of(text) for text in texts], [weekday_of(text) for text in texts]
    model_log_odds = np.zeros((n, n)) if before is None else np.log(before / np.asarray(before).T)
    passed: Sequence[int | None] = [None] * n
    if is_one_night(days):
        passed = hours or clock_offsets(moments, days)
    spans = weekday_spans(texts, _first(texts, days, model_log_odds))
    likely = _with_inferred_days(spans, moments, model_log_odds)
    told = [i for i in range(n) if passed[i] is not None or likely[i] is not None]
    for place, i in enumerate(told):
        for j in told[place + 1 :]:
            if {"year", "month", "day"} & earlier(moments[i], moments[j]).keys():
                continue  # dates differ, and the ordering model has features of dates
            one, two = passed[i], passed[j]
            if one is not None and two is not None:
                odds[i, j] = _CLOCK * np.sign(two - one)
            elif apart := compare_spans(spans[i], spans[j]):
                odds[i, j] = _WEEKDAY * apart
            else:
                odds[i, j] = _LIKELY_DAY * compare_spans(likely[i], likely[j])
    return odds - odds.T


def _first(texts: Sequence[str], days: Sequence[int | None], model_log_odds: Floats) -> int | None:
    """The first weekday of a story: the clear one, else the one the model agrees with most."""
    if (clear := first_weekday(days)) is not None or not model_log_odds.any():
        return clear
    score = {
        day: _agreement(weekday_spans(texts, day), model_log_odds)
        for _, day in possible_first_days(days)
    }
    return max(score, key=score.__getitem__, default=None)


def _agreement(spans: Sequence[Span | None], model_log_odds: Floats) -> float:
    named = [i for i, span in enumerate(spans) if span is not None]
    return float(
        sum(
            model_log_odds[i, j] * compare_spans(spans[i], spans[j])
            for i in named
            for j in named
            if i < j
        )
    )


def _with_inferred_days(
    spans: Sequence[Span | None], moments: Sequence[Moment], model_log_odds: Floats
) -> list[Span | None]:
    """The spans, and for clock times without a day those of the day the model agrees with most."""
    dated = {i: span for i, span in enumerate(spans) if span is not None}
    starts = sorted({span[0] // DAY * DAY for span in dated.values()})
    placed = list(spans)
    for i, moment in enumerate(moments):
        if spans[i] is not None or moment.clock is None or moment.half is None:
            continue
        if moment.year is not None or moment.month is not None or len(starts) < 2:
            continue
        score = {
            start: sum(
                model_log_odds[i, j] * compare_spans((start + moment.clock,) * 2, other)
                for j, other in dated.items()
            )
            for start in starts
        }
        best = max(score, key=score.__getitem__)
        if sum(value == score[best] for value in score.values()) == 1:
            placed[i] = (best + moment.clock, best + moment.clock)
    return placed


def with_told_times(
    answer: Order, texts: Sequence[str], hours: Sequence[int | None] | None = None
) -> Order:
    """A model's order decoded again (Kemeny) with the log-odds of the times told added to its own.

    The answer is unchanged where the texts tell no times that differ.
    """
    before = np.clip(np.asarray(answer.before, dtype=np.float64), 1 - _CERTAIN, _CERTAIN)
    log_odds = told_log_odds(texts, hours, before)
    if not log_odds.any():
        return answer
    before = 1 / (1 + np.exp(-(np.log(before / (1 - before)) + log_odds)))
    np.fill_diagonal(before, 0.5)
    return replace(answer, order=decode(before), before=before, scores=None)
