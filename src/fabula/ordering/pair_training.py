"""Training the network of ``pairwise``, in torch: cross-entropy over all pairs of a text."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.learning import need_torch
from fabula.ordering.pairs import HIDDEN
from fabula.text.minilm import DIMENSION
from fabula.text.tuning import Ids, batches, encode, reader, teach

__all__ = ["network", "train"]

Floats = NDArray[np.float32]
Text = Sequence[Ids]  # the units as word pieces, in their right order


def train(
    texts: Sequence[Sequence[str]],
    *,
    epochs: float,
    rate: float,
    batch: int,
    seed: int,
    start: Mapping[str, Floats] | None = None,
) -> dict[str, Floats]:
    """The trained weights by name, from texts in their right order; ``start``: to go on from."""
    rng = random.Random(seed)
    distinct = list(dict.fromkeys(unit for text in texts for unit in text))
    ids = dict(zip(distinct, encode(distinct), strict=True))
    plan: list[list[Text]] = []
    while epochs > 0:
        items = [_thinned([ids[unit] for unit in text], rng) for text in texts]
        fresh = batches(items, lambda text: sum(map(len, text)), batch, rng)
        plan += fresh[: max(1, round(len(fresh) * min(epochs, 1)))]
        epochs -= 1
    # What has been trained before is no longer new: its head learns hardly faster than the rest.
    return teach(
        lambda: network(start),
        plan,
        _loss,
        rate=rate,
        head=5.0 if start is None else 2.0,
        seed=seed,
    )


def _thinned(text: list[Ids], rng: random.Random) -> Text:
    """Three in ten with units left out: what is left still has one right order."""
    if len(text) > 3 and rng.random() < 0.3:
        return [text[i] for i in sorted(rng.sample(range(len(text)), rng.randint(3, len(text))))]
    return text


def network(start: Mapping[str, Floats] | None = None) -> Any:
    """The network as a torch module; its parameters have the names that ``pairs`` reads."""
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional

    class Pairs(reader()):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Linear(2 * DIMENSION, HIDDEN)
            self.b = nn.Linear(2 * DIMENSION, HIDDEN, bias=False)
            self.w = nn.Linear(HIDDEN, 1, bias=False)

        def forward(self, texts: Sequence[Text]) -> Any:
            z = self.read(texts)
            score = self.w(functional.relu(self.a(z)[:, :, None] + self.b(z)[:, None])).squeeze(-1)
            return score - score.transpose(1, 2)

    net = Pairs()
    if start is not None:
        net.load_state_dict({name: torch.from_numpy(value) for name, value in start.items()})
    return net


def _loss(net: Any, texts: Sequence[Text]) -> Any:
    torch = need_torch()
    logits = net(texts)
    size = logits.shape[1]
    first, second = torch.triu_indices(size, size, 1)
    number = torch.tensor([len(text) for text in texts])
    real = (second[None] < number[:, None]).float()
    losses = torch.nn.functional.softplus(-logits[:, first, second]) * real
    return (losses.sum(1) / real.sum(1)).mean()
