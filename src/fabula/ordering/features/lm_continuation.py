"""Adjacency feature from a language model without training: pointwise mutual information.

The score of unit j directly after unit i is log P(first words of j | last words of i) less
log P(first words of j). It takes one pass over each unit's end and n - 1 continuations: seconds for
a text of some paragraphs, so it is optional. Of many units only the most similar candidates
(``adjacency_similarity``) are scored; the rest get 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.features.adjacency_similarity import adjacency_similarity
from fabula.text.lm.branches import branch_likelihoods
from fabula.text.lm.likelihood import LanguageModel
from fabula.text.lm.load import need_transformers

__all__ = ["Continuation"]

_CONTEXT, _CONTINUATION = 48, 16  # words of one unit's end, and of another's beginning
CANDIDATES = 24  # units scored after one
_SCALE = 0.1  # to the range of the other features: log-odds of a few units
Floats = NDArray[np.float32]


class Continuation:
    """The packaged language model with the interface of a trained ``Network``."""

    name = "smollm2"
    stored: Mapping[str, NDArray[Any]] = {}
    weights: Mapping[str, Floats] = {}

    def __init__(self) -> None:
        need_transformers()  # fails now, not after an hour of training
        self._model = LanguageModel(batch_tokens=4096, exact=False)

    def judge(self, units: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Precedence and adjacency scores, n x n; the scores of a first unit are zero."""
        n = len(units)
        words = [unit.split() for unit in units]
        heads = [" ".join(tokens[:_CONTINUATION]) for tokens in words]
        candidates = _candidates(units)
        likelihoods = branch_likelihoods(
            self._model,
            ["", *(" ".join(tokens[-_CONTEXT:]) + "\n\n" for tokens in words)],
            [heads, *([heads[j] for j in row] for row in candidates)],
        )
        prior = np.array([likelihood.total for likelihood in likelihoods[0]])
        adjacency = np.zeros((n, n), dtype=np.float32)
        for i, row in enumerate(candidates):
            after = np.array([likelihood.total for likelihood in likelihoods[1 + i]])
            adjacency[i, row] = _SCALE * (after - prior[row])
        return adjacency - adjacency.T, adjacency, np.zeros(n, dtype=np.float32)


def _candidates(units: Sequence[str]) -> list[list[int]]:
    """For each unit those scored after it; a pair is scored in both directions."""
    n = len(units)
    if n - 1 <= CANDIDATES:
        return [[j for j in range(n) if j != i] for i in range(n)]
    similarity = adjacency_similarity(units)
    np.fill_diagonal(similarity, -np.inf)
    nearest = np.argsort(-similarity, axis=1, kind="stable")[:, :CANDIDATES]
    chosen = np.zeros((n, n), dtype=bool)
    chosen[np.arange(n)[:, None], nearest] = True
    return [np.flatnonzero(row).tolist() for row in chosen | chosen.T]
