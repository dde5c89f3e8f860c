"""Base of the models that score rewritten pairs: candidates come from the pairs themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.events.models.multi_argument.base import MultiArgumentModel
from fabula.events.models.multi_argument.candidates import (
    SLOT_CODES,
    ArgumentFillings,
    Candidates,
    Floats,
    Ints,
)
from fabula.events.models.multi_argument.rewriting import MultiEvent

__all__ = ["MultiArgumentPairModel", "pair_each"]


Beside = list[tuple[MultiEvent, bool, Ints, Ints]]


def pair_each(
    before: Sequence[MultiEvent],
    after: Sequence[MultiEvent],
    fillings: ArgumentFillings,
) -> Beside:
    """Each known event, whether candidates are later, and both slot codes for every filling."""
    found = [(frame, True, *fillings.pair_codes(frame, later=True)) for frame in before]
    return found + [(frame, False, *fillings.pair_codes(frame, later=False)) for frame in after]


class MultiArgumentPairModel(MultiArgumentModel, ABC):
    """Ranks the whole events that were seen beside at least one known event."""

    def score_candidates(
        self,
        before: Sequence[MultiEvent],
        after: Sequence[MultiEvent],
        entities: Sequence[str],
        own: str,
    ) -> Candidates:
        """The score of every candidate seen beside a known event, from the pairs themselves."""
        fillings = ArgumentFillings(entities)
        keys, gains = [np.zeros(0, np.int64)], [np.zeros(0)]
        beside = pair_each(before, after, fillings)
        for known, later, mine, other in beside:
            for some, _, gain in self.seen_pairs(known, mine, other, fillings, later=later):
                keys.append(some)
                gains.append(gain)
        every, place = np.unique(np.concatenate(keys), return_inverse=True)
        scores = np.bincount(place, np.concatenate(gains), len(every)).astype(float)
        verbs, which = every // fillings.size, every % fillings.size
        for known, later, mine, other in beside:
            told = mine if later else other
            scores += self.unseen(self.rewritten_ids(known.verb if later else verbs, told[which]))
        scores = scores.round(9)  # equal sums of other terms are to be ties
        kept = self.allowed()[verbs] if len(every) else np.zeros(0, bool)
        return Candidates(every[kept], scores[kept], fillings, self.names_, self.ids_)

    def rewritten_ids(self, verb: str | Ints, codes: Ints) -> Ints:
        """The numbers of rewritten events; those of a verb never seen have one that stands for all.

        ``verb`` is a known event's, or the number of each candidate's.
        """
        if isinstance(verb, str):
            if verb not in self.ids_:
                return np.full(len(codes), self.pairs_.rows)
            return self.ids_[verb] * SLOT_CODES + codes
        return verb * SLOT_CODES + codes

    def seen_pairs(
        self,
        known: MultiEvent,
        own: Ints,
        other: Ints,
        fillings: ArgumentFillings,
        *,
        later: bool,
    ) -> Iterator[tuple[Ints, Floats, Floats]]:
        """Candidates seen beside one known event, how often, and what each adds to the score.

        Which pair it is depends on the filling alone, so fillings are taken in groups.
        """
        verb = self.ids_.get(known.verb)
        if verb is None:
            return
        table = self.pairs_ if later else self.pairs_.transposed
        groups = own * SLOT_CODES + other
        groups[~fillings.allowed] = -1
        order = np.argsort(groups, kind="stable")
        values, starts = np.unique(groups[order], return_index=True)
        ends = np.append(starts[1:], len(order))
        spans = {
            (value // SLOT_CODES, value % SLOT_CODES): order[low:high]
            for value, low, high in zip(
                values.tolist(), starts.tolist(), ends.tolist(), strict=True
            )
            if value >= 0
        }
        for mine in sorted({one for one, _ in spans}):
            told = verb * SLOT_CODES + mine
            met, counts = table.row(told)
            if not len(met):
                continue
            gains = self.gain(
                counts.astype(float),
                *((np.full(len(met), told), met) if later else (met, np.full(len(met), told))),
            )
            verbs, codes = met // SLOT_CODES, met % SLOT_CODES
            for code in np.unique(codes).tolist():
                which = spans.get((mine, code))
                if which is None:
                    continue
                here = codes == code
                places = verbs[here].astype(np.int64)[:, None] * fillings.size + which
                times = np.repeat(counts[here].astype(float), len(which))
                yield places.ravel(), times, np.repeat(gains[here], len(which))

    def allowed(self) -> NDArray[np.bool_]:
        """Which verbs are ranked at all."""
        return np.ones(len(self.names_), bool)

    @abstractmethod
    def gain(self, counts: Floats, first: Ints, second: Ints) -> Floats:
        """What pairs that were seen add to a score, beyond ``unseen``."""

    @abstractmethod
    def unseen(self, first: Ints) -> Floats:
        """What a pair adds to a score if it was never seen, by its first event."""
