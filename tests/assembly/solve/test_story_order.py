from __future__ import annotations

from typing import Any

from fabula.assembly import assemble
from fabula.assembly.solve.story_order import place_by_date
from fabula.ordering.chronology.story_time import StoryTime
from fabula.text.temporal.interval import interval_of
from fabula.types import Document


def test_times_of_messages_decide_the_order() -> None:
    def message(text: str, time: str) -> Document:
        return Document("c", (text,), source="c", extra={"chat": True, "sender": "A", "time": time})

    found = assemble(
        [
            message("The fire is out now.", "2021-03-04T23:00:00"),
            message("Smoke over the mill.", "2021-03-04T21:00:00"),
            message("The mill is burning. Help!", "2021-03-04T21:30:00"),
        ],
        stories=1,
    )
    told = [p.sentence.text for p in found.stories[0].sentences]
    assert told == ["Smoke over the mill.", "The mill is burning.", "Help!", "The fire is out now."]


def test_a_date_that_was_set_gives_the_sentence_its_place() -> None:
    text = """The ferry left the harbour in thick fog.
The captain of the ferry sounded the horn at the harbour mouth.
The ferry sailed again on 5 March 2024.
Divers looked at the hull of the ferry on 7 March 2024."""
    lines = text.splitlines()

    def told(*corrections: dict[str, Any]) -> list[int]:
        found = assemble([text], stories=1, corrections={"corrections": list(corrections)})
        return [lines.index(p.sentence.text) for p in found.stories[0].sentences]

    later: dict[str, Any] = {"do": "date", "sentence": lines[0], "date": "2024-03-06"}
    first: dict[str, Any] = {"do": "move", "sentence": lines[0], "to": 1, "after": None}
    assert told() == [0, 1, 2, 3]
    assert told(later) == [1, 2, 0, 3]
    assert told({**later, "date": "2024-03"}) == [0, 1, 2, 3]  # no date speaks against it
    assert told({**later, "date": None}) == [0, 1, 2, 3]
    assert told(first, later) == [1, 2, 0, 3]  # what was said last holds
    assert told(later, first) == [0, 1, 2, 3]


def test_places_by_date_are_the_nearest_ones_that_agree() -> None:
    dates = ["2024-01-01", "", "2024-01-03", "", "2024-01-05", "2024-01-02"]
    spans = [interval_of(date) if date else None for date in dates]
    times = {i: StoryTime(dates[i], span) for i, span in enumerate(spans)}
    assert place_by_date([0, 1, 2, 3, 4, 5], [5], times) == [0, 1, 5, 2, 3, 4]
    assert place_by_date([5, 0, 1, 2, 3, 4], [5], times) == [0, 5, 1, 2, 3, 4]
    assert place_by_date([4, 0, 5], [5], times) == [4, 0, 5]  # as wrong as first: it stays
    assert place_by_date([1, 3], [1], times) == [1, 3]


def test_sentences_of_unknown_order_name_each_other() -> None:
    told = ["Rook sailed from the harbour.", "The harbour was grey.", "Rook is in the harbour."]
    placed = assemble([told[n] for n in (1, 2, 0)], stories=1).stories[0].sentences
    for sentence in placed:
        for position in sentence.unordered:
            assert sentence.position in placed[position - 1].unordered
    assert any(sentence.unordered for sentence in placed), "nothing says what came first"
    dated = [f"The ferry sailed on {day} March 2024." for day in (7, 3, 5)]
    for sentence in assemble(dated, stories=1).stories[0].sentences:
        assert sentence.unordered == (), "dates say it"
