from __future__ import annotations

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.ordering.chronology.find_order import (
    MODEL_ALONE,
    WITH_TIMES,
    OrderPolicy,
    find_order,
    sort_timestamps,
)
from fabula.ordering.items import Order, Text

UNITS = ["At nine in the evening they left.", "At four in the afternoon they came."]


class AsGiven:
    def order(self, texts: list[Text], /) -> list[Order]:
        return [
            Order(tuple(range(len(t.units))), np.full((len(t.units),) * 2, 0.5, dtype=np.float32))
            for t in texts
        ]


def test_the_policy_says_whether_told_times_count() -> None:
    assert find_order(UNITS, AsGiven(), policy=MODEL_ALONE).order == (0, 1)
    timed = find_order(UNITS, AsGiven(), policy=WITH_TIMES)
    assert timed.order == (1, 0) and timed.confidence > 0.9


def test_the_policy_says_how_long_a_text_may_be() -> None:
    with pytest.raises(UsageError, match="up to 1 units and there are 2"):
        find_order(UNITS, AsGiven(), policy=OrderPolicy(times=False, longest=1))


def test_equal_timestamps_keep_the_order_of_writing() -> None:
    assert sort_timestamps([3, 2, 1, 0], ["12:00", "11:00", "11:00", None]) == [3, 1, 2, 0]
