"""PMI: pointwise mutual information of the events of a chain (Chambers and Jurafsky 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UnknownName
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import PairTable
from fabula.events.models.count_model import CountModel, Floats

__all__ = ["Pmi"]

_UNSEEN = ("zero", "count")
_MARGINALS = ("events", "pairs")
_JOINTS = ("equation", "normalised")
CUTOFFS = (0, 10, 25, 50, 75, 100, 150, 200, 300, 400, 600)


@dataclass(kw_only=True, eq=False, repr=False)
class Pmi(CountModel):
    """S(e) = sum_i log P(c_i, e) / (P(c_i) P(e)), whatever the order (Chambers 2017, eq. 4-5).

    ``cutoff``: events seen less often are not ranked (Figure 1); None has it tuned on the
    development tests, and is 0 without them. ``discount`` multiplies by C/(C+1) * min/(min+1) with
    the smaller of the two events' counts. ``unseen``: a pair never seen adds ``zero``, or counts
    as ``floor`` of a pair. ``marginals``: P(x) from ``events`` or from the ``pairs`` x is in.
    ``clip`` sets what is below zero to zero. ``joint``: P(x, y) = (C(x, y) + C(y, x)) / sum C, as
    in equation 5, or ``normalised`` by twice that sum, so that P adds up to one over all pairs.
    """

    registered = "events/pmi"
    tunable = {"cutoff": CUTOFFS}  # noqa: RUF012

    cutoff: int | None = None
    discount: bool = False
    unseen: str = "zero"
    floor: float = 0.1
    marginals: str = "events"
    clip: bool = False
    joint: str = "equation"
    skip: int = 2
    recipe: str | None = None
    seed: int = 0

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        self._check()
        scores = np.zeros(counts.types)
        sides = 2.0 if self.joint == "normalised" else 1.0
        for event in counts.encode(test.events).tolist():
            self.add(scores, counts, counts.chain_pairs.symmetric, event, sides)
        return self.cut(scores, counts)

    def _check(self) -> None:
        for name, value, known in (
            ("unseen", self.unseen, _UNSEEN),
            ("marginals", self.marginals, _MARGINALS),
            ("joint", self.joint, _JOINTS),
        ):
            if value not in known:
                raise UnknownName(f"value of {name}", value, known)

    def cut(self, scores: Floats, counts: Counts) -> Floats:
        scores[counts.unigrams < self.tuned("cutoff")] = -np.inf
        return scores

    def add(
        self, scores: Floats, counts: Counts, table: PairTable, event: int, sides: float
    ) -> None:
        """Add the PMI of every candidate with one known event."""
        if event < 0:  # never seen: nothing is known of its company
            return
        shares = self._shares(counts)
        places, found = table.row(event)
        pairs = sides * max(counts.chain_pairs.total, 1)
        value = np.log(found / pairs) - np.log(shares[event]) - np.log(shares[places])
        if self.discount:
            least = np.minimum(counts.unigrams[places], counts.unigrams[event])
            value = value * (found / (found + 1.0)) * (least / (least + 1.0))
        if self.clip:
            value = np.maximum(value, 0.0)
        if self.unseen == "count":
            rest = np.log(self.floor / pairs) - np.log(shares[event]) - np.log(shares)
            if self.clip:
                rest = np.maximum(rest, 0.0)
            rest[places] = 0.0
            scores += rest
        scores[places] += value

    def _shares(self, counts: Counts) -> NDArray[np.float64]:
        if self.marginals == "events":
            return np.asarray(counts.unigrams / counts.tokens, dtype=float)
        return _pair_shares(counts)


def _pair_shares(counts: Counts) -> NDArray[np.float64]:
    table = counts.chain_pairs.symmetric
    starts, ends = table.row_starts[:-1], table.row_starts[1:]
    sums = np.add.reduceat(np.append(table.counts, np.uint32(0)).astype(np.int64), starts)
    sums[starts == ends] = 0  # an empty row sums to nothing
    return np.asarray(np.maximum(sums, 0.5) / max(table.total, 1), dtype=float)
