"""Training the network of ``disputes``, in torch: cross-entropy over marked pairs of sentences."""

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
    """The trained weights by name; ``draw`` gives the pairs of one epoch."""
    rng = random.Random(seed)
    drawn = [list(draw(rng)) for _ in range(epochs)]
    distinct = list(dict.fromkeys(text for pairs in drawn for *both, _ in pairs for text in both))
    ids = dict(zip(distinct, encode(distinct), strict=True))
    plan: list[list[_Item]] = []
    for pairs in drawn:
        items = [_item([ids[one], ids[two]], kind, rng) for one, two, kind in pairs]
        plan += batches(items, lambda item: sum(map(len, item[0])), batch, rng)
    return fine_tune(network, plan, _loss, rate=rate, seed=seed)


def _item(both: list[Ids], kind: str, rng: random.Random) -> _Item:
    rng.shuffle(both)
    return both, 1 + KINDS.index(kind) if kind else 0


def network() -> Any:
    """The network as a torch module; its parameters have the names that ``disputes`` reads."""
    torch = need_torch()
    nn = torch.nn

    class Both(encoder_class(other_unit_bias=SEE, max_states=KEPT)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.compare = nn.Linear(6 * MINILM.dimension, HIDDEN)
            self.judge = nn.Linear(HIDDEN, 1 + len(KINDS))

        def forward(self, pairs: Sequence[Sequence[Ids]]) -> Any:
            read = self.encode(pairs)
            one, two = read[:, 0], read[:, 1]
            given = torch.cat([one + two, (one - two).abs(), one * two], 1)
            return self.judge(torch.relu(self.compare(given)))

    return Both()


def _loss(net: Any, items: Sequence[_Item]) -> Any:
    torch = need_torch()
    right = torch.tensor([kind for _, kind in items])
    return torch.nn.functional.cross_entropy(net([both for both, _ in items]), right)
