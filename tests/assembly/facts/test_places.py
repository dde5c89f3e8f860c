"""Places told in a sentence, and which cannot be the same."""

from __future__ import annotations

from fabula.assembly.facts.places import Place
from fabula.assembly.facts.reading import read_sentences


def _site(text: str) -> Place:
    (reading,) = read_sentences([text])
    (place,) = [c.value for c in reading.claims if isinstance(c.value, Place)]
    return place


def test_two_of_one_kind_are_told_apart_by_their_marks() -> None:
    three, two = _site("A fire broke out in hall three."), _site("They met in hall two.")
    assert three.head == two.head == "hall" and three.apart(two) == 2
    assert three.apart(three) == 0


def test_places_of_different_kinds() -> None:
    gate, park = _site("He met me at the cemetery gate."), _site("We met in the car park.")
    assert gate.apart(park) == 1


def test_what_is_no_place() -> None:
    (reading,) = read_sentences(["We went there in great haste and with little hope."])
    assert not [c for c in reading.claims if c.kind == "place"]


def test_where_a_relative_clause_happens() -> None:
    quarry = _site("Police drove to the Ekra quarry, where the van was found in flames.")
    assert quarry.said == "to the Ekra quarry" and quarry.is_named
