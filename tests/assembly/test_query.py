from __future__ import annotations

from typing import Any

import numpy as np

from fabula.assembly.query import find_account
from fabula.types import Narrative, Placed, Sentence


class Letters:
    def encode(self, texts: list[str]) -> Any:
        return np.array([[t.lower().count(c) for c in "abcdefghijklmnopqrstuvwxyz"] for t in texts])


def test_the_best_matching_story() -> None:
    def narrative(number: int, *texts: str) -> Narrative:
        return Narrative(
            number, "x", tuple(Placed(Sentence(t), i, 1.0) for i, t in enumerate(texts, 1))
        )

    stories = [narrative(1, "Rain.", "Mud."), narrative(7, "Fog.", "The ferry sank.", "Calm.")]
    found = find_account(stories, "the account in which the ferry sank", Letters())
    assert (found.query, found.story, found.positions[0]) == ("the ferry sank", 7, 2)
    assert set(found.scores) == {1, 7} and found.clear
