"""What a language model expects to be said next: a witness of what follows what, from no training.

For unit j right behind unit i speaks by how much likelier the first words of j are after the last
words of i than at the start of a text. It costs one reading of each unit's end and n - 1 beginnings
behind it: seconds for a text of some paragraphs, so it is there for those who ask for it. Of many
units it reads behind each other only those of which one is most like the end of the other; of the
rest it says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.features.adjacency_similarity import likeness
from fabula.text.lm.branches import branch_likelihoods
from fabula.text.lm.likelihood import LanguageModel
from fabula.text.lm.load import need_transformers

__all__ = ["Continuation"]

_BEFORE, _AFTER = 48, 16  # words of one unit's end, and of another's beginning
_MOST = 24  # units that are looked for to be read behind one
_SCALE = 0.1  # to about what other witnesses say: log-odds of some units
Floats = NDArray[np.float32]


class Continuation:
    """The packaged language model as a reader that judges units as a trained ``Network`` does."""

    name = "smollm2"
    stored: Mapping[str, NDArray[Any]] = {}
    weights: Mapping[str, Floats] = {}

    def __init__(self) -> None:
        need_transformers()  # said now, not after an hour of training beside it
        self._model = LanguageModel(batch_tokens=4096, exact=False)

    def judge(self, units: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Of pairs and of what follows, n x n; of what opens a text it says nothing."""
        n = len(units)
        words = [unit.split() for unit in units]
        heads = [" ".join(some[:_AFTER]) for some in words]
        others = _others(units)
        found = branch_likelihoods(
            self._model,
            ["", *(" ".join(some[-_BEFORE:]) + "\n\n" for some in words)],
            [heads, *([heads[j] for j in some] for some in others)],
        )
        alone = np.array([one.total for one in found[0]])
        follow = np.zeros((n, n), dtype=np.float32)
        for i, some in enumerate(others):
            behind = np.array([one.total for one in found[1 + i]])
            follow[i, some] = _SCALE * (behind - alone[some])
        return follow - follow.T, follow, np.zeros(n, dtype=np.float32)


def _others(units: Sequence[str]) -> list[list[int]]:
    """For each unit those that are read behind it; two of them both ways round."""
    n = len(units)
    if n - 1 <= _MOST:
        return [[j for j in range(n) if j != i] for i in range(n)]
    alike = likeness(units)
    np.fill_diagonal(alike, -np.inf)
    nearest = np.argsort(-alike, axis=1, kind="stable")[:, :_MOST]
    chosen = np.zeros((n, n), dtype=bool)
    chosen[np.arange(n)[:, None], nearest] = True
    return [np.flatnonzero(row).tolist() for row in chosen | chosen.T]
