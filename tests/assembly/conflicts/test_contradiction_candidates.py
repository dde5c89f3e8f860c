"""Contradictions by likeness, on a small pile written for this test; no weights are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fabula.assembly.conflicts.contradiction_candidates import (
    Candidate,
    candidates,
    log_odds_weights,
    nearest,
    probability,
    thresholds,
)
from fabula.assembly.conflicts.contradictions import find_contradictions
from fabula.assembly.conflicts.source_style import different_source, style_of
from fabula.assembly.facts.outcomes import denies, stems_of
from fabula.assembly.facts.reading import Reading, read_sentences
from fabula.pairs.features.event_classes import kinds_of
from fabula.text.encoders.sentence import minilm

REST = [
    "The choir sang in the old chapel.", "My aunt keeps bees behind her house.",
    "Wheat is dear this year.", "A tram runs to the lake on holidays.",
    "The mayor opened a new school.", "Rain fell on the vineyards.",
    "We painted the kitchen yellow.", "The museum bought a map.",
    "Two dogs slept under the table.", "Her brother plays the horn.",
]  # fmt: skip
NUMBER = (
    "The 31 guests were led from the cabin along the walkway.",
    "I counted us over and over in the cabin, and we were twenty-four.",
)
TIME = (
    "The valve was closed remotely by the engineer at 05.50.",
    "I saw them shut the valve by hand at twenty to seven, and my watch is right.",
)
DATE = (
    "The chapel bell was taken down on 11 August for the foundry.",
    "I saw them carry our bell away on the fourteenth of August.",
)
PLACE = (
    "The alarm was given in hall three of the brickworks.",
    "Flames stood in hall two when we came with the hoses.",
)
OUTCOME = (
    "The statue was recovered undamaged and handed over.",
    "I held the statue in my hands, and its neck was broken.",
)


class Twins:
    """An encoder to which two given sentences, and all they are made of, are alike."""

    def __init__(self, twins: Sequence[str]) -> None:
        self.twins = " ".join(twins)

    def encode(self, texts: Sequence[str], /) -> Any:
        rows = []
        for at, text in enumerate(texts):
            row = np.zeros(200, dtype=np.float32)
            row[0 if text in self.twins else 1 + at] = 1.0
            rows.append(row)
        return np.stack(rows)


@pytest.mark.parametrize(("kind", "pair"), [("number", NUMBER), ("time", TIME), ("date", DATE)])
def test_differing_values_of_paraphrases(kind: str, pair: tuple[str, str]) -> None:
    readings = read_sentences([*pair, *REST])
    found = find_contradictions(readings, encoder=Twins(pair))
    assert [(c.kind, c.first, c.second) for c in found] == [(kind, 0, 1)]
    assert 0 < found[0].weight < 1


def test_opposed_outcomes_of_paraphrases() -> None:
    readings = read_sentences([*OUTCOME, *REST])
    found = find_contradictions(readings, encoder=Twins(OUTCOME))
    assert [(c.kind, c.first, c.second) for c in found] == [("outcome", 0, 1)]


def test_a_sentence_has_one_classified_contradiction_of_a_kind() -> None:
    third = "The gas was turned off at eight, the engineer says."
    readings = read_sentences([*TIME, third, *REST])
    found = find_contradictions(readings, encoder=Twins([*TIME, third]))
    assert len([c for c in found if c.kind == "time"]) == 1


def test_distant_sentences_do_not_contradict() -> None:
    readings = read_sentences([*NUMBER, *REST])
    assert find_contradictions(readings, encoder=Twins(REST[6:8])) == []


def test_a_small_pile_has_no_candidates() -> None:
    assert candidates(read_sentences(list(NUMBER)), Twins(NUMBER)) == []


@pytest.mark.parametrize(
    ("regression", "pair"),
    [
        ("number", NUMBER), ("time", TIME), ("date", DATE), ("place", PLACE),
        ("outcome", OUTCOME), ("reading", NUMBER),
    ],
)  # fmt: skip
def test_every_weight_has_a_feature(regression: str, pair: tuple[str, str]) -> None:
    near = [*pair, "A third of that kind."]
    found = candidates(read_sentences([*near, *REST]), Twins(near))
    features = next(c.features for c in found if c.regression == regression)
    assert log_odds_weights()[regression].keys() - {"intercept"} <= features.keys()


def test_opposite_directions() -> None:
    pair = ["The ship broke down south of Hestholm.", "It had broken down north of Hestholm."]
    (found,) = find_contradictions(read_sentences(pair))
    assert (found.kind, found.values) == ("place", ("south of Hestholm", "north of Hestholm"))


def test_names_are_no_directions_and_light_verbs_share_no_object() -> None:
    apart = ["The army of North Vietnam marched.", "The army of South Vietnam marched."]
    assert find_contradictions(read_sentences(apart)) == []
    battles = ["The battle took place in Lund.", "The siege took place in Visby."]
    assert find_contradictions(read_sentences(battles)) == []
    same = ["The battle of Orm took place in Lund.", "The battle of Orm took place in Visby."]
    assert [c.kind for c in find_contradictions(read_sentences(same))] == ["place"]


def test_sides() -> None:
    (whole, broken, unbroken) = read_sentences(
        [*OUTCOME, "The statue was not broken when we found it."]
    )
    assert ("damage", -1) in whole.sides and ("damage", 1) in broken.sides
    assert ("damage", -1) in unbroken.sides
    assert denies("At no time did water enter.") and not denies("Water entered the hull.")


def test_a_number_is_no_denial() -> None:
    assert not denies("Pump No. 5 failed.")
    assert denies("There were no 5 men.")
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


def test_source_styles() -> None:
    witness, authority = (
        style_of("I saw it with my own eyes."),
        style_of("The road was closed at 14.05."),
    )
    assert sum(witness) == pytest.approx(1) and witness[1] > 0.8 and authority[2] > 0.5
    assert different_source(witness, authority) > different_source(witness, witness)


def test_the_apostrophe_of_word_processors() -> None:
    (straight, curly) = read_sentences(["He wasn't hurt.", "He wasn’t hurt."])
    assert straight.sides == curly.sides == {("harm", -1)}
    assert style_of("It wasn't.") == style_of("It wasn’t.")


def test_a_month_is_a_whole_word() -> None:
    (mayors, may) = read_sentences(["They met 12 Mayors there.", "They met on 12 May there."])
    assert [(c.kind, c.said) for c in mayors.claims] == [("number", "12 Mayors")]
    assert [(c.kind, c.said) for c in may.claims] == [("date", "12 May")]


def test_a_list_of_a_thousand_names() -> None:
    (found,) = read_sentences(["We saw " + ", ".join(["Ann", "Bo"] * 600) + " and six men."])
    assert "ann" in found.names


def test_nearest_equals_a_full_sort() -> None:
    vectors = np.random.default_rng(1).normal(size=(60, 5)).round(1).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    members = np.arange(0, 60, 2)
    for row, scores in enumerate(vectors @ vectors.T):
        scores[row] = -1
        best = [int(k) for k in np.argsort(-scores, kind="stable") if scores[k] >= 0.1]
        assert nearest(scores, np.arange(60)) == best[:20]
        assert nearest(scores, members) == [k for k in best if k % 2 == 0][:20]


def test_an_empty_reading_has_no_values() -> None:
    (blank,) = read_sentences(["Rain."])
    readings: list[Reading] = [replace(blank, text=f"{k}") for k in range(12)]
    assert {c.regression for c in candidates(readings, Twins(["0", "1"]))} <= {"reading"}


def test_pruned_pairs_are_never_reported() -> None:
    readings = read_sentences([*NUMBER, *TIME, *DATE, *PLACE, *OUTCOME, *REST])

    def reported(found: list[Candidate]) -> set[tuple[str, int, int]]:
        limits = thresholds()
        return {(c.kind, *c.pair) for c in found if probability(c) >= limits[c.regression]}

    every = candidates(readings, minilm(), unpruned=True)
    some = candidates(readings, minilm())
    assert len(some) < len(every)
    assert reported(some) == reported(every) != set()
