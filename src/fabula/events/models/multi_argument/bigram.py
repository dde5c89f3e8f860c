"""Multi-argument bigrams of Pichotta and Mooney: skip bigrams over whole events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fabula.errors import UnknownName
from fabula.events.models.multi_argument.base import relative_to_entity
from fabula.events.models.multi_argument.candidates import (
    ArgumentFillings,
    Candidates,
    Floats,
    Ints,
)
from fabula.events.models.multi_argument.pair_base import MultiArgumentPairModel, pair_each
from fabula.events.models.multi_argument.rewriting import MultiEvent

__all__ = ["MultiBigram"]

_PRIORS = ("unigram", "uniform")


@dataclass(kw_only=True, eq=False, repr=False)
class MultiBigram(MultiArgumentPairModel):
    """S(a) = sum_{i<m} log P(a|c_i) + sum_{i>m} log P(c_i|a), every pair rewritten on its own.

    P(l|f) = (C(f', l') + lambda |T| P0(l)) / (C(f') + lambda |T|), with T the types of rewritten
    events. With the ``prior`` ``uniform`` P0 is 1/|T|, which is the paper's formula, and only what
    was seen beside a known event is ranked. By default it is the share of the event as the entity
    of its chain sees it (``multi-unigram``; half a count for one never seen), so that what was
    never seen together is ranked by frequency; a hole with nothing before it has P0(a) there.
    ``smoothing`` is lambda.
    """

    registered = "events/multi-bigram"

    skip: int = 5
    smoothing: float = 0.1
    prior: str = "unigram"
    recipe: str | None = None
    seed: int = 0

    @property
    def mass(self) -> float:
        """lambda |T|: how many pairs the prior is worth."""
        if self.prior not in _PRIORS:
            raise UnknownName("prior", self.prior, _PRIORS)
        return float(self.smoothing * self.types_)

    def gain(self, counts: Floats, first: Ints, second: Ints) -> Floats:
        return np.log1p(counts * self.types_ / self.mass)

    def unseen(self, first: Ints) -> Floats:
        return np.asarray(np.log(self.mass / self.types_ / (self.firsts_[first] + self.mass)))

    def score_candidates(
        self,
        before: Sequence[MultiEvent],
        after: Sequence[MultiEvent],
        entities: Sequence[str],
        own: str,
    ) -> Candidates:
        if self.prior == "uniform":
            return super().score_candidates(before, after, entities, own)
        fillings, mass = ArgumentFillings(entities), self.mass
        seen, times = self.training_candidates(fillings, own)
        beside = pair_each(before, after, fillings)
        met = []
        for known, later, mine, other in beside:
            some = list(self.seen_pairs(known, mine, other, fillings, later=later))
            keys = np.concatenate([seen[:0], *(keys for keys, _, _ in some)])
            met.append((keys, np.concatenate([times[:0], *(counts for _, counts, _ in some)])))
        every = np.unique(np.concatenate([seen, *(keys for keys, _ in met)]))
        verbs, which = every // fillings.size, every % fillings.size
        plain = verbs * fillings.size + fillings.plain(own)[which]
        place = np.minimum(np.searchsorted(seen, plain), max(len(seen) - 1, 0))
        counts = np.where(seen[place] == plain, times[place], 0.5) if len(seen) else 0.5
        shares = counts / self.frames_.total() * np.ones(len(every))
        scores = np.zeros(len(every)) if before else np.log(shares)
        for (known, later, mine, other), (keys, found) in zip(beside, met, strict=True):
            told = self.rewritten_ids(
                known.verb if later else verbs, (mine if later else other)[which]
            )
            prior = mass * (shares if later else np.full(len(every), self._share(known, own)))
            scores += np.log(prior) - np.log(self.firsts_[told] + mass)
            here = np.searchsorted(every, keys)
            scores[here] += np.log1p(found / prior[here])
        scores = scores.round(9)  # equal sums of other terms are to be ties
        return Candidates(every, scores, fillings, self.names_, self.ids_)

    def _share(self, known: MultiEvent, own: str) -> float:
        return max(self.frames_.get(relative_to_entity(known, own), 0), 0.5) / self.frames_.total()
