"""Values as intervals and as EDTF dates."""

from __future__ import annotations

from itertools import pairwise

import pytest

from fabula.text.temporal.interval import edtf_of, interval_of

EDTF = {
    "2013-03-22": "2013-03-22", "2013-03-22T10:20": "2013-03-22T10:20", "2013-05": "2013-05",
    "2013-03-22TMO": "2013-03-22", "2013": "2013", "198": "198X", "18": "18XX",
    "XXXX-05-03": "XXXX-05-03", "2013-SU": "2013-22", "2013-Q3": "2013-35", "BC0044": "-0043",
    "2013-W29": "2013-07-15/2013-07-21", "2013-03-22T24:00": "2013-03-23T00:00",
    "XXXX-WXX-5T09:00": None, "XXXX-XX-XXT09:00": None, "PAST_REF": None, "P3D": None,
}  # fmt: skip


@pytest.mark.parametrize("value", EDTF)
def test_values_are_written_in_edtf(value: str) -> None:
    assert edtf_of(value) == EDTF[value]


def test_a_guess_and_an_unknown_half_of_the_day_show() -> None:
    assert edtf_of("2013-05", guessed=True) == "2013-05?"
    assert edtf_of("2013-05", about=True) == "2013-05~"
    assert edtf_of("2013-05-03T09:00", half_known=False) == "2013-05-03"
    assert edtf_of("2013-05-03T09:00", guessed=True) == "2013-05-03?"


def test_only_intervals_of_one_frame_compare() -> None:
    may, june = interval_of("2013-05"), interval_of("2013-06-01")
    friday, hour = interval_of("XXXX-WXX-5"), interval_of("XXXX-XX-XXT09:00")
    assert may and june and friday and hour
    assert may.before(june) and not june.before(may)
    assert not friday.before(hour) and not hour.before(friday)
    year = interval_of("2013")
    assert year and not year.before(june) and not june.before(year)


def test_eras_are_in_order() -> None:
    values = ["BC05", "BC0044", "0079", "18", "198", "1999-WI", "2013-W29-WE", "2013-07-22TNI"]
    intervals = [interval_of(value) for value in values]
    assert all(a and b and a.before(b) for a, b in pairwise(intervals))


@pytest.mark.parametrize("value", ["", "P3D", "PRESENT_REF", "2013-02-31", "2013-W77", "soon"])
def test_what_is_no_place_in_time_has_no_interval(value: str) -> None:
    assert interval_of(value) is None
