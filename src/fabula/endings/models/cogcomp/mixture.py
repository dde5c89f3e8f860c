"""Mixture of experts over aspects, trained by EM, and one softmax regression as the baseline.

P(y|x) = sum_z P(z|x) P(y|z, x): for every item one aspect z decides, P(y|z, x) is the softmax of
w_z . f_z over the item's options, and P(z|x), the softmax of v_z . g(x), says which aspect.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["Flat", "Mixture", "gate_inputs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _softmax_by_item(values: Floats, sizes: Ints) -> Floats:
    """Log-softmax of the options' values within each item."""
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    top = np.repeat(np.maximum.reduceat(values, starts), sizes)
    total = np.log(np.add.reduceat(np.exp(values - top), starts))
    return np.asarray(values - top - np.repeat(total, sizes))


def _choice_weights(x: Floats, sizes: Ints, right: Ints, weight: Floats, penalty: float) -> Floats:
    """w of P(option) = softmax(w . x), each item weighing ``weight``, with an L2 penalty."""
    from scipy.optimize import minimize

    owner = np.repeat(np.arange(len(sizes)), sizes)

    def loss(w: Floats) -> tuple[float, Floats]:
        logs = _softmax_by_item(x @ w, sizes)
        expected = -np.exp(logs) * weight[owner]
        expected[right] += weight
        value = -(weight * logs[right]).sum() + penalty * (w @ w) / 2
        return float(value), penalty * w - x.T @ expected

    return np.asarray(minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x)


def _gate_weights(gate: Floats, shares: Floats, penalty: float) -> Floats:
    """V of P(z) = softmax(V . gate) nearest to the ``shares`` (items, z)."""
    from scipy.optimize import minimize

    shape = (shares.shape[1], gate.shape[1])

    def loss(flat: Floats) -> tuple[float, Floats]:
        v = flat.reshape(shape)
        logs = _log_softmax(gate @ v.T)
        gradient = (np.exp(logs) - shares).T @ gate + penalty * v
        return float(-(shares * logs).sum() + penalty * (flat @ flat) / 2), gradient.ravel()

    solution = minimize(loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(solution.x.reshape(shape))


def gate_inputs(aspects: Mapping[str, Floats], sizes: Ints) -> Floats:
    """The gate's input: each feature's range over an item's options, and a constant 1."""
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    columns = [
        np.maximum.reduceat(x, starts) - np.minimum.reduceat(x, starts) for x in aspects.values()
    ]
    return np.hstack([*columns, np.ones((len(sizes), 1))])


class Mixture:
    """The latent mixture. ``fit`` takes standardised features by aspect, (options, features)."""

    def __init__(self, *, rounds: int = 30, penalty: float = 1.0) -> None:
        self.rounds = rounds
        self.penalty = penalty

    def fit(self, aspects: Mapping[str, Floats], sizes: Ints, right: Ints) -> Mixture:
        """EM; ``right`` are the indices of the right options among all options."""
        gate = gate_inputs(aspects, sizes)
        even = np.ones(len(sizes))
        self.choice_ = {
            name: _choice_weights(x, sizes, right, even, self.penalty)
            for name, x in aspects.items()
        }
        self.gate_ = np.zeros((len(aspects), gate.shape[1]))
        self.path_: list[float] = []  # penalised log-likelihood by round; never decreases
        for _ in range(self.rounds):
            joint = self._joint(aspects, sizes, gate)[:, right].T  # (items, z)
            total = np.logaddexp.reduce(joint, axis=1)
            self.path_.append(float(total.sum() - self._price()))
            if len(self.path_) > 1 and self.path_[-1] - self.path_[-2] < 1e-4 * len(sizes):
                break
            shares = np.exp(joint - total[:, None])
            self.gate_ = _gate_weights(gate, shares, self.penalty)
            self.choice_ = {
                name: _choice_weights(x, sizes, right, shares[:, z], self.penalty)
                for z, (name, x) in enumerate(aspects.items())
            }
        return self

    def log_shares(self, aspects: Mapping[str, Floats], sizes: Ints) -> Floats:
        """log P(y|x) of every option."""
        return np.asarray(
            np.logaddexp.reduce(self._joint(aspects, sizes, gate_inputs(aspects, sizes)), axis=0)
        )

    def _joint(self, aspects: Mapping[str, Floats], sizes: Ints, gate: Floats) -> Floats:
        """log P(z|x) P(y|z, x) as (z, options)."""
        log_gate = np.repeat(_log_softmax(gate @ self.gate_.T), sizes, axis=0).T
        log_choices = [
            _softmax_by_item(x @ self.choice_[name], sizes) for name, x in aspects.items()
        ]
        return np.asarray(log_gate + np.stack(log_choices))

    def _price(self) -> float:
        squares = [float(w @ w) for w in self.choice_.values()]
        return self.penalty * (sum(squares) + float((self.gate_**2).sum())) / 2


class Flat:
    """The baseline: one softmax regression over the features of all aspects."""

    def __init__(self, *, penalty: float = 1.0) -> None:
        self.penalty = penalty

    def fit(self, aspects: Mapping[str, Floats], sizes: Ints, right: Ints) -> Flat:
        even = np.ones(len(sizes))
        self.choice_ = _choice_weights(
            np.hstack(list(aspects.values())), sizes, right, even, self.penalty
        )
        return self

    def log_shares(self, aspects: Mapping[str, Floats], sizes: Ints) -> Floats:
        return _softmax_by_item(np.hstack(list(aspects.values())) @ self.choice_, sizes)


def _log_softmax(values: Floats) -> Floats:
    return np.asarray(values - np.logaddexp.reduce(values, axis=1)[:, None])
