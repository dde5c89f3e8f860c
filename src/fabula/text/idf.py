"""Inverse document frequency (Spärck Jones 1972): terms of few documents say most about them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["idf"]


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
