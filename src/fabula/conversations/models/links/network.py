"""The scorer of links: a feed-forward network over pair features, run by numpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.chat_index import ChatIndex
from fabula.conversations.models.links.features import NAMES, pair_features

__all__ = ["count_networks", "link_probabilities", "network_weights", "scores"]

Arrays = Mapping[str, NDArray[Any]]
LAYERS = 3
_BLOCK = 512  # messages whose features are held at once: 512 x 101 x 163 numbers, 34 MB
_OUT = np.float32(-1e9)


def count_networks(weights: Arrays) -> int:
    """How many networks there are; an array that is missing is a ``KeyError``."""
    count = len({name.partition(".")[0] for name in weights})
    for number in range(count):
        network_weights(weights, number)
    return count


def network_weights(weights: Arrays, number: int) -> dict[str, NDArray[Any]]:
    """The arrays of one network, by their names in it; a network that is missing is an error."""
    names = [f"{kind}{layer}" for layer in range(LAYERS) for kind in ("weight", "bias")]
    return {name: weights[f"{number}.{name}"] for name in names}


def scores(features: NDArray[np.float32], weights: Arrays, number: int) -> NDArray[np.float32]:
    """The log-odds of each candidate by one network: two hidden layers of rectified units."""
    hidden = features
    for layer in range(LAYERS):
        hidden = hidden @ weights[f"{number}.weight{layer}"].astype(np.float32)
        hidden += weights[f"{number}.bias{layer}"].astype(np.float32)
        if layer < LAYERS - 1:
            np.maximum(hidden, 0.0, out=hidden)
    return np.asarray(hidden[..., 0])


def link_probabilities(chat: ChatIndex, weights: Arrays, window: int) -> NDArray[np.float32]:
    """Per message the probabilities of starting a conversation and of answering each earlier one.

    A softmax over the message itself (column 0) and the ``window`` messages before it (column d:
    d before), as in mention ranking; the mean over the networks.
    """
    networks = count_networks(weights)
    rows = np.zeros((len(chat), window + 1), dtype=np.float32)
    for start in range(0, len(chat), _BLOCK):
        stop = min(start + _BLOCK, len(chat))
        features, mask = pair_features(chat, start, stop, window)
        flat = features.reshape(-1, len(NAMES))
        for number in range(networks):
            logits = scores(flat, weights, number).reshape(mask.shape)
            logits = np.where(mask > 0, logits, _OUT)
            odds = np.exp(logits - logits.max(1, keepdims=True))
            rows[start:stop] += odds / odds.sum(1, keepdims=True) / networks
    return rows
