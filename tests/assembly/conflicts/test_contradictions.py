"""Pairs written for these tests; the bundled sample is scored in test_score."""

from __future__ import annotations

import pytest

from fabula.assembly.conflicts.contradictions import find_contradictions
from fabula.assembly.facts.reading import read_sentences

DISAGREE = [
    ("number", "The blast at the chemical plant injured 14 workers.",
     "Nineteen workers were injured in the blast at the chemical plant."),
    ("number", "Police counted 2,000 demonstrators on Union Square.",
     "Some 9,000 demonstrators filled Union Square, the organisers said."),
    ("number", "The Astoria went down with 212 passengers.",
     "There were 180 passengers on the Astoria."),
    ("date", "The treaty of Lund was signed in 1679.", "The treaty of Lund was signed in 1681."),
    ("time", "The first shot was fired at 9:15.", "The first shot was fired at 10:40."),
    ("time", "The museum alarm rang at ten past two.",
     "At a quarter to three the museum alarm rang."),
    ("place", "The helicopter landed at the hospital in Reno.",
     "The helicopter landed on the football field."),
    ("place", "The plane crashed near Hrabove.", "The plane crashed outside Torez."),
    ("place", "Miller hid the rifle behind the barn.",
     "Miller hid the rifle under the church floor."),
    ("outcome", "The old bridge at Cassel collapsed in the flood.",
     "The old bridge at Cassel withstood the flood."),
    ("outcome", "Captain Oduya was killed in the ambush.", "Captain Oduya survived the ambush."),
    ("outcome", "The suspect Leon Marsh was arrested at the border.",
     "Leon Marsh escaped over the border."),
    ("outcome", "The guard locked the gate.", "The guard did not lock the gate."),
    ("outcome", "The warehouse on Dock Street was destroyed.",
     "The warehouse on Dock Street is intact."),
]  # fmt: skip
AGREE = [
    ("The blast injured 14 workers.", "Three firemen were hurt by smoke."),
    ("The British lost 300 men.", "The French lost 1,200 men."),
    ("Two rockets rose over the bay.", "Two rockets were seen from the hill."),
    ("The train left Leeds at nine.", "The train reached York at ten."),
    ("About 200 people came.", "More than 180 people came to the meeting."),
    ("Twenty of the twenty-one boats came home.", "All twenty-one boats had gone out that day."),
    ("Ann left her coat in the hall.", "Bob left his coat in the kitchen."),
    ("The mill burned down.", "The school survived the storm."),
    ("The ship sailed from Genoa in 1492.", "The ship sailed into Palos on 15 March 1493."),
    ("Oduya could have died.", "Oduya survived the fall."),
    ("The crew was saved.", "The trawler sank."),
    ("The bakery opened at six.", "The harbour office opened at eight."),
    ("Ten soldiers guarded the north gate.", "Four soldiers slept in the barn."),
    ("The plane crashed in Ukraine.", "The plane crashed near Hrabove."),
]


@pytest.mark.parametrize(("kind", "one", "two"), DISAGREE)
def test_contradicting_sentences(kind: str, one: str, two: str) -> None:
    found = find_contradictions(read_sentences([one, two]))
    assert [(c.kind, c.first, c.second) for c in found] == [(kind, 0, 1)]


@pytest.mark.parametrize(("one", "two"), AGREE)
def test_compatible_sentences(one: str, two: str) -> None:
    assert find_contradictions(read_sentences([one, two])) == []


def test_values_are_words_of_the_sentences() -> None:
    (found,) = find_contradictions(read_sentences([DISAGREE[5][1], DISAGREE[5][2]]))
    assert found.values == ("ten past two", "quarter to three")
    (found,) = find_contradictions(read_sentences([DISAGREE[0][1], DISAGREE[0][2]]))
    assert found.values == ("14 workers", "Nineteen workers") and "blast" in found.about
