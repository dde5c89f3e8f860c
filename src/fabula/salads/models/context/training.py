"""Train the relational network by cross-entropy over pairs, and calibrate it (Platt scaling)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch
from fabula.core.training import train as train_network
from fabula.salads.clustering.correlation import correlation_clusters, story_log_odds
from fabula.salads.metrics import right_sentences
from fabula.salads.models.context.relational import forward, initial_weights

__all__ = ["calibrate", "train"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]


def train(
    features: Sequence[NDArray[np.float32]],
    answers: Sequence[Labels],
    *,
    width: int,
    epochs: int,
    rate: float,
    batch: int,
    seed: int,
    start: Mapping[str, NDArray[np.float32]] | None = None,
) -> dict[str, NDArray[np.float32]]:
    """The network's weights, by cross-entropy over pairs (same story or not), each salad equal.

    ``start`` are weights of the same width to start from. Needs torch and lightning.
    """
    torch = need_torch()
    batches = _Batches(features, answers, batch, seed)
    first = start or initial_weights(features[0].shape[-1], width, seed)

    def loss(values: Any, pair: Any) -> Any:
        x, same = pair
        odds = forward(dict(zip(first, values, strict=True)), x)
        off = 1 - torch.eye(x.shape[1])
        losses = torch.nn.functional.binary_cross_entropy_with_logits(odds, same, reduction="none")
        return (losses * off).sum() / (len(x) * off.sum())

    def optimiser(values: Any) -> Any:
        adam = torch.optim.AdamW(values.parameters(), rate, weight_decay=1e-3)
        schedule = torch.optim.lr_scheduler.OneCycleLR(adam, rate, epochs * len(batches) + 1)
        return [adam], [{"scheduler": schedule, "interval": "step"}]

    trained = train_network(
        lambda: torch.nn.ParameterList([torch.tensor(value) for value in first.values()]),
        batches,
        loss,
        optimiser,
        epochs=epochs,
        seed=seed,
        clip=1.0,
        single_thread=False,
    )
    return dict(zip(first, trained.weights.values(), strict=True))


class _Batches:
    """Batches of salads of equal size, so without padding; shuffled anew each epoch."""

    def __init__(
        self,
        features: Sequence[NDArray[np.float32]],
        answers: Sequence[Labels],
        batch: int,
        seed: int,
    ) -> None:
        self.features = [f.astype(np.float16) for f in features]  # half the memory, ample here
        self.answers = answers
        self.batch = batch
        self.rng = random.Random(seed)
        self.by_size: dict[int, list[int]] = defaultdict(list)
        for index, answer in enumerate(answers):
            self.by_size[len(answer)].append(index)

    def __len__(self) -> int:
        return sum(-(-len(indices) // self.batch) for indices in self.by_size.values())

    def __iter__(self) -> Any:
        import torch

        parts = []
        for indices in self.by_size.values():
            self.rng.shuffle(indices)
            parts += [indices[at : at + self.batch] for at in range(0, len(indices), self.batch)]
        self.rng.shuffle(parts)
        for part in parts:
            x = np.stack([self.features[i] for i in part]).astype(np.float32)
            same = [self.answers[i][:, None] == self.answers[i][None, :] for i in part]
            yield torch.from_numpy(x), torch.from_numpy(np.stack(same).astype(np.float32))


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
