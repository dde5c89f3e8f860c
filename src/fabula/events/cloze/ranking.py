"""Scores of all event types -> a ranking: top predictions, exact ranks, ties at their mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.events.cloze.event_test import EventRank, EventTest, Prediction, Ranking
from fabula.events.counts.event_counts import Counts
from fabula.events.items import Event

__all__ = ["rank_scores"]

Floats = NDArray[np.float64]


def rank_scores(scores: Floats, test: EventTest, counts: Counts, top: int) -> Ranking:
    """The ranking of all event types by ``scores``; -inf is a candidate that is not ranked.

    Those not ranked share the ranks left over; an event never seen stands behind them all.
    """
    if test.options:
        return _choose(scores, test, counts)
    ranked = np.flatnonzero(np.isfinite(scores))
    best = ranked
    if len(ranked) > top:
        values = scores if len(ranked) == len(scores) else scores[ranked]
        best = ranked[np.argpartition(-values, top - 1)[:top]]
    best = best[np.lexsort((counts.frequency_ranks[best], -scores[best]))]
    types, rest = len(scores), len(scores) - len(ranked)

    def locate(event: Event) -> EventRank:
        event_id = counts.ids.get((event.verb, event.slot), -1)
        if event_id < 0:
            return EventRank(float(types + 1))
        frequency = int(counts.frequency_ranks[event_id])
        mine = scores[event_id]
        if not np.isfinite(mine):
            return EventRank(len(ranked) + (rest + 1) / 2, frequency)
        better = int(np.count_nonzero(scores > mine))
        equal = int(np.count_nonzero(scores == mine))
        return EventRank(better + (equal + 1) / 2, frequency)

    return Ranking(_predictions(best, scores, counts), types, locate=locate)


def _predictions(best: NDArray[np.int64], scores: Floats, counts: Counts) -> tuple[Prediction, ...]:
    events, bits = counts.events, counts.bits[best].tolist()
    return tuple(
        Prediction(events[event_id], score, bit)
        for event_id, score, bit in zip(best.tolist(), scores[best].tolist(), bits, strict=True)
    )


def _choose(scores: Floats, test: EventTest, counts: Counts) -> Ranking:
    """The options alone; one that is not ranked or never seen stands below all that are."""
    finite = scores[np.isfinite(scores)]
    floor = (float(finite.min()) if len(finite) else 0.0) - 1.0
    ids = counts.encode(test.options)
    values = [float(scores[i]) if i >= 0 and np.isfinite(scores[i]) else floor for i in ids]
    order = sorted(range(len(ids)), key=lambda option: (-values[option], str(test.options[option])))
    predictions = tuple(
        Prediction(
            test.options[option],
            values[option],
            float(counts.bits[ids[option]]) if ids[option] >= 0 else None,
        )
        for option in order
    )
    score_of = {(o.verb, o.slot): v for o, v in zip(test.options, values, strict=True)}

    def locate(event: Event) -> EventRank:
        mine = score_of.get((event.verb, event.slot), floor - 1.0)
        better, equal = sum(v > mine for v in values), sum(v == mine for v in values)
        event_id = counts.ids.get((event.verb, event.slot), -1)
        frequency = int(counts.frequency_ranks[event_id]) if event_id >= 0 else None
        return EventRank(better + (max(equal, 1) + 1) / 2, frequency)

    return Ranking(predictions, len(predictions), locate=locate)
