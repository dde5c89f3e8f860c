"""Which claims are compared, and what is agreement before any model is asked."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.assembly.conflicts.candidates import Candidate, candidates
from fabula.assembly.conflicts.features import candidate_features
from fabula.assembly.facts.reading import read_sentences
from fabula.core.model_store import shipped_config
from fabula.pairs.items import Relation

AGREE = {
    "a value the other tells too": (
        "Twenty of the twenty-one boats came home.",
        "All twenty-one boats had gone out that day.",
    ),
    "a sum": (
        "Three people were shot at the office on Monday.",
        "A woman and two men were shot at the office on Monday.",
    ),
    "about": ("About 200 people came to the hall.", "Some 190 people came to the hall."),
    "at least": ("At least 12 miners died in the shaft.", "Fourteen miners died in the shaft."),
    "another fate": (
        "Six people were killed in the quake at Lorn.",
        "Forty people were injured in the quake at Lorn.",
    ),
    "a part": (
        "Three victims were treated at the hospital.",
        "Two other victims were treated at the hospital.",
    ),
    "a rate": (
        "The Sox offered Holt a deal worth $184 million.",
        "The Sox offered Holt a deal worth $22 million per season.",
    ),
    "other actors": (
        "The Orioles offered Holt 140 million dollars.",
        "The Angels offered Holt 160 million dollars.",
    ),
    "a range": (
        "The club offered Holt between $140 million and $150 million.",
        "The club offered Holt $145 million.",
    ),
    "an edition": ("The 2012 Oscars were dull.", "The 2014 Oscars were dull."),
}


def _values(one: str, other: str) -> list[Candidate]:
    """The candidates by value of two sentences that are not near."""
    readings = read_sentences([one, other])
    return [c for c in candidates(readings, np.eye(2, dtype=np.float32)) if c.kind != "outcome"]


@pytest.mark.parametrize("why", AGREE)
def test_what_agrees_is_no_candidate(why: str) -> None:
    assert _values(*AGREE[why]) == []


def test_differing_amounts_of_one_thing() -> None:
    (found,) = _values(
        "The quake struck 26 miles north of Lorn.", "The quake struck 20 miles north of Lorn."
    )
    assert (found.kind, found.pair) == ("number", (0, 1))
    assert [claim.said for claim in found.claims] == ["26 miles", "20 miles"]


def test_ages_are_compared_of_one_name_only() -> None:
    one = "Ada Brandt, 61, was arrested on Friday."
    assert _values(one, "Police arrested Ada Brandt, 60, at home.")
    assert not _values(one, "Police arrested Otto Lind, 60, at home.")


def _near_numbers(one: str, other: str) -> list[tuple[str, ...]]:
    readings = read_sentences([one, other])
    found = candidates(readings, np.ones((2, 1), dtype=np.float32))
    return [tuple(claim.said for claim in c.claims) for c in found if c.kind == "number"]


def test_the_age_of_somebody_who_is_not_named_is_compared_in_near_sentences_of_one_fate() -> None:
    one = "A 60-year-old woman charged with murder was held on Friday."
    named = "Police arrested Ada Brandt, aged 61, on Friday."
    assert _near_numbers(one, named) == [("60-year-old", "61")]
    assert not _near_numbers(one, "Police arrested Otto Brandt, aged 61, on Friday.")
    assert not _near_numbers(one, "Ada Brandt, aged 61, died on Friday.")
    assert not _near_numbers(one, "A 41-year-old murder case was closed on Friday.")


def test_times_are_compared_of_one_kind_of_event_only() -> None:
    one = "The sirens sounded at 9.20 pm on Tuesday."
    assert [c.kind for c in _values(one, "The sirens sounded at 10.40 pm on Tuesday.")] == ["time"]
    assert not _values(one, "The mayor slept until 10.40 pm on Tuesday.")


def test_opposite_directions_of_one_landmark() -> None:
    (found,) = _values(
        "The ship broke down south of Hestholm.", "It had broken down north of Hestholm."
    )
    assert [claim.said for claim in found.claims] == ["south of Hestholm", "north of Hestholm"]
    assert not _values("The army of North Vietnam won.", "The army of South Vietnam won.")


def test_near_sentences_are_compared_whatever_their_words() -> None:
    readings = read_sentences(
        ["I counted us twice, and we were twenty-four.", "The 31 guests were led out."]
    )
    near = np.ones((2, 1), dtype=np.float32)
    assert [c.how for c in candidates(readings, near) if c.kind == "number"] == ["near"]


def test_every_weight_has_a_feature_and_every_feature_a_weight() -> None:
    class Level:
        def relate(self, pairs: list[object]) -> list[Relation]:
            return [Relation(0.2, 0.5, 0.3, 0.5) for _ in pairs]

    readings = read_sentences(["Nine men drowned at Lorn.", "Two men drowned at Lorn."])
    vectors = np.ones((2, 1), dtype=np.float32)
    found = candidates(readings, vectors)
    rows = candidate_features(found, readings, vectors, model=Level())
    weights = shipped_config("assembly/contradictions")["log_odds"]
    assert rows and all(row.keys() == weights.keys() - {"intercept"} for row in rows)


def test_an_empty_pile() -> None:
    assert candidates([], np.zeros((0, 4), dtype=np.float32)) == []
    assert candidate_features([], [], np.zeros((0, 4), dtype=np.float32)) == []
