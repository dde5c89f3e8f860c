"""How much each witness counts: logistic regression with weights that cannot be negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.decoding.permutation_marginals import permutation_marginals

__all__ = ["fit_chances", "fit_mix", "fit_steps"]

# ``fit_chances`` looks at so many units of a text, 2^10 sets of them, and so many texts at once.
_UNITS, _TEXTS = 10, 50
Floats = NDArray[np.floating]
Said = tuple[
    Floats, Floats, Floats
]  # of pairs, n x n x k; what follows, n x n x r; what opens, n x s


def fit_mix(said: Sequence[Floats], strength: float = 1e-4) -> Floats:
    """Weights for witnesses' log-odds; ``said[t]`` is n x n x k for a text in its right order.

    Every text counts the same. A witness that errs more than it helps gets no say rather than a
    negative one: dates do not run backwards because they did in a few texts.
    """
    rows, shares = [], []
    for text in said:
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

    return _least(loss, x.shape[1])


def fit_steps(said: Sequence[Said], strength: float = 1e-4) -> Floats:
    """The same for the steps of a ``walk``: witnesses of pairs, of what follows, of what opens.

    ``said[t]`` is of a text in its right order. A step is the choice of the next unit.
    """
    steps, sizes, shares = [], [], []
    for pairs, follow, opening in said:
        n = len(pairs)
        left = np.cumsum(pairs[:, ::-1], axis=1)[:, ::-1]  # [i, t]: over all from place t on
        for at in range(n - 1):
            near = follow[at - 1, at:] if at else np.zeros((n, follow.shape[2]))
            front = opening * (at == 0)
            steps.append(np.concatenate([left[at:, at], near, front[at:]], axis=1))
            sizes.append(n - at)
            shares.append(1.0 / (n - 1))
    x, share = np.concatenate(steps), np.array(shares) / sum(shares)
    starts = np.cumsum([0, *sizes[:-1]])  # of each step; the right unit is its first

    def loss(mix: Floats) -> tuple[float, Floats]:
        logits = x @ mix
        logits -= np.repeat(np.maximum.reduceat(logits, starts), sizes)
        chances = np.exp(logits)
        sums = np.add.reduceat(chances, starts)
        chances /= np.repeat(sums, sizes)
        value = float(share @ (np.log(sums) - logits[starts]))
        slope = (np.repeat(share, sizes) * chances) @ x - share @ x[starts]
        return value + strength * float(mix @ mix), slope + 2 * strength * mix

    return _least(loss, x.shape[1])


def fit_chances(said: Sequence[Said], strength: float = 1e-4) -> Floats:
    """The same for all orders at once (``chances``): the right one is to be the likeliest.

    The slope is what the orders have of each witness on average, less what the right one has. Of
    long texts the beginning is looked at.
    """
    batches = _alike(said)
    rights = [_right(*batch) for batch in batches]
    sizes = [part.shape[-1] for part in said[0]]

    def loss(mix: Floats) -> tuple[float, Floats]:
        value, slope = strength * float(mix @ mix), 2 * strength * mix
        pull, near, front = np.split(mix, np.cumsum(sizes[:-1]))
        for (pairs, follow, opening), right in zip(batches, rights, strict=True):
            found = permutation_marginals(pairs @ pull, follow @ near, opening @ front)
            mean = [
                np.einsum("bij,bijk->bk", found.before, pairs),
                np.einsum("bij,bijk->bk", found.adjacent, follow),
                np.einsum("bi,bik->bk", found.first, opening),
            ]
            # A text of many units counts as one of few.
            share = 1.0 / (len(said) * (pairs.shape[1] - 1))
            value += share * float((found.log_partition - right @ mix).sum())
            slope = slope + share * (np.concatenate(mean, axis=1) - right).sum(axis=0)
        return value, slope

    return _least(loss, sum(sizes))


def _alike(said: Sequence[Said]) -> list[Said]:
    """Texts of equally many units stacked; one unit has no order."""
    found: dict[int, list[Said]] = {}
    for pairs, follow, opening in said:
        n = min(len(pairs), _UNITS)
        if n > 1:
            found.setdefault(n, []).append((pairs[:n, :n], follow[:n, :n], opening[:n]))
    stacked = []
    for texts in found.values():
        for at in range(0, len(texts), _TEXTS):
            parts = zip(*texts[at : at + _TEXTS], strict=True)
            pairs, follow, opening = (np.stack(part).astype(float) for part in parts)
            stacked.append((pairs, follow, opening))
    return stacked


def _right(pairs: Floats, follow: Floats, opening: Floats) -> Floats:
    """What the right order has of each witness, for texts that are stacked."""
    first, second = np.triu_indices(pairs.shape[1], 1)
    at = np.arange(pairs.shape[1] - 1)
    sums = [pairs[:, first, second].sum(axis=1), follow[:, at, at + 1].sum(axis=1), opening[:, 0]]
    return np.concatenate(sums, axis=1)


def _least(loss: Callable[[Floats], tuple[float, Floats]], size: int) -> Floats:
    """Minimise with non-negative weights (L-BFGS-B)."""
    from scipy.optimize import minimize

    start = np.zeros(size)
    start[:2] = 0.5
    bounds = [(0.0, None)] * size
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)
