from __future__ import annotations

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.ordering.chronology import find_order as module
from fabula.ordering.chronology.find_order import find_order
from fabula.ordering.items import Order, Text

UNITS = ["At nine in the evening they left.", "At four in the afternoon they came."]


class AsGiven:
    def order(self, texts: list[Text], /) -> list[Order]:
        return [
            Order(tuple(range(len(t.units))), np.full((len(t.units),) * 2, 0.5, dtype=np.float32))
            for t in texts
        ]


def test_told_times_do_not_count_in_the_order_of_telling() -> None:
    assert find_order(UNITS, AsGiven()).order == (0, 1)


def test_a_text_may_be_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1)
    with pytest.raises(UsageError, match="up to 1 units and there are 2"):
        find_order(UNITS, AsGiven())
