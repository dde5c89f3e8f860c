"""Learning links from conversations alone: the marginal likelihood of all right antecedents.

Nobody says which message a message answers, only which conversation it is in. So the network is
trained to put its probability on any earlier message of the same conversation, or on the message
itself where it is the first (Kummerfeld et al. 2019 have links; Durrett and Klein 2013 the loss).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.chat_index import ChatIndex
from fabula.conversations.models.links.features import NAMES, pair_features
from fabula.core.progress import track

__all__ = ["Examples", "antecedents", "gather", "train"]

_BATCH = 128


def antecedents(labels: Sequence[int], window: int) -> NDArray[np.bool_]:
    """Per message which candidates are right: column 0 where it starts its conversation.

    >>> antecedents([0, 1, 0], 2).astype(int).tolist()
    [[1, 0, 0], [1, 0, 0], [0, 0, 1]]
    """
    gold = np.asarray(labels)
    right = np.zeros((len(gold), window + 1), dtype=bool)
    for d in range(1, min(window, len(gold) - 1) + 1):
        right[d:, d] = gold[d:] == gold[:-d]
    firsts = np.unique(gold, return_index=True)[1]
    right[firsts, 0] = True
    return right


class Examples(NamedTuple):
    """Candidates of all messages: features (half precision saves memory), mask, which are right."""

    features: NDArray[np.float16]
    mask: NDArray[np.bool_]
    right: NDArray[np.bool_]


def gather(chats: Sequence[tuple[ChatIndex, Sequence[int]]], window: int) -> Examples:
    """The examples of chats with their labels, in one set of arrays."""
    total = sum(len(labels) for _, labels in chats)
    examples = Examples(
        np.zeros((total, window + 1, len(NAMES)), dtype=np.float16),
        np.zeros((total, window + 1), dtype=bool),
        np.zeros((total, window + 1), dtype=bool),
    )
    start = 0
    for chat, labels in track(chats, "reading messages"):
        rows = slice(start, start + len(chat))
        examples.features[rows], mask = pair_features(chat, 0, len(chat), window)
        examples.mask[rows] = mask > 0
        examples.right[rows] = antecedents(labels, window)
        start += len(chat)
    return examples


def train(
    examples: Examples,
    *,
    hidden: int,
    epochs: int,
    rate: float,
    dropout: float,
    seed: int,
    initial: Mapping[str, NDArray[Any]] | None = None,
) -> dict[str, NDArray[Any]]:
    """A network's weights after ``epochs`` of AdamW with a one-cycle rate, from ``initial`` on."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    features, mask, right = examples
    usable = np.flatnonzero(right.any(1))  # an antecedent beyond the window teaches nothing
    network = nn.Sequential(
        nn.Linear(len(NAMES), hidden), nn.ReLU(), nn.Dropout(dropout),
        nn.Linear(hidden, hidden), nn.ReLU(),
        nn.Linear(hidden, 1),
    )  # fmt: skip
    linear = [layer for layer in network if isinstance(layer, nn.Linear)]
    if initial is not None:
        with torch.no_grad():
            for number, layer in enumerate(linear):
                layer.weight.copy_(
                    torch.from_numpy(initial[f"weight{number}"].T.astype(np.float32))
                )
                layer.bias.copy_(torch.from_numpy(initial[f"bias{number}"].astype(np.float32)))
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4)
    batches = -(-len(usable) // _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rate, total_steps=epochs * batches + 1
    )
    rng = np.random.default_rng(seed)
    for _ in track(range(epochs), "training"):
        rng.shuffle(usable)
        for start in range(0, len(usable), _BATCH):
            rows = np.sort(usable[start : start + _BATCH])
            logits = network(torch.from_numpy(features[rows].astype(np.float32))).squeeze(-1)
            logits = logits.masked_fill(~torch.from_numpy(mask[rows]), -1e9)
            among_right = logits.masked_fill(~torch.from_numpy(right[rows]), -1e9)
            loss = (logits.logsumexp(1) - among_right.logsumexp(1)).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return {
        f"{kind}{number}": array.astype(np.float16)
        for number, layer in enumerate(linear)
        for kind, array in (
            ("weight", layer.weight.detach().numpy().T.copy()),
            ("bias", layer.bias.detach().numpy().copy()),
        )
    }
