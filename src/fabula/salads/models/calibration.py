"""Calibration: pair log-odds of held-out salads in, Platt's scale and shift and a sharpness out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.correlation import correlation_clusters, story_log_odds
from fabula.salads.metrics import right_sentences

__all__ = ["calibrate"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]


def calibrate(odds: Sequence[Floats], answers: Sequence[Labels]) -> tuple[float, float, float]:
    """Scale and shift of the pair log-odds (Platt), and the sharpness of sentence probabilities.

    All three minimise the log loss on held-out salads. The sharpness is fitted on clustered
    groupings, so that a sentence's probability includes the errors of the clustering.
    """
    from scipy.optimize import minimize, minimize_scalar

    values, targets, weights = [], [], []
    for matrix, answer in zip(odds, answers, strict=True):
        upper = np.triu_indices(len(answer), 1)
        values.append(matrix[upper])
        targets.append((answer[:, None] == answer[None, :])[upper])
        weights.append(np.full(len(upper[0]), 1 / max(len(upper[0]), 1)))
    value, target = np.concatenate(values), np.concatenate(targets).astype(float)
    weight = np.concatenate(weights) / len(odds)

    def pair_loss(parameters: Any) -> float:
        scaled = parameters[0] * value + parameters[1]
        return float((weight * (np.logaddexp(0, scaled) - target * scaled)).sum())

    scale, shift = minimize(pair_loss, [1.0, 0.0], method="Nelder-Mead").x
    judged = []
    for matrix, answer in zip(odds, answers, strict=True):
        calibrated = scale * matrix + shift
        labels = correlation_clusters(calibrated, len(np.unique(answer)))
        judged.append((story_log_odds(calibrated, labels), labels, right_sentences(answer, labels)))

    def story_loss(log_sharpness: float) -> float:
        total = 0.0
        for logits, labels, right in judged:
            sharp = np.exp(log_sharpness) * logits
            sure = sharp[np.arange(len(labels)), labels] - np.logaddexp.reduce(sharp, axis=1)
            wrong = np.log(np.maximum(-np.expm1(sure), 1e-12))
            total -= float(np.where(right, sure, wrong).mean())
        return total / len(judged)

    sharpness = float(np.exp(minimize_scalar(story_loss, bounds=(-3, 4), method="bounded").x))
    return float(scale), float(shift), sharpness
