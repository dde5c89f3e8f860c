"""Learned: event vectors and counts of many grains, weighed by a conditional logit."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import State
from fabula.core.progress import track
from fabula.events.build import build_tests
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.counting import count
from fabula.events.counts.event_counts import Counts
from fabula.events.items import Chain
from fabula.events.models.count_model import CountModel, Floats, Items, as_tests, counts_of
from fabula.events.models.learned.features import FEATURES, Features, event_vectors
from fabula.events.recipes import RECIPES, recipe_named

__all__ = ["Learned"]

_log = logging.getLogger("fabula.events")
# Until there are tests enough to learn from: the smoothed product of pairs, and frequency.
_PLAIN = {"frequency": 1.0, "pairs_product": 1.0}
_FEWEST = 50


@dataclass(kw_only=True, eq=False, repr=False)
class Learned(CountModel):
    """P(e | known) = softmax of a weighted sum of the features of ``features.py``.

    The weights are learnt on the development tests, or without any on tests held out of the
    training documents, whose counts then leave them out. The known events are taken as a set: the
    place of the hole is not used. Where the recipe has each event once, as the narrative cloze
    does, known events are not ranked. ``dimension`` is that of the event vectors; ``penalty`` keeps
    the weights small; ``negatives`` are drawn for each test by the root of their frequency.
    """

    registered, weights_file = "events/learned", "vectors.safetensors"

    dimension: int = 64
    penalty: float = 1e-2
    negatives: int = 400
    skip: int = 2
    recipe: str | None = "narrative-cloze"
    seed: int = 0

    def fit(self, items: Items, dev: Iterable[Chain | EventTest] = ()) -> Learned:
        if isinstance(items, Counts) and items.recipe != self.recipe:
            items = items.chains()  # they are prepared as the recipe says, and counted again
        counts = counts_of(items, skip=self.skip, recipe=self.recipe)
        self._use(counts, event_vectors(counts, self.dimension))
        tests = as_tests(dev, self.recipe, self.seed)
        features = self.features_
        if len(tests) < _FEWEST:
            tests, features = self._held_out(counts)
        self.weights_ = _plain() if len(tests) < _FEWEST else self._learn(tests, features)
        return self

    def _use(self, counts: Counts, vectors: NDArray[np.float32]) -> None:
        self.counts_, self.vectors_, self.tuned_ = counts, vectors, {}
        self.features_ = Features(counts, vectors)

    def _held_out(self, counts: Counts) -> tuple[list[EventTest], Features]:
        """Tests of a fifth of the documents, and features counted on the others."""
        rng = np.random.default_rng(self.seed)
        held = set(rng.permutation(len(counts.documents))[: len(counts.documents) // 5].tolist())
        names = {counts.documents[i] for i in held}
        chains = list(counts.chains())
        rest = [chain for chain in chains if chain.document not in names]
        if not held or not rest:
            return [], self.features_
        rules = replace(RECIPES[self.recipe or "lm-cloze"], chains="all", least=2)
        some = [chain for chain in chains if chain.document in names]
        tests = list(build_tests(some, rules, n=1000, seed=self.seed))
        fewer = count(rest, skip=self.skip, recipe=self.recipe)
        return tests, Features(fewer, event_vectors(fewer, self.dimension))

    def _learn(self, tests: list[EventTest], features: Features) -> Floats:
        from scipy.optimize import minimize

        rows, offsets = _examples(tests, features, self.negatives, self.seed)
        if len(rows) < _FEWEST:
            return _plain()
        spread = rows.reshape(-1, rows.shape[2]).std(0) + 1e-6
        rows = rows / spread

        def loss(weights: Floats) -> tuple[float, Floats]:
            """Minus the mean log probability of the answer, which is the first of each row."""
            scores = rows @ weights.astype(np.float32) + offsets
            scores -= scores.max(1, keepdims=True)
            odds = np.exp(scores)
            total = odds.sum(1)
            mean = ((odds / total[:, None])[:, None, :] @ rows)[:, 0]
            value = -(scores[:, 0] - np.log(total)).mean() + self.penalty * weights @ weights
            slope = (mean - rows[:, 0]).mean(0) + 2 * self.penalty * weights
            return float(value), np.asarray(slope, dtype=float)

        found = minimize(loss, np.zeros(rows.shape[2]), jac=True, method="L-BFGS-B")
        return np.asarray(found.x / spread, dtype=float)

    def scores(self, test: EventTest, counts: Counts) -> Floats:
        known = counts.encode(test.events)
        found = self.features_.of(known) @ self.weights_.astype(np.float32)
        scores = np.asarray(found, dtype=float)
        if self._once():
            scores[known[known >= 0]] = -np.inf
        return scores

    def _once(self) -> bool:
        """Whether the recipe has each event once: a known one is then not the missing one."""
        return self.recipe is not None and recipe_named(self.recipe).unique

    def counts(self) -> Counts:
        if not hasattr(self, "counts_"):
            counts = super().counts()
            self._use(counts, event_vectors(counts, self.dimension))
            self.weights_ = _plain()
        return self.counts_

    def state(self) -> State:
        weights = dict(zip(FEATURES, self.weights_.tolist(), strict=True))
        return State({**super().state().values, "weights": weights}, {"vectors": self.vectors_})

    def restore(self, state: State) -> None:
        super().restore(state)
        self.weights_ = np.array([state.values["weights"][name] for name in FEATURES], dtype=float)
        self.vectors_ = state.arrays["vectors"]

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Learned:
        model = super().load(folder)
        model._use(model.counts_, model.vectors_)
        return model


def _plain() -> Floats:
    """The weights of an untrained model: smoothed pair product and frequency."""
    _log.info("events/learned: no weights learnt; pairs and frequency alone are used")
    return np.array([_PLAIN.get(name, 0.0) for name in FEATURES])


def _examples(
    tests: list[EventTest], features: Features, negatives: int, seed: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Of each test the answer's features and some others', and what corrects for the draw."""
    rng = np.random.default_rng(seed)
    draw = np.sqrt(features.shares)
    draw /= draw.sum()
    rows, offsets = [], []
    for test in track(tests, "learning to weigh"):
        (answer,) = features.counts.encode([test.answer] if test.answer else []).tolist() or [-1]
        if answer < 0:
            continue
        other = rng.choice(len(draw), negatives, p=draw)
        every = features.of(features.counts.encode(test.events))
        rows.append(every[np.append(answer, other)])
        offsets.append(np.append(0.0, -np.log(draw[other] * negatives)))
    if not rows:
        return np.zeros((0, 1, len(FEATURES)), np.float32), np.zeros((0, 1), np.float32)
    return np.stack(rows), np.array(offsets, dtype=np.float32)
