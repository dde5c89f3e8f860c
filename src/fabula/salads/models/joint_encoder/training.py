"""Train the cross-sentence encoder in torch: cross-entropy over all pairs of a salad."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch
from fabula.salads.models.joint_encoder.head import FIRST, HIDDEN, SEE, SHARP
from fabula.text.transformer.joint_training import Ids, batches, encode, encoder_class, fine_tune
from fabula.text.transformer.spec import MINILM

__all__ = ["network", "train"]

Floats = NDArray[np.float32]
Labelled = tuple[Sequence[Ids], Sequence[int]]  # sentences as word pieces, and their stories


def train(
    salads: Sequence[tuple[Sequence[str], Sequence[int]]],
    *,
    epochs: float,
    rate: float,
    batch: int,
    seed: int,
) -> dict[str, Floats]:
    """The trained weights by name, from salads as (sentences, story labels)."""
    rng = random.Random(seed)
    distinct = list(dict.fromkeys(sentence for sentences, _ in salads for sentence in sentences))
    ids = dict(zip(distinct, encode(distinct), strict=True))
    plan: list[list[Labelled]] = []
    while epochs > 0:
        items: list[Labelled] = [
            ([ids[sentence] for sentence in sentences], labels) for sentences, labels in salads
        ]
        epoch = batches(items, lambda item: sum(map(len, item[0])), batch, rng)
        plan += epoch[: max(1, round(len(epoch) * min(epochs, 1)))]
        epochs -= 1
    return fine_tune(network, plan, _loss, rate=rate, seed=seed)


def network() -> Any:
    """The network as a torch module; its parameters have the names that ``head.py`` reads."""
    torch = need_torch()
    nn = torch.nn

    class CrossSentenceEncoder(encoder_class(FIRST, SEE)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.near = nn.Linear(2 * MINILM.dimension, HIDDEN, bias=False)
            with torch.no_grad():  # start near the identity: MiniLM's own cosine
                self.near.weight *= 0.1
                self.near.weight[:, : MINILM.dimension] += torch.eye(HIDDEN, MINILM.dimension)
            self.sharp = nn.Parameter(torch.tensor([SHARP]))
            self.shift = nn.Parameter(torch.zeros(1))

        def forward(self, salads: Sequence[Sequence[Ids]]) -> Any:
            near = self.near(self.encode(salads))
            real = torch.tensor([len(salad) for salad in salads])[:, None]
            real = (torch.arange(near.shape[1]) < real).float()[:, :, None]
            near = near - (near * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)
            near = near / ((near * near).sum(2, keepdim=True) + 1e-6) ** 0.5
            return self.sharp * (near @ near.transpose(1, 2)) + self.shift

    return CrossSentenceEncoder()


def _loss(net: Any, salads: Sequence[Labelled]) -> Any:
    """Binary cross-entropy; pairs of one story and pairs of two weigh the same in each salad."""
    torch = need_torch()
    logits = net([sentences for sentences, _ in salads])
    total = 0.0
    for matrix, (_, labels) in zip(logits, salads, strict=True):
        story = torch.tensor(labels)
        first, second = torch.triu_indices(len(labels), len(labels), 1)
        same = story[first] == story[second]
        value = matrix[first, second]
        for sign, chosen in ((-1.0, same), (1.0, ~same)):
            if chosen.any():
                total = total + torch.nn.functional.softplus(sign * value[chosen]).mean() / 2
    return total / len(salads)
