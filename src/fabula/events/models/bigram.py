"""Bigram: k-skip bigrams with add-lambda smoothing (Jans et al. 2012; Chambers 2017, eq. 2-3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabula.errors import UnknownName
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.models.count_model import CountModel, Floats

__all__ = ["Bigram"]


@dataclass(kw_only=True, eq=False, repr=False)
class Bigram(CountModel):
    """S(e) = sum_{i<m} log P(e|c_i) + sum_{i>m} log P(c_i|e), with hole m.

    P(x|y) = (C(y->x) + lambda |E| P0(x)) / (C(y) + lambda |E|), the pairs at most ``skip`` events
    apart. With the ``prior`` ``uniform`` P0 is 1/|E| and this is equation 3; by default it is the
    ``unigram`` share, so that what was never seen together is ranked by frequency. ``start``: a
    hole with nothing before it has P0(e) there. In a test without order every known event is taken
    to stand before the hole, and a pair counts in either direction. ``smoothing`` is lambda; None
    has it tuned on the development tests.
    """

    registered = "events/bigram"
    tunable = {"smoothing": (0.002, 0.0002, 0.0005, 0.001, 0.005, 0.01, 0.1, 1.0)}  # noqa: RUF012

    skip: int = 2
    smoothing: float | None = None
    prior: str = "unigram"
    start: bool = True
    recipe: str | None = None
    seed: int = 0

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        if self.prior not in ("unigram", "uniform"):
            raise UnknownName("prior", self.prior, ("unigram", "uniform"))
        shares = np.full(counts.types, 1 / counts.types)
        if self.prior == "unigram":
            shares = counts.unigrams / counts.tokens
        mass = self.tuned("smoothing") * counts.types
        before, after = counts.encode(test.before), counts.encode(test.after)
        table, turned = counts.skip_bigrams, counts.skip_bigrams.transposed
        if not test.ordered:
            before, after = np.append(before, after), after[:0]
            table = counts.skip_bigrams.symmetric
        scores: Floats = np.log(shares) * (len(before) or float(self.start))
        if len(after):  # P(c_i|e) has the candidate below the line
            scores -= len(after) * np.log(counts.unigrams + mass)
        for event in before[before >= 0].tolist():  # one never seen is the same for all
            places, found = table.row(event)
            scores[places] += np.log1p(found / (mass * shares[places]))
        for event in after[after >= 0].tolist():
            places, found = turned.row(event)
            scores[places] += np.log1p(found / (mass * shares[event]))
        return scores
