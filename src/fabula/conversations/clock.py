"""When messages were sent: minutes from the first, and the order, whether or not days are told."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["minutes", "sent_order"]

_DAY = 24 * 60
_HALF_DAY = _DAY // 2


def minutes(times: Sequence[str | None]) -> NDArray[np.float64] | None:
    """Whole minutes that never run backwards; None where no message has a time.

    A clock time without a day that is more than half a day behind the one before is of the next
    day. A message without a time has that of the message before it.

    >>> minutes(["23:58", None, "00:03"]).tolist()
    [0.0, 0.0, 5.0]
    """
    values: list[float | None] = []
    day = 0
    before: float | None = None
    for time in times:
        value = None if time is None else _read(time)
        if value is not None and value < _DAY:  # a clock time alone
            if before is not None and value + day < before - _HALF_DAY:
                day += _DAY
            value += day
        values.append(value)
        before = value if value is not None else before
    known = [value for value in values if value is not None]
    if not known:
        return None
    series, latest = np.empty(len(values)), known[0]
    for i, value in enumerate(values):
        latest = latest if value is None else max(latest, value)
        series[i] = latest
    return np.asarray(series - series[0])


def sent_order(times: Sequence[str | None]) -> list[int]:
    """The positions of messages by the time they were sent, stable; as given where no day is told.

    A message without a date goes with the one before it. An export that lists the newest first is
    turned round.

    >>> sent_order(["2021-03-04T09:02:00", None, "2021-03-04T09:03:00", "2021-03-04T09:01:00"])
    [3, 0, 1, 2]
    """
    dated = [time for time in times if time is not None and "-" in time]
    steps = [(before > after) - (before < after) for before, after in pairwise(dated)]
    given = range(len(times))[:: -1 if sum(steps) > 0 else 1]
    latest, sent = "", {}
    for position in given:
        time = times[position]
        latest = time if time is not None and "-" in time else latest
        sent[position] = latest
    return sorted(given, key=sent.__getitem__)


def _read(time: str) -> float | None:
    """Minutes of a clock time (less than a day), or of a date and time (always more)."""
    try:
        if ":" in time[:3] or (len(time) <= 8 and "-" not in time):
            hour, minute = time.split(":")[:2]
            return int(hour) * 60.0 + int(minute)
        moment = datetime.fromisoformat(time).replace(tzinfo=None)
    except ValueError:
        return None
    return moment.toordinal() * float(_DAY) + moment.hour * 60 + moment.minute
