from __future__ import annotations

from fabula.assembly import assemble
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
