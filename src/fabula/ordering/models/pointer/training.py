"""Training a pointer model by Lightning: the epoch that orders the development texts best wins."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import learn, need_lightning, need_torch, one_thread
from fabula.ordering.metrics import MEASURES, ranks_of
from fabula.ordering.models.pointer.data import Batches, Read
from fabula.ordering.models.pointer.network import nll

if TYPE_CHECKING:
    from fabula.ordering.models.pointer.base import PointerModel

__all__ = ["teach"]

_SHOWN = ("PMR", "Acc", "tau", "WLCS-l")
_GRADIENT = 5.0  # the longest a gradient may be: one odd text should not undo an epoch


def teach(
    model: PointerModel, table: Any, training: Batches, tuning: Sequence[Read]
) -> tuple[dict[str, NDArray[np.float32]], list[dict[str, float]]]:
    """The weights of the epoch with the highest tau, and what every epoch reached.

    Development texts are ordered one unit at a time (no beam): that is enough to compare epochs.
    """
    torch, lightning = need_torch(), need_lightning()
    from lightning.pytorch.callbacks import EarlyStopping

    class Learner(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.network = model.network(len(model.vocabulary_))
            if table is not None:
                with torch.no_grad():
                    self.network.words.weight.copy_(torch.from_numpy(table))
            self.curve: list[dict[str, float]] = []
            self.losses: list[float] = []
            self.best = self.weights()

        def weights(self) -> dict[str, NDArray[np.float32]]:
            state = self.network.state_dict()
            return {name: np.array(value.numpy()) for name, value in state.items()}

        def on_train_epoch_start(self) -> None:
            self.clock = time.perf_counter()
            self.losses.clear()

        def training_step(self, batch: Any, index: int) -> Any:
            vectors, keys, start = self.network.encode(batch)
            decoder = self.network.decoder
            log_probs = decoder.teach(vectors, decoder.prepare(keys), start, batch.gold, batch.real)
            loss = nll(log_probs, batch.gold, batch.real)
            self.losses.append(float(loss.detach()))
            return loss

        def validation_step(self, batch: Any, index: int) -> None:
            return None  # all is done at the end, in one go

        def on_validation_epoch_end(self) -> None:
            seconds = time.perf_counter() - self.clock
            scores = _scores(model, self.network, tuning)
            if scores["tau"] > max((e["tau"] for e in self.curve), default=-2.0):
                self.best = self.weights()
            loss = float(np.mean(self.losses))
            self.curve.append({"loss": loss, **scores, "seconds": round(seconds, 2)})
            self.log("tau", scores["tau"])

        def configure_optimizers(self) -> Any:
            optimiser, schedule = model.optimiser(self.network)
            return optimiser if schedule is None else ([optimiser], [schedule])

    stop = EarlyStopping("tau", mode="max", patience=model.patience, stopping_threshold=1 - 1e-9)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(model.seed)
        learner = Learner()
        options = {"callbacks": [stop], "gradient_clip_val": _GRADIENT}
        learn(learner, training, [0], epochs=model.epochs, **options)
    return learner.best, learner.curve


def _scores(model: PointerModel, network: Any, texts: Sequence[Read]) -> dict[str, float]:
    from fabula.ordering.models.pointer.base import alike

    totals = dict.fromkeys(_SHOWN, 0.0)
    counts = dict.fromkeys(_SHOWN, 0.0)
    for rows in alike(texts):
        some = [texts[row] for row in rows]
        found = [answer.order for answer in model.search(network, some, 1)]
        ranks = ranks_of([text.gold or () for text in some], found)
        for name in _SHOWN:
            total, count = MEASURES[name](ranks)
            totals[name] += float(total.sum())
            counts[name] += float(count.sum())
    return {name: round(totals[name] / counts[name], 4) for name in _SHOWN}
