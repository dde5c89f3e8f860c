"""Which of two moments is earlier."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fabula.ordering.features.moment_signs import earlier
from fabula.text.temporal.expressions import moment_of


def test_dates_decide_before_clocks() -> None:
    may = moment_of("On 3 May 1911, at nine in the morning, he left.")
    june = moment_of("On 2 June 1911, at eight in the morning, he was back.")
    assert earlier(may, june) == {"month": 1.0}
    assert earlier(june, may) == {"month": -1.0}


def test_clocks_of_one_half_and_of_two() -> None:
    early, late = moment_of("At 6 a.m. it rained."), moment_of("At 8 a.m. it stopped.")
    assert earlier(early, late) == {"clock": 1.0}
    assert earlier(late, moment_of("By 5 p.m. all was dry.")) == {"half": 1.0}
    assert earlier(late, moment_of("At seven o'clock he ate.")) == {"clock of another half": -1.0}
    assert earlier(early, early) == {}


@given(st.text(), st.text())
def test_swapping_flips_every_sign(first: str, second: str) -> None:
    one, two = moment_of(first), moment_of(second)
    assert earlier(two, one) == {kind: -sign for kind, sign in earlier(one, two).items()}
