"""Repetition: a pile's sentences in, the share of them that another sentence repeats out.

Several reports of one event tell the same facts in much the same words; articles on several events
of one war share their names alone. So repetition is evidence for the number of stories: in a pile
that repeats itself, groups of sentences more often tell one story.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from fabula.salads.models.documents.terms import sentence_terms
from fabula.text.rarity import rarity

__all__ = ["repeated_share"]

_REPEATED = 0.5  # share of a sentence's words, by rarity, beyond which it is repeated
_FEWEST = 3  # words of a sentence that is compared


def repeated_share(sentences: Sequence[str]) -> float:
    """The share of sentences of which another one has more than half of the words, by rarity.

    >>> repeated_share(["Police shot a bank robber in Porto.", "A bank robber was shot in Porto.",
    ...     "Wine is sold at the harbour.", "Snow fell on the northern hills."])
    0.5
    """
    if not sentences:
        return 0.0
    bags = [{word: rarity(word) for word, _ in sentence_terms(text)} for text in sentences]
    index = {word: column for column, word in enumerate(dict.fromkeys(w for b in bags for w in b))}
    rows = [row for row, bag in enumerate(bags) for _ in bag]
    columns = [index[word] for bag in bags for word in bag]
    values = [weight for bag in bags for weight in bag.values()]
    shape = (len(bags), len(index) or 1)
    weights = sparse.csr_matrix((values, (rows, columns)), shape=shape)
    present = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    shared = (weights @ present.T).toarray()  # [i, j]: the weight of the words of i that j has
    shared /= np.maximum(shared.diagonal(), 1e-9)[:, None]
    short = np.array([len(bag) < _FEWEST for bag in bags])
    shared[short[:, None] | short[None, :]] = 0.0
    np.fill_diagonal(shared, 0.0)
    return float((shared.max(axis=1) > _REPEATED).mean())
