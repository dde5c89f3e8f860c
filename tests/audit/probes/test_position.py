"""The position probe: with two options the test is the exact one."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from fabula.audit.item_table import ItemTable
from fabula.audit.probes.position import position_chi_square_p
from fabula.endings.items import Ending


@pytest.mark.parametrize(("first", "second"), [(17, 3), (10, 10), (4, 30), (300, 220)])
def test_two_options_are_tested_exactly(first: int, second: int) -> None:
    golds = [0] * first + [1] * second
    table = ItemTable([Ending(str(n), (), ("a b", "c d"), g) for n, g in enumerate(golds)])
    expected = binomtest(first, first + second).pvalue
    assert position_chi_square_p(table) == pytest.approx(expected, rel=1e-9)
