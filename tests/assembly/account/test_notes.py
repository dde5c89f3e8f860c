from __future__ import annotations

from fabula.assembly.account.notes import inseparable_notes
from fabula.types import Narrative, Placed, Sentence


def story(number: int, runners_up: list[int | None], probability: float) -> Narrative:
    sentences = tuple(
        Placed(Sentence(f"Sentence {at}.", line=at), at, probability, runner_up=other)
        for at, other in enumerate(runners_up, 1)
    )
    return Narrative(number, "", sentences, 1.0, (), ())


def test_stories_that_cannot_be_separated() -> None:
    stories = [
        story(1, [2, 2, 3], 0.4),
        story(2, [None, None], 0.4),
        story(3, [1, 1], 0.9),
        story(4, [7, 7], 0.4),  # a story that is not shown
    ]
    assert inseparable_notes(stories) == ["Stories 1 and 2 cannot be separated for certain."]
