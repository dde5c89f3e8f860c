"""TimeML in and out."""

from __future__ import annotations

import pytest

from fabula.errors import InputError
from fabula.text.temporal.tagger import Timex
from fabula.text.temporal.timeml import from_timeml, to_timeml

TEXT = "A & B met on 3 May <soon>.\nThey left \x01."
TIMES = [Timex(13, 18, "3 May", "DATE", "1911-05-03", mod="START")]


def test_what_is_written_is_read_again() -> None:
    xml = to_timeml(TEXT, TIMES, name="a.txt", date="1911-06-01")
    text, found, date = from_timeml(xml)
    assert text == TEXT.replace("\x01", "\ufffd")
    assert [(t.start, t.end, t.text, t.type, t.value, t.mod) for t in found] == [
        (13, 18, "3 May", "DATE", "1911-05-03", "START")
    ]
    assert date == "1911-06-01"


def test_other_tags_are_read_through() -> None:
    timex = "<TIMEX3 tid='t1' type='DATE' value='1999'>1999</TIMEX3>"
    xml = f"<TimeML><TEXT>It <EVENT eid='e1'>fell</EVENT> on {timex}.</TEXT></TimeML>"
    text, (found,), date = from_timeml(xml)
    assert (text, found.start, found.value, date) == ("It fell on 1999.", 11, "1999", None)


@pytest.mark.parametrize("xml", ["<TimeML><TEXT>", "", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"])
def test_a_broken_file_is_refused(xml: str) -> None:
    with pytest.raises(InputError):
        from_timeml(xml, path="a.tml")
