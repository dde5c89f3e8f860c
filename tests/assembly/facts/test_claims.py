"""Claims, sides and denials of single sentences."""

from __future__ import annotations

import pytest

from fabula.assembly.facts.claims import Claim
from fabula.assembly.facts.outcomes import stems_of
from fabula.assembly.facts.reading import read_sentences
from fabula.pairs.features.event_classes import kinds_of
from fabula.text.quantity import Amount


def test_sides() -> None:
    (whole, broken, unbroken) = read_sentences(
        [
            "The statue was recovered undamaged and handed over.",
            "I held the statue in my hands, and its neck was broken.",
            "The statue was not broken when we found it.",
        ]
    )
    assert ("damage", -1) in whole.sides and ("damage", 1) in broken.sides
    assert ("damage", -1) in unbroken.sides


def test_a_number_is_no_denial() -> None:
    (numbered, plain) = read_sentences(["Pump No. 5 survived.", "Pump 5 survived."])
    assert numbered.sides == plain.sides


def test_a_day_beside_a_verb_is_a_day() -> None:
    (issued, paper) = read_sentences(
        ["The council issued a warning on Monday.", "On Friday paper bags were found."]
    )
    assert [c.said for c in issued.claims] == ["Monday"]
    assert [c.said for c in paper.claims] == ["Friday"]


def test_when_it_was_said_is_not_when_it_was() -> None:
    said, printed, was = read_sentences(
        [
            "The ministry stated on Sunday that the lorry had left at 5.15 pm.",
            "The Post wrote in its Friday edition that the dam had held.",
            "The lorry left on Sunday at 10 on the dot.",
        ]
    )
    assert [(c.kind, c.said) for c in said.claims] == [("time", "5.15 pm")]
    assert not printed.claims
    assert ("date", "Sunday") in [(c.kind, c.said) for c in was.claims]


def test_what_did_not_happen_until_ten_happened() -> None:
    (late, never) = read_sentences(
        ["The sirens did not sound until 10.40 pm.", "The sirens did not sound at all."]
    )
    assert [c.negated for c in late.clauses] == [False] and not late.denied
    assert [c.negated for c in never.clauses] == [True] and never.denied


def test_what_is_denied_is_known_by_its_stem() -> None:
    lots, none = read_sentences(
        ["Lots were drawn for places.", "There was no drawing of lots, he chose the crew."]
    )
    assert none.denied >= {"draw", "lot"} and not lots.denied
    assert none.denied & stems_of(lots.words)


def test_happenings_are_shared_by_other_words() -> None:
    assert "shut" in kinds_of(["close"]) & kinds_of(["shut"])
    assert "rescue" in kinds_of(["get_out"]) & kinds_of(["release"])
    assert not kinds_of(["teapot"])


def test_the_apostrophe_of_word_processors() -> None:
    (straight, curly) = read_sentences(["He wasn't hurt.", "He wasn’t hurt."])
    assert straight.sides == curly.sides == {("harm", -1)}


def test_a_month_is_a_whole_word() -> None:
    (mayors, may) = read_sentences(["They met 12 Mayors there.", "They met on 12 May there."])
    assert [(c.kind, c.said) for c in mayors.claims] == [("number", "12 Mayors")]
    assert [(c.kind, c.said) for c in may.claims] == [("date", "12 May")]


def test_a_list_of_a_thousand_names() -> None:
    (found,) = read_sentences(["We saw " + ", ".join(["Ann", "Bo"] * 600) + " and six men."])
    assert "ann" in found.names


def _number(text: str) -> Claim:
    (reading,) = read_sentences([text])
    (claim,) = [c for c in reading.claims if c.kind == "number"]
    return claim


@pytest.mark.parametrize(
    ("text", "value", "unit", "said"),
    [
        ("The silver is worth £240,000.", 240_000, "£", "£240,000"),
        ("They offered $1.5 million for it.", 1_500_000, "$", "$1.5 million"),
        ("Some 75 percent of the traffic was lost.", 75, "%", "75 percent"),
        ("Tomasz Wilczek, 58, noticed smoke.", 58, "year old", "58"),
        ("The 38-year-old suspect fled.", 38, "year old", "38-year-old"),
        ("She shot three co-workers.", 3, "worker", "three co-workers"),
    ],
)
def test_amounts_have_their_units(text: str, value: float, unit: str, said: str) -> None:
    claim = _number(text)
    assert (claim.value.value, claim.unit, claim.said) == (value, unit, said)  # type: ignore[union-attr]


def test_an_anchor_is_what_the_value_is_told_of() -> None:
    anchor = _number("Lynch said that the Red Sox had offered Teixeira 184 coins.").anchor
    assert anchor.predicate == "offer" and anchor.asserted and not anchor.negated
    assert "sox" in anchor.actors and "lynch" not in anchor.names
    assert _number("Nobody offered Teixeira 184 coins.").anchor.negated
    assert not _number("The club would offer 184 coins.").anchor.asserted
    assert _number("They were treated by 12 other nurses.").anchor.partial >= {"other"}


def test_fates_go_with_the_number_they_stand_by() -> None:
    (reading,) = read_sentences(["Six men were killed and 12 men were injured."])
    assert [c.anchor.fates for c in reading.claims if c.kind == "number"] == [{"dead"}, {"hurt"}]


def test_a_run_of_days_tells_nothing_and_takes_no_time() -> None:
    few, many = read_sentences(["The ferry left on Monday.", "Monday " * 5_000])
    assert [claim.kind for claim in few.claims] == ["date"] and not many.claims


@pytest.mark.parametrize(
    ("text", "age", "names"),
    [
        ("John Holt died of cancer in 2002 at age 61.", 61, {"john", "holt"}),
        ("Holt has died in jail at the age of 77.", 77, {"holt"}),
        ("Ada Brandt, aged 33, won the race.", 33, {"ada", "brandt"}),
        ("Police arrested 38-year-old Ada Brandt in Paris.", 38, {"ada", "brandt"}),
    ],
)
def test_an_age_is_that_of_a_name(text: str, age: float, names: set[str]) -> None:
    (reading,) = read_sentences([text])
    (claim,) = [c for c in reading.claims if c.unit == "year old"]
    assert isinstance(claim.value, Amount) and claim.value.value == age
    assert claim.anchor.names == names


def test_a_limit_of_age_is_nobody_s_age() -> None:
    (reading,) = read_sentences(["She was the first physician under age 40 on the board."])
    assert not [c for c in reading.claims if c.unit == "year old"]
