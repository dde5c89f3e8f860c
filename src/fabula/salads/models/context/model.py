"""Context, the salad model that ships: pair features, a relational network, correlation clustering.

Whether two sentences belong together depends on the salad they are in: two reports of one war are
alike in a salad about a war and a kitchen, and unlike in a salad about two battles. So the input
is how each pair compares (``pair_features``; one feature is the model ``reader``), not what the
sentences say, and triangle updates let every pair attend to all pairs (``relational``). Stories
come from the calibrated log-odds by correlation clustering, their number given or estimated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.core.threads import core_count, one_blas_thread
from fabula.errors import UsageError
from fabula.salads.clustering.correlation import (
    correlation_clusters,
    story_log_odds,
    strongest_links,
    with_probabilities,
)
from fabula.salads.clustering.two_way_correlation import two_story_log_odds, two_way_clusters
from fabula.salads.items import Grouping, Salad
from fabula.salads.models.context.inference import infer, prepare
from fabula.salads.models.context.pair_features import FEATURES, pair_features
from fabula.salads.models.joint_encoder.model import Reader
from fabula.salads.models.sentence_vectors import salad_vectors

__all__ = ["Context", "Large"]

Floats = NDArray[np.floating]

_PAIRS_AT_ONCE = 2_000  # pairs in one pass of the network: their states fit in a core's own memory


class Large(NamedTuple):
    """The grouping of a salad that exceeds ``Context.whole`` sentences, computed in parts."""

    grouping: Grouping
    towards: Floats  # n x k: mean log-odds with each story's sentences in the sample
    nearest: Sequence[tuple[tuple[int, float], ...]]  # for each: its strongest links, (j, log-odds)


class Context(SavedModel):
    """Salads in, stories out: pair features, triangle updates, correlation clustering.

    Without ``fit`` or ``load`` it uses the weights that ship with fabula.
    """

    registered, fitted, ships = "salads/context", "weights_", True
    unsaved, parameters_last = ("encoder",), True
    weights_: dict[str, NDArray[np.float32]]
    whole = 300  # sentences clustered at once; the pairs of more would not fit in memory

    def __init__(
        self,
        *,
        encoder: Any = "minilm",
        reader: str | None = None,
        width: int = 32,
        epochs: int = 6,
        rate: float = 2e-3,
        batch: int = 16,
        start: str | None = None,
        seed: int = 0,
    ) -> None:
        self.encoder = encoder
        self.reader = reader  # folder of a trained ``reader``; None: the one that ships
        self.width = width
        self.epochs = epochs
        self.rate = rate
        self.batch = batch
        self.start = start  # folder of a trained ``context`` to start from
        self.seed = seed

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        small = [salad for salad in salads if len(salad.sentences) <= self.whole]
        grouped = iter(self.group_evidence(small, self.evidence(small)))
        return [
            next(grouped)
            if len(salad.sentences) <= self.whole
            else self.group_large(salad).grouping
            for salad in salads
        ]

    def group_evidence(
        self, salads: Sequence[Salad], features: Sequence[NDArray[np.float32]]
    ) -> list[Grouping]:
        """``group`` from the pair features that ``evidence`` computed."""
        groupings: list[Grouping] = [Grouping((), ())] * len(features)

        def group(part: list[int], odds: Floats) -> None:
            stories = {salads[index].stories for index in part}
            if stories == {2} and odds.shape[1] > 1:
                labels = two_way_clusters(odds)
                part_groupings = self._groupings(labels, two_story_log_odds(odds, labels))
            else:
                part_groupings = [
                    self.certainty(matrix, correlation_clusters(matrix, salads[index].stories))
                    for index, matrix in zip(part, odds, strict=True)
                ]
            for index, grouping in zip(part, part_groupings, strict=True):
                groupings[index] = grouping

        self._run_network(features, group)
        return groupings

    def pair_odds(self, salads: Sequence[Salad]) -> list[Floats]:
        """For each salad the n x n calibrated log-odds that two sentences are of one story."""
        return self.odds_of(self.evidence(salads))

    def odds_of(self, features: Sequence[NDArray[np.float32]]) -> list[Floats]:
        """``pair_odds`` from the pair features that ``evidence`` computed."""
        log_odds: list[Floats] = [np.zeros((0, 0))] * len(features)

        def keep(part: list[int], odds: Floats) -> None:
            for index, matrix in zip(part, odds, strict=True):
                log_odds[index] = matrix

        self._run_network(features, keep)
        return log_odds

    def _run_network(
        self, features: Sequence[NDArray[np.float32]], use: Callable[[list[int], Floats], None]
    ) -> None:
        """Run the network on batches of salads of equal size; calls ``use(indices, log-odds)``."""
        self.ensure_trained()
        ready = prepare(self.weights_)
        by_size: dict[int, list[int]] = defaultdict(list)
        for index, matrix in enumerate(features):
            by_size[len(matrix)].append(index)
        parts = []
        for size, indices in by_size.items():
            step = max(1, _PAIRS_AT_ONCE // max(1, size * size))
            parts += [indices[at : at + step] for at in range(0, len(indices), step)]

        def run(part: list[int]) -> None:
            raw = infer(ready, np.stack([features[i] for i in part]))
            use(part, self.scale_ * raw.astype(np.float64) + self.shift_)

        # Threads over batches, one BLAS thread each: the products are too small to share.
        with one_blas_thread(), ThreadPoolExecutor(core_count()) as pool:
            list(pool.map(run, parts))

    def evidence(self, salads: Sequence[Salad]) -> list[NDArray[np.float32]]:
        """The pair features of each salad; all sentences are encoded in one batch."""
        vectors = salad_vectors(self.encoder, salads)
        reader = self._reader
        return [
            pair_features(salad.sentences, part, reader.logits(salad.sentences))
            for salad, part in zip(track(salads, "comparing sentences"), vectors, strict=True)
        ]

    @cached_property
    def _reader(self) -> Reader:
        return Reader.shipped() if self.reader is None else Reader.load(self.reader)

    def certainty(self, odds: Floats, labels: NDArray[np.int64]) -> Grouping:
        """A grouping with the calibrated probability of each sentence's story."""
        return self._groupings(labels[None], story_log_odds(odds, labels)[None])[0]

    def _groupings(self, labels: NDArray[np.int64], towards: Floats) -> list[Grouping]:
        return with_probabilities(labels, self.sharpness_ * towards)

    def group_large(self, salad: Salad) -> Large:
        """Cluster an evenly spaced sample, then assign the rest to its stories, part by part."""
        n = len(salad.sentences)
        sample = np.unique(np.linspace(0, n - 1, self.whole * 2 // 3).astype(int))
        rest = np.setdiff1d(np.arange(n), sample)
        (odds,) = self.pair_odds([_subset(salad, sample)])
        sample_labels = correlation_clusters(odds, salad.stories)
        labels = np.zeros(n, dtype=np.int64)
        story_odds = np.zeros((n, int(sample_labels.max()) + 1))
        nearest: list[tuple[tuple[int, float], ...]] = [()] * n
        labels[sample], story_odds[sample] = sample_labels, story_log_odds(odds, sample_labels)
        for i, links in zip(sample, strongest_links(odds, sample_labels), strict=True):
            nearest[i] = tuple((int(sample[j]), value) for j, value in links)
        step = self.whole - len(sample)
        for at in track(range(0, len(rest), step), "placing sentences"):
            part = rest[at : at + step]
            indices = np.concatenate([sample, part])
            (odds,) = self.pair_odds([_subset(salad, indices)])
            member = np.eye(story_odds.shape[1])[sample_labels]
            story_odds[part] = odds[len(sample) :, : len(sample)] @ member / member.sum(axis=0)
            labels[part] = story_odds[part].argmax(axis=1)
            for i, links in zip(indices, strongest_links(odds, labels[indices]), strict=True):
                if i not in sample:
                    nearest[i] = tuple((int(indices[j]), value) for j, value in links)
        return Large(self._groupings(labels[None], story_odds[None])[0], story_odds, nearest)

    def fit(self, items: Sequence[Salad], dev: Sequence[Salad] = ()) -> Context:
        from fabula.salads.models.calibration import calibrate
        from fabula.salads.models.context.training import train

        if any(salad.labels is None for salad in [*items, *dev]):
            raise UsageError("a salad has no labels; it cannot be trained on")
        if not dev:  # one in twenty is kept back, as in the paper
            items, dev = [s for i, s in enumerate(items) if i % 20], items[::20]
        self.weights_ = train(
            self.evidence(items),
            [np.array(salad.labels) for salad in items],
            width=self.width,
            epochs=self.epochs,
            rate=self.rate,
            batch=self.batch,
            seed=self.seed,
            start=None if self.start is None else type(self).load(self.start).weights_,
        )
        self.scale_, self.shift_, self.sharpness_ = 1.0, 0.0, 1.0
        answers = [np.array(salad.labels) for salad in dev]
        self.scale_, self.shift_, self.sharpness_ = calibrate(self.pair_odds(dev), answers)
        return self

    def state(self) -> State:
        calibration = {"scale": self.scale_, "shift": self.shift_, "sharpness": self.sharpness_}
        return State({"features": list(FEATURES), "calibration": calibration}, self.weights_)

    def restore(self, state: State) -> None:
        if state.values["features"] != list(FEATURES):
            raise ValueError("it was trained on other features than this version computes")
        self.weights_ = dict(state.arrays)
        for name, value in state.values["calibration"].items():
            setattr(self, f"{name}_", value)


def _subset(salad: Salad, indices: NDArray[np.int64]) -> Salad:
    return Salad(
        id=salad.id, sentences=tuple(salad.sentences[i] for i in indices), stories=salad.stories
    )
