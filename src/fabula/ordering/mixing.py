"""How much each witness counts: logistic regression with weights that cannot be negative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_mix"]


def fit_mix(said: Sequence[NDArray[np.float64]], strength: float = 1e-4) -> NDArray[np.float64]:
    """Weights for witnesses' log-odds; ``said[t]`` is n x n x k for a text in its right order.

    Every text counts the same. A witness that errs more than it helps gets no say rather than a
    negative one: dates do not run backwards because they did in a few texts.
    """
    from scipy.optimize import minimize

    rows, shares = [], []
    for text in said:
        first, second = np.triu_indices(len(text), 1)
        rows.append(text[first, second])
        shares.append(np.full(len(first), 1.0 / max(len(first), 1)))
    x, share = np.concatenate(rows), np.concatenate(shares)
    share /= share.sum()

    def loss(mix: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = x @ mix
        value = float(share @ np.logaddexp(0.0, -logits)) + strength * float(mix @ mix)
        slope = -(share / (1.0 + np.exp(np.clip(logits, -60, 60)))) @ x + 2 * strength * mix
        return value, slope

    start = np.zeros(x.shape[1])
    start[:2] = 0.5
    bounds = [(0.0, None)] * len(start)
    return np.asarray(minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x)
