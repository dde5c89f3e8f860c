"""Calibration: non-negative weights of the features, by regularised maximum likelihood."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.permutation_marginals import permutation_marginals

__all__ = ["fit_chances", "fit_mix", "fit_steps"]

# ``fit_chances`` takes the first units of a text, 2^10 subsets of them, and texts in batches.
_UNITS, _TEXTS = 10, 50
Floats = NDArray[np.floating]
# Scores by feature: of pairs, n x n x k; of adjacency, n x n x r; of the opening, n x s.
Evidence = tuple[Floats, Floats, Floats]


def fit_mix(evidence: Sequence[Floats], strength: float = 1e-4) -> Floats:
    """Weights of the pair features, by logistic regression over the pairs of each text.

    ``evidence[t]`` is n x n x k for a text in gold order. Every text counts the same. A feature
    that errs more than it helps gets weight 0, not a negative one: dates do not run backwards
    because they did in a few texts.
    """
    rows, shares = [], []
    for text in evidence:
        first, second = np.triu_indices(len(text), 1)
        rows.append(text[first, second])
        shares.append(np.full(len(first), 1.0 / max(len(first), 1)))
    x, share = np.concatenate(rows), np.concatenate(shares)
    share /= share.sum()

    def loss(mix: Floats) -> tuple[float, Floats]:
        logits = x @ mix
        value = float(share @ np.logaddexp(0.0, -logits)) + strength * float(mix @ mix)
        slope = -(share / (1.0 + np.exp(np.clip(logits, -60, 60)))) @ x + 2 * strength * mix
        return value, np.asarray(slope)

    return _minimize_nonnegative(loss, x.shape[1])


def fit_steps(evidence: Sequence[Evidence], strength: float = 1e-4) -> Floats:
    """Weights of all features, by a softmax over the units left at each step (strategy ``walk``).

    ``evidence[t]`` is of a text in gold order. A step is the choice of the next unit.
    """
    steps, sizes, shares = [], [], []
    for pairs, follow, opening in evidence:
        n = len(pairs)
        left = np.cumsum(pairs[:, ::-1], axis=1)[:, ::-1]  # [i, t]: sum over units from t on
        for step in range(n - 1):
            near = follow[step - 1, step:] if step else np.zeros((n, follow.shape[2]))
            front = opening * (step == 0)
            steps.append(np.concatenate([left[step:, step], near, front[step:]], axis=1))
            sizes.append(n - step)
            shares.append(1.0 / (n - 1))
    x, share = np.concatenate(steps), np.array(shares) / sum(shares)
    starts = np.cumsum([0, *sizes[:-1]])  # of each step; its first unit is the gold one

    def loss(mix: Floats) -> tuple[float, Floats]:
        logits = x @ mix
        logits -= np.repeat(np.maximum.reduceat(logits, starts), sizes)
        probabilities = np.exp(logits)
        sums = np.add.reduceat(probabilities, starts)
        probabilities /= np.repeat(sums, sizes)
        value = float(share @ (np.log(sums) - logits[starts]))
        slope = (np.repeat(share, sizes) * probabilities) @ x - share @ x[starts]
        return value + strength * float(mix @ mix), slope + 2 * strength * mix

    return _minimize_nonnegative(loss, x.shape[1])


def fit_chances(evidence: Sequence[Evidence], strength: float = 1e-4) -> Floats:
    """Weights of all features, by a log-linear model over all permutations (``chances``).

    The gradient is the expected total of each feature over permutations, less that of the gold
    order. Of a long text the first units are used.
    """
    batches = _stacked_by_length(evidence)
    gold_totals = [_gold_totals(*batch) for batch in batches]
    sizes = [part.shape[-1] for part in evidence[0]]

    def loss(mix: Floats) -> tuple[float, Floats]:
        value, slope = strength * float(mix @ mix), 2 * strength * mix
        pull, near, front = np.split(mix, np.cumsum(sizes[:-1]))
        for (pairs, follow, opening), gold in zip(batches, gold_totals, strict=True):
            marginals = permutation_marginals(pairs @ pull, follow @ near, opening @ front)
            mean = [
                np.einsum("bij,bijk->bk", marginals.before, pairs),
                np.einsum("bij,bijk->bk", marginals.adjacent, follow),
                np.einsum("bi,bik->bk", marginals.first, opening),
            ]
            # A text of many units counts as one of few.
            share = 1.0 / (len(evidence) * (pairs.shape[1] - 1))
            value += share * float((marginals.log_partition - gold @ mix).sum())
            slope = slope + share * (np.concatenate(mean, axis=1) - gold).sum(axis=0)
        return value, slope

    return _minimize_nonnegative(loss, sum(sizes))


def _stacked_by_length(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Batches of texts with equally many units; texts of one unit are dropped."""
    by_length: dict[int, list[Evidence]] = {}
    for pairs, follow, opening in evidence:
        n = min(len(pairs), _UNITS)
        if n > 1:
            by_length.setdefault(n, []).append((pairs[:n, :n], follow[:n, :n], opening[:n]))
    stacked = []
    for texts in by_length.values():
        for at in range(0, len(texts), _TEXTS):
            parts = zip(*texts[at : at + _TEXTS], strict=True)
            pairs, follow, opening = (np.stack(part).astype(float) for part in parts)
            stacked.append((pairs, follow, opening))
    return stacked


def _gold_totals(pairs: Floats, follow: Floats, opening: Floats) -> Floats:
    """The total of each feature in the gold order, [batch, features]."""
    first, second = np.triu_indices(pairs.shape[1], 1)
    positions = np.arange(pairs.shape[1] - 1)
    sums = [
        pairs[:, first, second].sum(axis=1),
        follow[:, positions, positions + 1].sum(axis=1),
        opening[:, 0],
    ]
    return np.concatenate(sums, axis=1)


def _minimize_nonnegative(loss: Callable[[Floats], tuple[float, Floats]], size: int) -> Floats:
    """Minimise with non-negative weights (L-BFGS-B)."""
    from scipy.optimize import minimize

    start = np.zeros(size)
    start[:2] = 0.5
    bounds = [(0.0, None)] * size
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)
