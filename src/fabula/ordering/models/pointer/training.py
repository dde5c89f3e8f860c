"""Training a pointer network: the epoch with the best Kendall tau on development texts is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import Development, need_torch, train
from fabula.ordering.metrics import MEASURES, ranks_of
from fabula.ordering.models.pointer.data import Batches, EncodedText, batches_of_equal_length
from fabula.ordering.models.pointer.network import nll

if TYPE_CHECKING:
    from fabula.ordering.models.pointer.base import PointerModel

__all__ = ["train_pointer"]

_SHOWN = ("PMR", "Acc", "tau", "WLCS-l")
_GRADIENT = 5.0  # the longest a gradient may be: one odd text should not undo an epoch


def train_pointer(
    model: PointerModel, table: Any, batches: Batches, development: Sequence[EncodedText]
) -> tuple[dict[str, NDArray[np.float32]], list[dict[str, float]]]:
    """The weights of the best epoch, and loss, scores and seconds of every epoch.

    Development texts are ordered one unit at a time (no beam): that is enough to compare epochs.
    """
    torch = need_torch()
    scores: list[dict[str, float]] = []

    def make() -> Any:
        network = model.network(len(model.vocabulary_))
        if table is not None:
            with torch.no_grad():
                network.words.weight.copy_(torch.from_numpy(table))
        return network

    def optimiser(network: Any) -> Any:
        chosen, schedule = model.optimiser(network)
        return chosen if schedule is None else ([chosen], [schedule])

    def tau(network: Any) -> float:
        scores.append(_scores(model, network, development))
        return scores[-1]["tau"]

    trained = train(
        make,
        batches,
        _loss,
        optimiser,
        epochs=model.epochs,
        seed=model.seed,
        development=Development(tau, model.patience, details=lambda: scores[-1]),
        clip=_GRADIENT,
    )
    curve = [
        {"loss": epoch.loss, **epoch.details, "seconds": round(epoch.seconds, 2)}
        for epoch in trained.epochs
    ]
    return trained.weights, curve


def _loss(network: Any, batch: Any) -> Any:
    vectors, keys, start = network.encode(batch)
    decoder = network.decoder
    log_probs = decoder.teach(vectors, decoder.prepare(keys), start, batch.gold, batch.real)
    return nll(log_probs, batch.gold, batch.real)


def _scores(model: PointerModel, network: Any, texts: Sequence[EncodedText]) -> dict[str, float]:
    totals = dict.fromkeys(_SHOWN, 0.0)
    counts = dict.fromkeys(_SHOWN, 0.0)
    for rows in batches_of_equal_length(texts):
        batch = [texts[row] for row in rows]
        orders = [answer.order for answer in model.search(network, batch, 1)]
        ranks = ranks_of([text.gold or () for text in batch], orders)
        for name in _SHOWN:
            total, count = MEASURES[name](ranks)
            totals[name] += float(total.sum())
            counts[name] += float(count.sum())
    return {name: round(totals[name] / counts[name], 4) for name in _SHOWN}
