"""A committee of one-layer perceptrons: feature rows in, mean log-odds out.

Trained by scikit-learn, run by numpy. The weights are few, so that several networks from several
starts cost nothing, and their mean is steadier than any of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Committee"]

Floats = NDArray[np.floating]
_MEMBERS = 3
_MOST_LOG_ODDS = 7.0  # of one network: beyond it certainty is that of the training set
_SAMPLE = 30_000  # rows drawn for each network


class Committee:
    """``weights``: mean and scale of the features, and for m networks the two layers."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]) -> None:
        self.weights = {name: np.asarray(array, np.float32) for name, array in weights.items()}

    def log_odds(self, rows: Floats) -> NDArray[np.float64]:
        """The mean log-odds of each row [r, f]."""
        w = self.weights
        x = (np.asarray(rows, np.float32) - w["mean"]) / w["scale"]
        hidden = np.maximum(np.einsum("rf,mfh->mrh", x, w["in"]) + w["in.b"][:, None], 0.0)
        out = np.einsum("mrh,mh->mr", hidden, w["out"]) + w["out.b"][:, None]
        bounded = np.clip(out, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)
        return np.asarray(bounded.mean(axis=0), dtype=np.float64)

    @classmethod
    def fit(
        cls, rows: Floats, gold: NDArray[Any], importance: Floats, *, hidden: int, decay: float,
        epochs: int, seed: int,
    ) -> Committee:  # fmt: skip
        """Networks of ``hidden`` units on rows drawn by importance, with L2 ``decay``."""
        from sklearn.neural_network import MLPClassifier

        mean, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
        if gold.all() or not gold.any():  # nothing to tell apart
            sure = _MOST_LOG_ODDS if gold.all() else -_MOST_LOG_ODDS
            flat = np.zeros((_MEMBERS, hidden), np.float32)
            wide = np.zeros((_MEMBERS, rows.shape[1], hidden), np.float32)
            layers = {"in": wide, "in.b": flat, "out": flat}
            return cls({"mean": mean, "scale": scale, **layers, "out.b": np.full(_MEMBERS, sure)})
        rng = np.random.default_rng(seed)
        networks = []
        for member in range(_MEMBERS):
            drawn = rng.choice(len(rows), size=_SAMPLE, p=importance / importance.sum())
            network = MLPClassifier(
                (hidden,), alpha=decay, max_iter=epochs, tol=0.0, n_iter_no_change=epochs,
                learning_rate_init=2e-3, random_state=seed + member,
            )  # fmt: skip
            networks.append(_quietly(network, (rows[drawn] - mean) / scale, gold[drawn]))
        return cls(
            {
                "mean": mean,
                "scale": scale,
                "in": np.stack([network.coefs_[0] for network in networks]),
                "in.b": np.stack([network.intercepts_[0] for network in networks]),
                "out": np.stack([network.coefs_[1][:, 0] for network in networks]),
                "out.b": np.stack([network.intercepts_[1][0] for network in networks]),
            }
        )


def _quietly(network: Any, rows: Floats, gold: NDArray[Any]) -> Any:
    """``fit`` without the warning that the number of epochs asked for was reached."""
    import warnings

    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return network.fit(rows, gold)
