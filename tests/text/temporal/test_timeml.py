"""TimeML in and out."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import fabula
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


CASE = Path(fabula.__file__).parent / "data" / "sample" / "case"
# TimeML 1.2.1: the values that its grammar allows.
TYPES = {"DATE", "TIME", "DURATION", "SET"}
MODS = {
    "BEFORE", "AFTER", "ON_OR_BEFORE", "ON_OR_AFTER", "LESS_THAN", "MORE_THAN", "EQUAL_OR_LESS",
    "EQUAL_OR_MORE", "START", "MID", "END", "APPROX",
}  # fmt: skip
ATTRIBUTES = {"tid", "type", "value", "mod", "quant", "freq", "functionInDocument"}
VALUE = re.compile(
    r"(PAST|PRESENT|FUTURE)_REF|P[\dX.]+(Y|M|W|D|DE|CE|Q|WE|FN)?(\d+[MWD])*(T[\dX.]+[HMS](\d+[MS])*)?"
    r"|PT[\dX.]+[HMS](\d+[MS])*|(BC)?[\dX]{2,4}(-[\dXWQHSPUFAIE]+)*(T[\dX:]+Z?|T(MO|MI|AF|EV|NI|XX))?"
)


def test_what_is_written_keeps_to_the_grammar_of_timeml() -> None:
    files = sorted(CASE.glob("*.txt"))
    assert len(files) >= 8
    for path in files:
        text = path.read_text(encoding="utf-8")
        found = fabula.times(text, "2024-03-16")
        xml = to_timeml(text, found, name=path.name, date="2024-03-16")
        root = ElementTree.fromstring(xml)
        assert root.tag == "TimeML" and [child.tag for child in root] == ["DOCID", "DCT", "TEXT"]
        tags = list(root.iter("TIMEX3"))
        assert len({tag.get("tid") for tag in tags}) == len(tags) == len(found) + 1
        for tag in tags:
            assert set(tag.attrib) <= ATTRIBUTES and tag.get("type") in TYPES
            assert re.fullmatch(r"t\d+", tag.get("tid", ""))
            assert VALUE.fullmatch(tag.get("value", "")), tag.get("value")
            assert tag.get("mod", "END") in MODS
        assert from_timeml(xml)[0] == text
