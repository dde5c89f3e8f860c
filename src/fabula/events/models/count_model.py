"""Base of the models that rank by counts: counting, tuning, saving, ranking."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import fingerprint
from fabula.core.model_store import SavedModel, State, shipped_folder
from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.events.build import build_tests
from fabula.events.cloze.event_test import EventTest, Ranking
from fabula.events.cloze.ranking import rank_scores
from fabula.events.counts.counting import count
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.store import checksums, open_counts, save_counts
from fabula.events.items import Chain
from fabula.events.recipes import RECIPES

__all__ = ["CountModel", "as_chains", "as_tests", "counts_of", "shipped_counts"]

_log = logging.getLogger("fabula.events")
Floats = NDArray[np.float64]
Items = Counts | Iterable[Chain | EventTest]
_TUNING = 1000  # development tests used at most: a choice among a few values needs no more


def shipped_counts() -> Counts:
    """The counts that come with the package."""
    return open_counts(shipped_folder("events/counts"))


def as_chains(items: Iterable[Chain | EventTest]) -> Iterable[Chain]:
    """Chains as they are; a test with its answer filled in is a chain too."""
    return (item.filled() if isinstance(item, EventTest) else item for item in items)


def counts_of(items: Items, *, skip: int, recipe: str | None) -> Counts:
    """The counts of chains, or a store as it is where it was counted in the same way."""
    if not isinstance(items, Counts):
        return count(as_chains(items), skip=skip, recipe=recipe)
    if items.skip != skip or (recipe is not None and items.recipe != recipe):
        raise UsageError(
            f"the store was counted with skip {items.skip} and recipe {items.recipe}; the model "
            f"asks for skip {skip} and recipe {recipe}: count again, or set them alike"
        )
    return items


def as_tests(dev: Iterable[Chain | EventTest], recipe: str | None, seed: int) -> list[EventTest]:
    """Tests to tune on: those given, or tests of the recipe built from the chains given."""
    if isinstance(dev, Counts):
        dev = dev.chains()
    items = list(dev)
    tests = [item for item in items if isinstance(item, EventTest) and item.answer is not None]
    chains = [item for item in items if isinstance(item, Chain)]
    if chains:
        tests += build_tests(chains, RECIPES[recipe or "lm-cloze"], n=_TUNING, seed=seed)
    return tests[:_TUNING]


class CountModel(SavedModel):
    """A model that ranks by counts. A child says how it scores and which values may be tuned."""

    weights_file: ClassVar[str | None] = None  # the counts are a store of their own
    tunable: ClassVar[dict[str, tuple[Any, ...]]] = {}  # parameter -> values tried on dev
    skip: int
    recipe: str | None
    seed: int

    def fit(self, items: Items, dev: Iterable[Chain | EventTest] = ()) -> Self:
        """Count ``items`` (chains, tests with answers, or a store); tune on ``dev`` if given.

        Parameters left at None are tuned: the value with the best recall@50, the lower rank
        deciding among equals.
        """
        self.counts_ = counts_of(items, skip=self.skip, recipe=self.recipe)
        self.tuned_ = self._defaults()
        tests = as_tests(dev, self.recipe, self.seed)
        for name, values in self.tunable.items():
            if getattr(self, name) is None and tests:
                self.tuned_[name] = max(values, key=lambda value: self._quality(name, value, tests))
        return self

    def _defaults(self) -> dict[str, Any]:
        """The values given, and for those left open the first that would be tried."""
        return {
            name: values[0] if getattr(self, name) is None else getattr(self, name)
            for name, values in self.tunable.items()
        }

    def _quality(self, name: str, value: Any, tests: Sequence[EventTest]) -> tuple[float, float]:
        kept = self.tuned_[name]
        self.tuned_[name] = value
        try:
            places = [
                ranking.rank_of(test.answer)
                for test, ranking in zip(tests, self.rank(tests, 1), strict=True)
                if test.answer is not None
            ]
        finally:
            self.tuned_[name] = kept
        ranks = np.array([place.rank for place in places])
        return float((ranks <= 50).mean()), float((1 / ranks).mean())

    def tuned(self, name: str) -> Any:
        """A parameter's value: as tuned, as given, or as it is by default."""
        if not hasattr(self, "tuned_"):
            self.tuned_ = self._defaults()
        return self.tuned_[name]

    def counts(self) -> Counts:
        if not hasattr(self, "counts_"):
            _log.info("events/%s: not trained; the shipped counts are used", self.short_name())
            self.counts_ = shipped_counts()
        return self.counts_

    def rank(self, tests: Sequence[EventTest], top: int = 50) -> list[Ranking]:
        counts = self.counts()
        return [
            rank_scores(self.scores(test, counts), test, counts, top)
            for test in track(tests, "ranking")
        ]

    @abstractmethod
    def scores(self, test: EventTest, counts: Counts) -> Floats:
        """One number for each event type, larger is likelier; -inf is not ranked."""

    def ensure_trained(self) -> None:
        self.counts()

    def state(self) -> State:
        return State({"tuned": {name: self.tuned(name) for name in self.tunable}})

    def restore(self, state: State) -> None:
        self.tuned_ = {name: state.values["tuned"][name] for name in self.tunable}

    def save(self, folder: str | PathLike[str]) -> None:
        save_counts(self.counts(), folder)
        super().save(folder)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        model = super().load(folder)
        model.counts_ = open_counts(folder)
        return model

    def fingerprint(self) -> str:
        return fingerprint([super().fingerprint(), *checksums(self.counts())])
