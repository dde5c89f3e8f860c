"""Training the pair classifier in torch: labelled pairs in, weights out, by cross-entropy."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.conflicts.pair_classifier import HIDDEN, KEPT, KINDS, SEE
from fabula.core.training import need_torch
from fabula.text.transformer.joint_training import Ids, batches, encode, encoder_class, fine_tune
from fabula.text.transformer.spec import MINILM

__all__ = ["LabelledPair", "network", "train"]

Floats = NDArray[np.float32]
LabelledPair = tuple[str, str, str]  # two sentences and the kind of contradiction, "" for none
_Item = tuple[list[Ids], int]


def train(
    draw: Callable[[random.Random], Sequence[LabelledPair]],
    *,
    epochs: int,
    rate: float = 2e-4,
    batch: int = 1800,
    seed: int = 0,
) -> dict[str, Floats]:
    """The trained weights by name; ``draw`` samples the pairs of one epoch."""
    rng = random.Random(seed)
    epoch_pairs = [list(draw(rng)) for _ in range(epochs)]
    distinct = list(
        dict.fromkeys(text for pairs in epoch_pairs for *texts, _ in pairs for text in texts)
    )
    ids = dict(zip(distinct, encode(distinct), strict=True))
    plan: list[list[_Item]] = []
    for pairs in epoch_pairs:
        items = [_item([ids[a], ids[b]], kind, rng) for a, b, kind in pairs]
        plan += batches(items, lambda item: sum(map(len, item[0])), batch, rng)
    return fine_tune(network, plan, _loss, rate=rate, seed=seed)


def _item(sentences: list[Ids], kind: str, rng: random.Random) -> _Item:
    rng.shuffle(sentences)
    return sentences, 1 + KINDS.index(kind) if kind else 0


def network() -> Any:
    """The network as a torch module; its parameters have the names of the stored weights."""
    torch = need_torch()
    nn = torch.nn

    class PairNetwork(encoder_class(other_unit_bias=SEE, max_states=KEPT)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.compare = nn.Linear(6 * MINILM.dimension, HIDDEN)
            self.judge = nn.Linear(HIDDEN, 1 + len(KINDS))

        def forward(self, pairs: Sequence[Sequence[Ids]]) -> Any:
            vectors = self.encode(pairs)  # [pairs, 2, 768]
            u, v = vectors[:, 0], vectors[:, 1]
            features = torch.cat([u + v, (u - v).abs(), u * v], 1)
            return self.judge(torch.relu(self.compare(features)))

    return PairNetwork()


def _loss(net: Any, items: Sequence[_Item]) -> Any:
    torch = need_torch()
    labels = torch.tensor([label for _, label in items])
    return torch.nn.functional.cross_entropy(net([sentences for sentences, _ in items]), labels)
