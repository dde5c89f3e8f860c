"""Ranks with ties, recall and its bands, information content; rankings without ``locate``."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.events import TASK
from fabula.events.cloze.event_test import EventRank, EventTest, Prediction, Ranking, check
from fabula.events.cloze.ranking import rank_scores
from fabula.events.counts.counting import count
from fabula.events.items import Chain, Event
from fabula.events.metrics import METRICS

WORDS = [Event(name, "s") for name in "abcdef"]
COUNTS = count([Chain("d", "1", tuple(WORDS))])
TEST = EventTest("t", (WORDS[0],), 1, WORDS[1])


def ranking(*scores: float, top: int = 50, test: EventTest = TEST) -> Ranking:
    return rank_scores(np.array(scores), test, COUNTS, top)


def scored(metric: str, rank: float, frequency: int | None = 1, **more: float) -> tuple[float, ...]:
    answer = Ranking((Prediction(WORDS[0], 1.0, 4.0),), 9, EventRank(rank, frequency))
    score = METRICS[metric](TEST, answer)
    return score.total, score.count


def test_ties_share_their_mean_rank() -> None:
    found = ranking(1.0, 3.0, 3.0, 3.0, 0.0, -2.0)
    assert [found.rank_of(event).rank for event in WORDS] == [4.0, 2.0, 2.0, 2.0, 5.0, 6.0]
    assert ranking(*[0.0] * 6).rank_of(WORDS[3]).rank == 3.5


def test_what_is_not_ranked_shares_the_rest_and_the_unseen_is_last() -> None:
    found = ranking(2.0, 1.0, *[-np.inf] * 4)
    assert found.rank_of(WORDS[4]).rank == 2 + (4 + 1) / 2
    assert found.rank_of(Event("never", "s")) == EventRank(7.0, None)
    assert len(found.predictions) == 2 and found.candidates == 6
    check(TEST, found)


def test_top_keeps_the_best_in_order() -> None:
    found = ranking(0.5, 4.0, 2.0, 3.0, 1.0, 0.0, top=3)
    assert [p.event.verb for p in found.predictions] == ["b", "d", "c"]
    assert found.rank_of(WORDS[5]).rank == 6.0  # exact, however far down


def test_options_are_ranked_alone() -> None:
    test = EventTest("t", (WORDS[0],), 1, None, (WORDS[2], Event("never", "s"), WORDS[1]))
    found = ranking(9.0, 1.0, 2.0, 9.0, 9.0, 9.0, test=test)
    assert [p.event.verb for p in found.predictions] == ["c", "b", "never"]
    assert found.rank_of(WORDS[1]).rank == 2.0 and found.candidates == 3
    check(test, found)


def test_a_ranking_without_locate() -> None:
    given = Ranking(tuple(Prediction(e, s) for e, s in zip(WORDS, (3, 2, 2), strict=False)), 9)
    assert given.rank_of(WORDS[0]).rank == 1.0
    assert given.rank_of(WORDS[1]).rank == given.rank_of(WORDS[2]).rank == 2.5
    assert given.rank_of(WORDS[5]).rank == 3 + (6 + 1) / 2


def test_metrics() -> None:
    assert scored("recall@50", 50.0) == (1.0, 1.0) and scored("recall@50", 50.5) == (0.0, 1.0)
    assert scored("recall@10", 10.0) == (1.0, 1.0)
    assert scored("MRR", 4.0) == (0.25, 1.0) and scored("mean_rank", 4.5) == (4.5, 1.0)
    assert scored("IC", 1.0) == (4.0, 1.0)
    assert scored("accuracy", 1.0) == (1.0, 1.0) and scored("accuracy", 2.0) == (0.0, 1.0)


def test_a_tie_for_the_first_place_is_shared() -> None:
    tied = Ranking(tuple(Prediction(event, 1.0) for event in WORDS[:4]), 4, EventRank(2.5, 1))
    assert METRICS["accuracy"](TEST, tied).total == 0.25


@pytest.mark.parametrize(
    ("frequency", "band"),
    [(50, "1-50"), (51, "51-200"), (1000, "201-1000"), (1001, "rarer"), (None, "rarer")],
)
def test_every_answer_is_in_one_band(frequency: int | None, band: str) -> None:
    bands = [name for name in METRICS if name.startswith("recall_")]
    inside = [name for name in bands if scored(name, 3.0, frequency) == (1.0, 1.0)]
    outside = [name for name in bands if scored(name, 3.0, frequency) == (0.0, 0.0)]
    assert inside == [f"recall_{band}@50"] and len(outside) == len(bands) - 1


def test_what_cannot_be_scored_says_so() -> None:
    with pytest.raises(UsageError, match="has no answer"):
        METRICS["MRR"](TEST, Ranking((), 0))
    for wrong, problem in (
        (Ranking((Prediction(WORDS[0], float("nan")),), 3), "not a finite number"),
        (Ranking((Prediction(WORDS[0], 1.0), Prediction(WORDS[1], 2.0)), 3), "not sorted"),
        (Ranking((Prediction(WORDS[0], 1.0),), 0), "1 predictions of 0 candidates"),
    ):
        with pytest.raises(UsageError, match=problem):
            check(TEST, wrong)


def test_a_ranking_survives_being_stored() -> None:
    found = ranking(0.5, 4.0, 2.0, 3.0, 1.0, 0.0)
    row = TASK.to_row(found)
    assert TASK.to_row(TASK.from_row(row)) == row
