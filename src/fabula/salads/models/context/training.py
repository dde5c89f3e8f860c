"""Train the relational network by cross-entropy over pairs."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch
from fabula.core.training import train as train_network
from fabula.salads.models.context.relational import forward, initial_weights

__all__ = ["train"]

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
