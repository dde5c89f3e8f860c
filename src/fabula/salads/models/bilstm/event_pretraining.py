"""Pretrain event vectors by skip-gram with negative sampling (Weber et al. 2018).

Events of one story are positive pairs; negatives are drawn from all events.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fabula.core.training import need_torch, train

if TYPE_CHECKING:
    from fabula.salads.models.bilstm.data import Pairs

__all__ = ["EventPairs", "pretrain"]

_NEGATIVES = 5  # for each event, as in word2vec
_RATE = 1e-3


class EventPairs:
    """For each salad a batch of events, a positive of the same story for each, and negatives."""

    def __init__(self, pairs: Pairs, seed: int) -> None:
        self.pairs = pairs
        self.rng = random.Random(seed)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        from fabula.salads.models.bilstm.data import pad

        everything = [e for salad in self.pairs.read for events in salad for e in events]
        order = list(range(len(self.pairs)))
        self.rng.shuffle(order)
        for index in order:
            salad, (same_story, _) = self.pairs.read[index], self.pairs.kinds[index]
            chosen = [pair if self.rng.random() < 0.5 else pair[::-1] for pair in same_story]
            chosen = self.rng.sample(chosen, min(len(chosen), 2 * self.pairs.half))
            anchor = [self.rng.choice(salad[i]) for i, _ in chosen]
            positive = [self.rng.choice(salad[j]) for _, j in chosen]
            negatives = [self.rng.choice(everything) for _ in range(_NEGATIVES * len(chosen))]
            table = pad([anchor, positive, negatives])[0]
            yield table[0, : len(anchor)], table[1, : len(anchor)], table[2]


def pretrain(network: Any, pairs: Pairs, *, epochs: int, seed: int) -> None:
    """Train the word and event layers of ``network`` in place."""
    torch = need_torch()

    def loss(network: Any, batch: Any) -> Any:
        anchor, positive, negatives = (network.look(events[None])[0] for events in batch)
        positive_score = (anchor * positive).sum(1)  # [p]
        negative_scores = (anchor[:, None] * negatives.reshape(len(anchor), _NEGATIVES, -1)).sum(2)
        sigmoid = torch.nn.functional.logsigmoid
        return -(sigmoid(positive_score) + sigmoid(-negative_scores).sum(1)).mean()

    def optimiser(network: Any) -> Any:
        layers = [*network.words.parameters(), *network.event.parameters()]
        return torch.optim.Adam([p for p in layers if p.requires_grad], _RATE)

    train(lambda: network, EventPairs(pairs, seed), loss, optimiser, epochs=epochs, seed=seed)
