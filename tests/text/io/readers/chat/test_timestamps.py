from __future__ import annotations

import pytest

from fabula.errors import InputError
from fabula.text.io.readers.chat.timestamps import read_times


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2021-03-04T21:15:00Z", "2021-03-04T21:15:00"),
        ("2021-03-04T21:15:00+02:00", "2021-03-04T19:15:00"),
        ("4/3/2021, 21:15", "2021-03-04T21:15:00"),
        ("[4.3.21, 9:15:10 PM]", "2021-03-04T21:15:10"),
        (1614892500000, "2021-03-04T21:15:00"),
        ("7:05", "07:05:00"),
        (None, None),
        ("", None),
    ],
)
def test_times(value: object, time: str | None) -> None:
    assert read_times([(1, value)], path="x").times == [time]


def test_the_file_says_which_is_the_month() -> None:
    times = read_times([(1, "3/4/2021, 21:15"), (2, "3/14/2021, 21:15")], path="x")
    assert times.times == ["2021-03-04T21:15:00", "2021-03-14T21:15:00"]


def test_no_time() -> None:
    with pytest.raises(InputError, match=r"x:7: 'soon' is no time"):
        read_times([(7, "soon")], path="x")


def test_the_order_of_dates_is_told() -> None:
    ambiguous = [(1, "3/4/2021, 21:15"), (2, "4/4/2021, 21:15")]
    order = read_times(ambiguous, path="x").order
    assert order is not None and (order.order, order.given) == ("dmy", False)
    assert order.written == "3/4/2021" and order.doubt == "Nothing in the export decides it"
    assert order.days == {"dmy": "2021-04-03", "mdy": "2021-03-04"}
    given = read_times(ambiguous, path="x", date_order="mdy")
    assert given.order is not None and (given.order.order, given.order.given) == ("mdy", True)
    assert given.order.doubt == "" and given.times[0] == "2021-03-04T21:15:00"
    decided = read_times([(1, "3/4/2021, 21:15"), (2, "3/14/2021, 21:15")], path="x").order
    assert decided is not None and (decided.order, decided.doubt) == ("mdy", "")
    assert read_times([(1, "2021-04-03T21:15:00")], path="x").order is None
