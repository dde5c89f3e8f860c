"""Training the network of ``pairwise``, in torch: what comes next, and what before what."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch
from fabula.ordering.models.pairwise.head import HIDDEN
from fabula.text.transformer.joint_training import Unit, batches, prepare, reader, teach
from fabula.text.transformer.spec import MINILM, Body

__all__ = ["network", "pairs_loss", "steps_loss", "train"]

Floats = NDArray[np.float32]
_STEPS = 0.7  # of what is learnt: what comes next; the rest: which of two comes first
Text = Sequence[Unit]  # the units in their right order, as the network takes them


def train(
    texts: Sequence[Sequence[str]],
    *,
    epochs: float,
    rate: float,
    batch: int,
    seed: int,
    start: Mapping[str, Floats] | None = None,
    body: Body = MINILM,
) -> dict[str, Floats]:
    """The trained weights by name, from texts in their right order; ``start``: to go on from."""
    rng = random.Random(seed)
    distinct = list(dict.fromkeys(unit for text in texts for unit in text))
    known = dict(zip(distinct, prepare(distinct, body), strict=True))
    plan: list[list[Text]] = []
    while epochs > 0:
        items = [_thinned([known[unit] for unit in text], rng) for text in texts]
        fresh = batches(items, lambda text: sum(map(len, text)), batch, rng)
        plan += fresh[: max(1, round(len(fresh) * min(epochs, 1)))]
        epochs -= 1
    # What is larger is trained with smaller steps; its head is as small as ever. What has been
    # trained before is no longer new: its head learns hardly faster than the rest.
    pace = MINILM.dimension**2 / body.dimension**2
    return teach(
        lambda: network(start, body),
        plan,
        _loss,
        rate=rate * pace,
        head=(5.0 if start is None else 2.0) / pace,
        seed=seed,
    )


def _thinned(text: list[Unit], rng: random.Random) -> Text:
    """Three in ten with units left out: what is left still has one right order."""
    if len(text) > 3 and rng.random() < 0.3:
        return [text[i] for i in sorted(rng.sample(range(len(text)), rng.randint(3, len(text))))]
    return text


def network(start: Mapping[str, Floats] | None = None, body: Body = MINILM) -> Any:
    """The network as a torch module; its parameters have the names that ``pairs`` reads."""
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional

    class Pairs(reader(body=body)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            size = 2 * body.dimension
            self.a, self.c = nn.Linear(size, HIDDEN), nn.Linear(size, HIDDEN)
            self.b, self.d = (nn.Linear(size, HIDDEN, bias=False) for _ in range(2))
            self.w, self.v = (nn.Linear(HIDDEN, 1, bias=False) for _ in range(2))
            self.o = nn.Linear(size, 1, bias=False)
            nn.init.zeros_(self.v.weight)  # at first pairs alone decide
            nn.init.zeros_(self.o.weight)

        def forward(self, texts: Sequence[Text]) -> tuple[Any, Any, Any]:
            """What a ``walk`` is made of: pull and follow, [B, N, N], and opening, [B, N]."""
            z = self.read(texts)
            pull = self.w(functional.relu(self.a(z)[:, :, None] + self.b(z)[:, None])).squeeze(-1)
            near = self.v(functional.relu(self.c(z)[:, :, None] + self.d(z)[:, None])).squeeze(-1)
            return pull - pull.transpose(1, 2), near, self.o(z).squeeze(-1)

    net = Pairs()
    if start is not None:
        net.load_state_dict({name: torch.from_numpy(value) for name, value in start.items()})
    return net


def _loss(net: Any, texts: Sequence[Text]) -> Any:
    torch = need_torch()
    pull, follow, opening = net(texts)
    number = torch.tensor([len(text) for text in texts])
    steps = steps_loss(pull, follow, opening, number)
    return _STEPS * steps + (1 - _STEPS) * pairs_loss(pull, number)


def pairs_loss(pull: Any, number: Any) -> Any:
    """-log P(i before j), the mean over the pairs of a text, then over texts; in their order."""
    torch = need_torch()
    size = pull.shape[1]
    first, second = torch.triu_indices(size, size, 1)
    real = (second[None] < number[:, None]).float()
    losses = torch.nn.functional.softplus(-pull[:, first, second]) * real
    return (losses.sum(1) / real.sum(1)).mean()


def steps_loss(pull: Any, follow: Any, opening: Any, number: Any) -> Any:
    """-log P(next is the right unit), the mean over the steps of a text, as in ``walk``."""
    torch = need_torch()
    places = torch.arange(pull.shape[1])
    real = places[None] < number[:, None]
    # [B, t, i]: what draws unit i to the front of those from place t on.
    lead = (pull * real[:, None]).flip(2).cumsum(2).flip(2).transpose(1, 2)
    scores = lead + torch.cat([opening[:, None], follow[:, :-1]], 1)
    left = (places[None] >= places[:, None]) & real[:, None] | ~real[:, :, None]
    right = scores.masked_fill(~left, float("-inf")).log_softmax(2).diagonal(dim1=1, dim2=2)
    return -((right * real).sum(1) / number).mean()
