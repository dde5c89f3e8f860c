"""Groups of single sentences in, fewer groups out: those that tell one story are joined.

A model of sentences compares each one with the rest of its pile, so that it finds several stories
even in one. Whole groups tell more: they are compared as documents are. Two groups are joined
while the documents' model would link them, and a logistic regression of two numbers, the log-odds
of that link and the mean log-odds of their sentence pairs, is sure enough
(``data/weights/salads-groups``).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.salads.models.documents.model import Documents, Unit

__all__ = ["GroupWeights", "group_evidence", "join_groups", "shipped_weights"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]
_WEIGHTS = Path(__file__).parents[2] / "data" / "weights" / "salads-groups" / "weights.json"


class GroupWeights(NamedTuple):
    """Weights of the evidence, the intercept, and the least log-odds at which groups are joined:
    of the regression, and of the link alone."""

    link: float
    pairs: float
    intercept: float
    least: float
    least_link: float


@cache
def shipped_weights() -> GroupWeights:
    """The weights that come with the package."""
    return GroupWeights(**json.loads(_WEIGHTS.read_text(encoding="utf-8")))


def join_groups(
    model: Documents,
    sentences: Sequence[str],
    labels: Sequence[int],
    log_odds: Floats,
    weights: GroupWeights | None = None,
) -> Labels:
    """The labels after joining, the surest pair of groups first; numbered from 0.

    ``log_odds`` are those of sentence pairs.
    """
    chosen = weights or shipped_weights()
    found = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    while (k := int(found.max(initial=-1)) + 1) > 1:
        groups = [np.flatnonzero(found == group) for group in range(k)]
        link, pairs = group_evidence(model, sentences, groups, log_odds)
        sure = chosen.link * link + chosen.pairs * pairs + chosen.intercept
        sure[link < chosen.least_link] = -np.inf
        np.fill_diagonal(sure, -np.inf)
        first, second = sorted(int(at) for at in np.unravel_index(int(sure.argmax()), sure.shape))
        if sure[first, second] < chosen.least:
            break
        found[found == second] = first
        found = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return found


def group_evidence(
    model: Documents, sentences: Sequence[str], groups: Sequence[NDArray[np.int64]], odds: Floats
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """k x k each: log-odds of a link as documents, and mean log-odds of the sentence pairs."""
    units = [Unit(tuple(group.tolist()), number) for number, group in enumerate(groups)]
    pairs = np.array([[odds[np.ix_(a, b)].mean() for b in groups] for a in groups])
    return model.link_odds(sentences, units), pairs
