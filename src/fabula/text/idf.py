"""Inverse document frequency (Spärck Jones 1972): terms of few documents say most about them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["IdfOverlap", "idf"]

# A pile of twenty sentences is no measure of what is common: fifty more are taken as read.
_PRIOR_DOCUMENTS, _PRIOR_FREQUENCY = 50.0, 0.5


def idf(
    document_frequency: ArrayLike,
    documents: float,
    *,
    prior_documents: float = 0.0,
    prior_frequency: float = 0.0,
) -> NDArray[np.float64]:
    """log((documents + prior) / (document frequency + prior)) of each term.

    Without a prior a term of no document counts as one of one document; with priors of 1 this is
    scikit-learn's ``smooth_idf``, less the 1 it adds.

    >>> idf([1, 2, 4], 4).round(2).tolist()
    [1.39, 0.69, 0.0]
    """
    frequency = np.asarray(document_frequency, dtype=np.float64) + prior_frequency
    if not prior_frequency:
        frequency = np.maximum(frequency, 1.0)
    return np.asarray(np.log((documents + prior_documents) / frequency))


class IdfOverlap:
    """What it tells that two documents share terms: the terms' summed IDF.

    A term that exactly two documents have weighs 1.

    >>> overlap = IdfOverlap([{"mill", "fire"}, {"mill"}, {"rain"}])
    >>> overlap.weight({"mill"}), round(overlap.weight({"fire", "rain"}), 2)
    (1.0, 2.33)
    """

    def __init__(self, documents: Sequence[Iterable[str]]) -> None:
        frequency = Counter(term for terms in documents for term in terms)
        unseen, shared_by_two, *weights = idf(
            [0, 2, *frequency.values()],
            len(documents),
            prior_documents=_PRIOR_DOCUMENTS,
            prior_frequency=_PRIOR_FREQUENCY,
        ).tolist()
        self._unseen = unseen / shared_by_two
        self._weights = {t: w / shared_by_two for t, w in zip(frequency, weights, strict=True)}

    def weight(self, terms: Iterable[str]) -> float:
        """The summed weight of the terms."""
        # Terms come in sets, whose order differs between processes: fsum does not mind.
        return math.fsum(self._weights.get(term, self._unseen) for term in terms)
