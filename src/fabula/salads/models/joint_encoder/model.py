"""Reader: MiniLM trained further, the sentences of a salad read beside each other.

A sentence often says nothing of its story by itself ("He left at once."); it may do so beside the
others. How alike two sentences are is the cosine of what they come to (``reading``); stories come
from the calibrated log-odds by correlation clustering. ``context`` takes what this model says as
evidence among other evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core import model_store as weights
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.salads.clustering.correlation import (
    correlation_clusters,
    story_log_odds,
    with_probabilities,
)
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.joint_encoder.head import same_logits
from fabula.text.transformer.joint_inference import Tuned, packed, unpacked

__all__ = ["Reader", "shipped_reader"]

Floats = NDArray[np.floating]


class Reader:
    """Sentences that see each other, cosines, correlation clustering.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula.
    """

    network_: dict[str, NDArray[np.float32]]

    def __init__(
        self, *, epochs: float = 1.0, rate: float = 1.5e-4, batch: int = 1800, seed: int = 0
    ) -> None:
        self.epochs = epochs
        self.rate = rate
        self.batch = batch  # word pieces in one step of training
        self.seed = seed

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        return [
            self._group(odds, salad.stories)
            for salad, odds in zip(salads, self.pair_odds(salads), strict=True)
        ]

    def _group(self, odds: Floats, stories: int | None) -> Grouping:
        labels = correlation_clusters(odds, stories)
        if not len(labels):
            return Grouping((), ())
        towards = story_log_odds(odds, labels)
        return with_probabilities(labels[None], self.sharpness_ * towards[None])[0]

    def pair_odds(self, salads: Sequence[Salad]) -> list[Floats]:
        """For each salad the n x n calibrated log-odds that two sentences are of one story."""
        self._ready()
        read = track(salads, "reading salads")
        return [self.scale_ * self.logits(salad.sentences) + self.shift_ for salad in read]

    def logits(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """The same for one salad, not calibrated."""
        self._ready()
        if not sentences:
            return np.zeros((0, 0), dtype=np.float32)
        distinct = list(dict.fromkeys(sentences))  # equal sentences are read once, and are equal
        found = same_logits(self.network_, self._tuned.read(distinct))
        number = {sentence: place for place, sentence in enumerate(distinct)}
        places = [number[sentence] for sentence in sentences]
        return np.asarray(found[np.ix_(places, places)])

    def fit(self, items: Sequence[Salad], dev: Sequence[Salad] = ()) -> Reader:
        from fabula.salads.models.context.training import calibrate
        from fabula.salads.models.joint_encoder.training import train

        if any(salad.labels is None for salad in [*items, *dev]):
            raise UsageError("a salad has no labels; it cannot be trained on")
        if not dev:  # one in twenty is kept back, as in the paper
            items, dev = [s for i, s in enumerate(items) if i % 20], items[::20]
        network = train(
            [(salad.sentences, salad.labels or ()) for salad in items],
            epochs=self.epochs,
            rate=self.rate,
            batch=self.batch,
            seed=self.seed,
        )
        # Rounded now as it will be saved, so that a saved model answers as the one in memory.
        self.network_ = unpacked(packed(network))
        self.__dict__.pop("_tuned", None)
        self.scale_, self.shift_, self.sharpness_ = 1.0, 0.0, 1.0
        answers = [np.array(salad.labels) for salad in dev]
        self.scale_, self.shift_, self.sharpness_ = calibrate(self.pair_odds(dev), answers)
        return self

    @cached_property
    def _tuned(self) -> Tuned:
        return Tuned(self.network_)

    def _ready(self) -> None:
        if not hasattr(self, "network_"):
            shipped = shipped_reader()
            self.network_, self._tuned = shipped.network_, shipped._tuned
            self.scale_, self.shift_ = shipped.scale_, shipped.shift_
            self.sharpness_ = shipped.sharpness_

    def save(self, folder: str | Path) -> None:
        self._ready()
        config = {
            "model": "salads/reader",
            "calibration": {
                "scale": self.scale_,
                "shift": self.shift_,
                "sharpness": self.sharpness_,
            },
            "parameters": {
                name: getattr(self, name) for name in ("epochs", "rate", "batch", "seed")
            },
        }
        weights.write(folder, config, packed(self.network_))

    @classmethod
    def load(cls, folder: str | Path) -> Reader:
        with weights.reading(folder) as (config, arrays):
            model = cls(**config["parameters"])
            model.network_ = unpacked(arrays)
            if "near.weight" not in model.network_:
                raise ValueError("it lacks the weights that compare sentences")
            for name, value in config["calibration"].items():
                setattr(model, f"{name}_", value)
        return model


@cache
def shipped_reader() -> Reader:
    """The reader that comes with fabula, loaded once."""
    return Reader.load(weights.shipped("salads/reader"))
