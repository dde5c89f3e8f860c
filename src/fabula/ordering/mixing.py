"""How much each witness counts: logistic regression with weights that cannot be negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_mix", "fit_steps"]

Floats = NDArray[np.floating]


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


def fit_steps(said: Sequence[tuple[Floats, Floats, Floats]], strength: float = 1e-4) -> Floats:
    """The same for the steps of a ``walk``: k witnesses of pairs, r of what follows, r of openings.

    ``said[t]`` has what the witnesses say of the pairs, n x n x k, what follows what, n x n x r,
    and what opens, n x r, for a text in its right order. A step is the choice of the next unit.
    """
    steps, sizes, shares = [], [], []
    for pairs, follow, opening in said:
        n = len(pairs)
        left = np.cumsum(pairs[:, ::-1], axis=1)[:, ::-1]  # [i, t]: over all from place t on
        for at in range(n - 1):
            near = np.zeros((n - at, 2, opening.shape[1]))
            near[:, 0 if at else 1] = follow[at - 1, at:] if at else opening
            steps.append(np.concatenate([left[at:, at], near.reshape(n - at, -1)], axis=1))
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


def _least(loss: Callable[[Floats], tuple[float, Floats]], size: int) -> Floats:
    """Where the loss is least, with no number below nothing."""
    from scipy.optimize import minimize

    start = np.zeros(size)
    start[:2] = 0.5
    bounds = [(0.0, None)] * size
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)
