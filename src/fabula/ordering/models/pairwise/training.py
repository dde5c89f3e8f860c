"""Train the cross-sentence encoder of ``pairwise`` in torch, on next-unit and pair losses."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch
from fabula.ordering.models.pairwise.head import HIDDEN
from fabula.text.transformer.joint_training import Unit, batches, encoder_class, fine_tune, prepare
from fabula.text.transformer.spec import MINILM, Backbone

__all__ = ["network", "pairs_loss", "steps_loss", "train"]

Floats = NDArray[np.float32]
_STEPS = 0.7  # share of the next-unit loss; the rest is the pair loss
Text = Sequence[Unit]  # the tokenized units in gold order


def train(
    texts: Sequence[Sequence[str]],
    *,
    epochs: float,
    rate: float,
    batch: int,
    seed: int,
    start: Mapping[str, Floats] | None = None,
    backbone: Backbone = MINILM,
) -> dict[str, Floats]:
    """The trained weights by name, from texts in gold order; ``start``: weights to start from."""
    rng = random.Random(seed)
    distinct = list(dict.fromkeys(unit for text in texts for unit in text))
    prepared = dict(zip(distinct, prepare(distinct, backbone), strict=True))
    plan: list[list[Text]] = []
    while epochs > 0:
        items = [_thinned([prepared[unit] for unit in text], rng) for text in texts]
        epoch = batches(items, lambda text: sum(map(len, text)), batch, rng)
        plan += epoch[: max(1, round(len(epoch) * min(epochs, 1)))]
        epochs -= 1
    # A larger encoder gets a lower learning rate, its heads (of the same size) do not. New heads
    # learn at five times the base rate, heads that were trained before at twice.
    pace = MINILM.dimension**2 / backbone.dimension**2
    return fine_tune(
        lambda: network(start, backbone),
        plan,
        _loss,
        rate=rate * pace,
        head_factor=(5.0 if start is None else 2.0) / pace,
        seed=seed,
    )


def _thinned(text: list[Unit], rng: random.Random) -> Text:
    """Augmentation: drops random units of three texts in ten; the rest keep their gold order."""
    if len(text) > 3 and rng.random() < 0.3:
        return [text[i] for i in sorted(rng.sample(range(len(text)), rng.randint(3, len(text))))]
    return text


def network(start: Mapping[str, Floats] | None = None, backbone: Backbone = MINILM) -> Any:
    """The network as a torch module; its parameters have the stored names that ``head`` reads."""
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional

    class Pairs(encoder_class(backbone=backbone)):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            size = 2 * backbone.dimension
            # The stored names: a, b, w the pair head; c, d, v the adjacency head; o the opening.
            self.a, self.c = nn.Linear(size, HIDDEN), nn.Linear(size, HIDDEN)
            self.b, self.d = (nn.Linear(size, HIDDEN, bias=False) for _ in range(2))
            self.w, self.v = (nn.Linear(HIDDEN, 1, bias=False) for _ in range(2))
            self.o = nn.Linear(size, 1, bias=False)
            nn.init.zeros_(self.v.weight)  # at first the pair head alone decides
            nn.init.zeros_(self.o.weight)

        def forward(self, texts: Sequence[Text]) -> tuple[Any, Any, Any]:
            """Pair logits and adjacency scores, [B, N, N], and opening scores, [B, N]."""
            z = self.encode(texts)
            pair_first, pair_second = self.a(z)[:, :, None], self.b(z)[:, None]
            pairs = self.w(functional.relu(pair_first + pair_second)).squeeze(-1)
            previous, following = self.c(z)[:, :, None], self.d(z)[:, None]
            adjacency = self.v(functional.relu(previous + following)).squeeze(-1)
            return pairs - pairs.transpose(1, 2), adjacency, self.o(z).squeeze(-1)

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
    """-log P(i before j), the mean over the pairs of a text in gold order, then over texts."""
    torch = need_torch()
    size = pull.shape[1]
    first, second = torch.triu_indices(size, size, 1)
    real = (second[None] < number[:, None]).float()
    losses = torch.nn.functional.softplus(-pull[:, first, second]) * real
    return (losses.sum(1) / real.sum(1)).mean()


def steps_loss(pull: Any, follow: Any, opening: Any, number: Any) -> Any:
    """-log P(gold next unit), the mean over the steps of a text (``sequential_beam``'s model)."""
    torch = need_torch()
    positions = torch.arange(pull.shape[1])
    real = positions[None] < number[:, None]
    # [B, t, i]: the sum of unit i's pair logits over the units from position t on.
    lead = (pull * real[:, None]).flip(2).cumsum(2).flip(2).transpose(1, 2)
    scores = lead + torch.cat([opening[:, None], follow[:, :-1]], 1)
    left = (positions[None] >= positions[:, None]) & real[:, None] | ~real[:, :, None]
    right = scores.masked_fill(~left, float("-inf")).log_softmax(2).diagonal(dim1=1, dim2=2)
    return -((right * real).sum(1) / number).mean()
