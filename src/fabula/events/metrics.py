"""Metrics of the event cloze: recall@k, MRR, mean rank, accuracy, information content.

Ties share their mean rank. An event the model has never seen stands behind all its candidates.
Recall by frequency band is reported beside the whole, because one number hides that a model may
live on the few most frequent events alone.
"""

from __future__ import annotations

from collections.abc import Callable

from fabula.errors import UsageError
from fabula.events.cloze.event_test import EventRank, EventTest, Ranking
from fabula.task import Score

__all__ = [
    "BANDS",
    "DEPTH",
    "METRICS",
    "accuracy",
    "information_content",
    "mean_rank",
    "mrr",
    "recall",
    "recall_in_band",
]

DEPTH = 10  # predictions whose information_content content is averaged
# Frequency ranks in the model's own training, first and last.
BANDS: dict[str, tuple[int, float]] = {
    "1-50": (1, 50),
    "51-200": (51, 200),
    "201-1000": (201, 1000),
    "rarer": (1001, float("inf")),
}


def _answer_rank(test: EventTest, ranking: Ranking) -> EventRank:
    if ranking.answer_rank is None:
        raise UsageError(f"test {test.id!r} has no answer; it cannot be scored")
    return ranking.answer_rank


def recall(at: int) -> Callable[[EventTest, Ranking], Score]:
    """The metric recall@``at``."""

    def share(test: EventTest, ranking: Ranking) -> Score:
        """Whether the answer is among the first so many."""
        return Score(float(_answer_rank(test, ranking).rank <= at))

    return share


def mrr(test: EventTest, ranking: Ranking) -> Score:
    """Mean reciprocal rank."""
    return Score(1.0 / _answer_rank(test, ranking).rank)


def mean_rank(test: EventTest, ranking: Ranking) -> Score:
    """The place of the answer among all candidates."""
    return Score(_answer_rank(test, ranking).rank)


def information_content(test: EventTest, ranking: Ranking) -> Score:
    """IC: mean bits of the first ten predictions; rare events say more than frequent ones."""
    bits = [p.bits for p in ranking.predictions[:DEPTH] if p.bits is not None]
    return Score(sum(bits), float(len(bits)))


def accuracy(test: EventTest, ranking: Ranking) -> Score:
    """Whether the answer is first; a tie for the first answer counts for its share."""
    rank = _answer_rank(test, ranking).rank  # k events at the top share the rank (k + 1) / 2
    best = ranking.predictions[0].score if ranking.predictions else 0.0
    ties = sum(p.score == best for p in ranking.predictions)
    return Score(1.0 / ties if ties and rank == (ties + 1) / 2 else 0.0)


def recall_in_band(low: float, high: float, at: int = 50) -> Callable[[EventTest, Ranking], Score]:
    """The metric recall@``at`` over answers of a band of frequency ranks."""

    def share(test: EventTest, ranking: Ranking) -> Score:
        """Recall of the answers whose frequency rank in training is in the band; unseen: rarer."""
        answer = _answer_rank(test, ranking)
        frequency = float("inf") if answer.frequency_rank is None else answer.frequency_rank
        inside = low <= frequency <= high
        return Score(float(inside and answer.rank <= at), float(inside))

    return share


METRICS: dict[str, Callable[[EventTest, Ranking], Score]] = {
    "recall@50": recall(50),
    "recall@10": recall(10),
    "MRR": mrr,
    "mean_rank": mean_rank,
    "IC": information_content,
    "accuracy": accuracy,
    **{f"recall_{name}@50": recall_in_band(*bounds) for name, bounds in BANDS.items()},
}
