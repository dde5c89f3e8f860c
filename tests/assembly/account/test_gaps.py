from __future__ import annotations

from typing import Any

from fabula.assembly.account.gaps import find_gaps
from fabula.events import Event, Prediction, Ranking
from fabula.types import Actor, Deed, Narrative, Placed, Sentence


class Guesser:
    """Says that an arrest usually stands between."""

    def rank(self, tests: list[Any], top: int) -> list[Ranking]:
        return [Ranking((Prediction(Event("arrest", "obj"), 1.5, 0.0),), 1) for _ in tests]


def story() -> Narrative:
    placed = tuple(Placed(Sentence(t), i, 1.0) for i, t in enumerate(("A", "B"), 1))
    deeds = (Deed(1, "rob", "Rook", "bank"), Deed(2, "confess", "Rook"))
    return Narrative(4, "x", placed, 1.0, (Actor("Rook", (1, 2)),), deeds)


def test_gaps_are_guesses_between_neighbours() -> None:
    (gap,) = find_gaps([story()], Guesser())
    assert (gap.story, gap.after, gap.before, gap.actor) == (4, 1, 2, "Rook")
    assert gap.event == "arrest->obj" and gap.score == 1.5
    assert find_gaps([Narrative(1, "x", (), 1.0)], Guesser()) == ()
