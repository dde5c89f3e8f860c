from __future__ import annotations

import pytest

from fabula.assembly.conflicts.relation import is_grave, relation_of, speaker_of

TEXTS = ("Nine men died.", "Eleven men died.")
VALUES = ("Nine men", "Eleven men")
NOBODY = (None, None)


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Nine men were rescued, the coastguard said.", "the coastguard"),
        ("According to Mayor Ida Lund, the dam held.", "Mayor Ida Lund"),
        ("“We lost everything,” Anna Berg told reporters.", "Anna Berg"),
        ("He said it was over.", None),
        ("The dam held.", None),
    ],
)
def test_who_says_it(text: str, speaker: str | None) -> None:
    assert speaker_of(text) == speaker


def test_a_later_dated_report_updates_a_number_and_not_a_place() -> None:
    dates = ("2020-01-01", "2020-01-02")
    assert relation_of("number", TEXTS, VALUES, dates, NOBODY) == "update"
    assert relation_of("place", TEXTS, VALUES, dates, NOBODY) == "conflict"
    rose = (TEXTS[0], "The toll rose to eleven.")
    assert relation_of("number", rose, VALUES, NOBODY, NOBODY) == "update"


def test_bounds_are_of_scope_and_two_speakers_attribute() -> None:
    bounded = ("At least nine men died.", TEXTS[1])
    assert relation_of("number", bounded, ("nine men", VALUES[1]), NOBODY, ("A", "B")) == "scope"
    assert relation_of("number", TEXTS, VALUES, NOBODY, ("Police", "Ida")) == "attributed"
    assert relation_of("number", TEXTS, VALUES, ("2020-01-01", None), ("Ida", None)) == "conflict"


def test_a_price_is_corrected_and_not_updated_by_its_date() -> None:
    dates = ("2020-01-01", "2020-01-02")
    worth = ("The silver is worth £240,000.", "The stolen silver is worth £400,000.")
    assert relation_of("number", worth, ("£240,000", "£400,000"), dates, NOBODY) == "conflict"
    corrected = (TEXTS[0], "Three people, not two as first reported, were hurt.")
    assert relation_of("number", corrected, VALUES, NOBODY, NOBODY) == "update"
    assert speaker_of(corrected[1]) is None


def test_life_and_liberty_are_grave() -> None:
    assert is_grave("number", TEXTS)
    assert is_grave("outcome", ("He was found guilty.", "He was acquitted."))
    assert not is_grave("date", TEXTS)
    assert not is_grave("number", ("Nine men died.", "Nine men came."))
