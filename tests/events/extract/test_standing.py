"""The standing of events: fact, denied, possible, planned, reported and by whom."""

from __future__ import annotations

import pytest

from fabula.events.extract.extraction import extract
from fabula.events.items import Event, event_from_row
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


def standing(text: str, verb: str) -> tuple[str, bool, bool, str]:
    """(modality, negated, reported, who says so) of the one predicate of this verb."""
    (parsed,) = Parser().each(Parsed.of, [text])
    (found,) = (p for p in extract(parsed) if p.verb == verb)
    source = found.standing.source
    speaker = "" if source is None else parsed.words[source]
    return found.standing.modality, found.negated, found.standing.reported, speaker


@pytest.mark.parametrize(
    ("text", "verb", "expected"),
    [
        ("Bellini stole the painting.", "steal", ("", False, False, "")),
        ("Ann did not come.", "come", ("", True, False, "")),
        ("He failed to stop the car.", "stop", ("", True, False, "")),
        ("Bellini may have fled.", "flee", ("possible", False, False, "")),
        ("If it rains, we stay.", "rain", ("possible", False, False, "")),
        ("He will return tomorrow.", "return", ("planned", False, False, "")),
        ("The rebels planned to attack the fort.", "attack", ("planned", False, False, "")),
        ("He went to the shop to buy milk.", "buy", ("planned", False, False, "")),
        (
            "Police said that Bellini had stolen the painting.",
            "steal",
            ("", False, True, "Police"),
        ),
        ("According to Reuters, the minister resigned.", "resign", ("", False, True, "Reuters")),
        ("The mayor was accused of taking bribes.", "take", ("", False, True, "")),
        ("Smith denied killing her.", "kill", ("", True, True, "Smith")),
        ("He is said to have left the town.", "leave", ("", False, True, "")),
        ("The driver allegedly hit a tree.", "hit", ("", False, True, "")),
        ('"I shot the dog yesterday," said Hale.', "shoot", ("", False, True, "Hale")),
    ],
)
def test_standing(text: str, verb: str, expected: tuple[str, bool, bool, str]) -> None:
    assert standing(text, verb) == expected


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (Event("flee", "subj"), "certain"),
        (Event("flee", "subj", negated=True, reported=True), "negated"),
        (Event("flee", "subj", modality="possible"), "modal"),
        (Event("flee", "subj", modality="planned"), "planned"),
        (Event("flee", "subj", reported=True, said_by="police"), "reported"),
    ],
)
def test_an_event_keeps_its_standing_in_a_row(event: Event, name: str) -> None:
    assert event.standing == name
    assert event_from_row(event.to_row()) == event


def test_a_doubtful_doer_is_shown_as_such() -> None:
    event = Event("flee", "subj", {"subj": "Bellini"}, certainty=0.6, unsure={"subj": "he"})
    assert event.shown("subj") == "he (Bellini?)"
    assert event_from_row(event.to_row()) == event


@pytest.mark.parametrize("row", [{"certainty": 2}, {"modality": "sure"}, {"unsure": 3}])
def test_a_bad_row_is_refused(row: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(row))):
        event_from_row({"verb": "flee", "slot": "subj", **row})
