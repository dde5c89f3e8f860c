"""Reader: a cross-sentence encoder (MiniLM, fine-tuned), then correlation clustering.

A sentence by itself often does not tell its story ("He left at once."), so the upper layers attend
over all sentences of the salad. The log-odds of a pair are a scaled cosine (``head``), calibrated
on held-out salads. ``context`` uses these log-odds as one of its pair features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.salads.clustering.correlation import (
    correlation_clusters,
    story_log_odds,
    with_probabilities,
)
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.joint_encoder.head import same_logits
from fabula.text.transformer.joint_inference import CrossSentenceEncoder, dequantise, quantise

__all__ = ["Reader"]

Floats = NDArray[np.floating]


class Reader(SavedModel):
    """Salads in, stories out: cross-sentence encodings, cosines, correlation clustering.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula.
    """

    registered, fitted, ships = "salads/reader", "network_", True
    parameters_last = True
    network_: Mapping[str, NDArray[np.float32]]

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
        self.ensure_trained()
        read = track(salads, "reading salads")
        return [self.scale_ * self.logits(salad.sentences) + self.shift_ for salad in read]

    def logits(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """The n x n log-odds of one salad before calibration."""
        self.ensure_trained()
        if not sentences:
            return np.zeros((0, 0), dtype=np.float32)
        distinct = list(dict.fromkeys(sentences))  # equal sentences get equal encodings
        log_odds = same_logits(self.network_, self.encoder_.encode(distinct))
        index = {sentence: i for i, sentence in enumerate(distinct)}
        rows = [index[sentence] for sentence in sentences]
        return np.asarray(log_odds[np.ix_(rows, rows)])

    def fit(self, items: Sequence[Salad], dev: Sequence[Salad] = ()) -> Reader:
        from fabula.salads.models.calibration import calibrate
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
        self._use(dequantise(quantise(network)))
        self.scale_, self.shift_, self.sharpness_ = 1.0, 0.0, 1.0
        answers = [np.array(salad.labels) for salad in dev]
        self.scale_, self.shift_, self.sharpness_ = calibrate(self.pair_odds(dev), answers)
        return self

    def _use(self, network: Mapping[str, NDArray[np.float32]]) -> None:
        self.network_, self.encoder_ = network, CrossSentenceEncoder(network)

    def state(self) -> State:
        calibration = {"scale": self.scale_, "shift": self.shift_, "sharpness": self.sharpness_}
        return State({"calibration": calibration}, quantise(self.network_))

    def restore(self, state: State) -> None:
        self._use(dequantise(state.arrays))
        if "near.weight" not in self.network_:
            raise ValueError("it lacks the weights that compare sentences")
        for name, value in state.values["calibration"].items():
            setattr(self, f"{name}_", value)
