"""coherence: endings that contradict nothing and follow."""

from __future__ import annotations

import pytest

from fabula.endings import Ending, choose
from fabula.endings.models.coherence import Coherence
from fabula.errors import UsageError

STORY = ("Ann left home without an umbrella.", "Dark clouds came up.", "It began to pour.")


def test_what_contradicts_the_story_is_not_chosen() -> None:
    items = [
        Ending("1", STORY, ("Ann stayed dry in the bright sun.", "Ann was soaked to the skin.")),
        Ending("2", ("The man is asleep in his bed.",), ("He is running.", "He is resting.")),
    ]
    assert [int(s[1] > s[0]) for s in Coherence().score(items)] == [1, 1]
    # What an item gets does not depend on those beside it.
    assert Coherence().score(items[1:])[0] == pytest.approx(Coherence().score(items)[1])


def test_it_is_the_best_that_needs_no_training() -> None:
    (choice,) = choose([(STORY, ["It was dry.", "She got wet."])])
    assert choice.model == "coherence"


def test_odd_items() -> None:
    assert Coherence().score([]) == []
    (scores,) = Coherence().score([Ending("1", (), ("One.", "Two.", "Three."))])
    assert scores == (0.0, 0.0, 0.0)  # no story to contradict or to follow
    (scores,) = Coherence().score([Ending("1", ("", " "), ("One.", "Two."))])
    assert len(scores) == 2
    effect, cause = (
        Coherence().score([Ending("1", ("It rained.",), ("I got wet.", "I sang."), relation=way)])
        for way in ("effect", "cause")
    )
    assert effect != cause


def test_its_argument() -> None:
    assert Coherence.from_argument("lm").lm
    with pytest.raises(UsageError, match="coherence takes"):
        Coherence.from_argument("fast")
