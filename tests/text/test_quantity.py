from __future__ import annotations

import pytest

from fabula.assembly.facts.reading import read_sentences
from fabula.text.quantity import Amount, number_of


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("thirty-one", 31), ("one hundred and twenty", 120), ("three hundred", 300),
        ("two thousand five hundred", 2500), ("a million", 1e6), ("1,234.5", 1234.5),
        ("two dozen", 24), ("boats", None), ("", None), ("9" * 400, None),
    ],
)  # fmt: skip
def test_numbers(words: str, value: float | None) -> None:
    assert number_of(words.split()) == value


def told(text: str) -> list[tuple[float, str, str]]:
    claims = read_sentences([text])[0].claims
    amounts = [c.value for c in claims if isinstance(c.value, Amount)]
    return [(a.value, a.unit, a.bound) for a in amounts]


def test_what_is_counted() -> None:
    assert told("At least 40 British soldiers and about twelve guns were lost.") == [
        (40, "soldier", "least"), (12, "gun", "about"),
    ]  # fmt: skip
    assert told("The 1911 flood took three days.") == [(3, "day", "")]


def test_spaces_within_a_sentence() -> None:
    (found,) = read_sentences(
        ["Forty   men   came   home   with   the   Marigold   safe   in   tow."]
    )
    assert [c.said.split() for c in found.claims if c.kind == "number"] == [["Forty", "men"]]


def test_bounds() -> None:
    ten, twelve = Amount(10, "man", "ten"), Amount(12, "man", "twelve")
    assert ten.differs(twelve) and not ten.differs(ten)
    assert not ten.differs(Amount(12, "man", "twelve", "about"))
    assert not Amount(10, "man", "ten", "least").differs(twelve)
    assert Amount(12, "man", "twelve", "least").differs(ten)


def test_a_sentence_without_a_verb() -> None:
    assert told("Two killed, three wounded men, forty horses.")[-1][:2] == (40, "horse")
    assert told("Forty horses.") == [(40, "horse", "")]
