"""cogcomp (Chaturvedi, Peng and Roth 2017): event sequence, sentiment trajectory, topic.

The event part is ours: events by ``fabula.events.extract.extraction``, scored by our event models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.endings.folds import golds, item_folds
from fabula.endings.items import Ending, Scores
from fabula.endings.leakage import training_marks
from fabula.endings.models.cogcomp.aspects import ASPECTS
from fabula.endings.models.cogcomp.mixture import Flat, Mixture
from fabula.errors import UnknownName, UsageError

__all__ = ["CogComp"]

Floats = NDArray[np.float64]
COMBINERS = ("mixture", "flat")


@dataclass(kw_only=True, eq=False, repr=False)
class CogComp(SavedModel):
    """Aspects joined by a latent mixture trained by EM, or by one regression (``flat``).

    ``aspects`` are ``events``, ``sentiment`` and ``topic``; a fourth, ``language``, asks the
    packaged language model and is slow (its answers are cached). The features of a training item
    are cross-fitted: its aspect is fitted on the other folds, otherwise every right ending would
    have been seen before. ``stories``: a file of further stories (endings items with gold) for
    events and sentiment to learn from.
    """

    registered, fitted = "endings/cogcomp", "joined_"
    without_context = "others"

    aspects: str | Sequence[str] = tuple(ASPECTS)
    way: str = "mixture"
    stories: str | None = None
    penalty: float = 1.0
    folds: int = 5
    seed: int = 0

    def fit(self, items: Sequence[Ending], dev: Sequence[Ending] = ()) -> CogComp:
        """``dev`` is not needed: nothing is stopped or chosen."""
        gold = golds(items)
        names = self._names()
        if self.way not in COMBINERS:
            raise UnknownName("way to join aspects", self.way, COMBINERS)
        further = self._further()
        if min(len(items), self.folds) < 2:
            raise UsageError(f"{len(items)} items in {self.folds} folds; both must be 2 or more")
        folds = min(self.folds, len(items))
        sides = item_folds(len(items), folds, self.seed)
        sizes = np.array([len(item.options) for item in items])
        owner = np.repeat(sides, sizes)
        features: dict[str, Floats] = {}
        self.aspects_ = {}
        for name in track(names, "aspects"):
            for side in range(folds):
                rest = [item for item, s in zip(items, sides, strict=True) if s != side]
                held = [item for item, s in zip(items, sides, strict=True) if s == side]
                aspect_features = self._fitted(name, rest, further).features(held)
                features.setdefault(name, np.zeros((len(owner), aspect_features.shape[1])))
                features[name][owner == side] = aspect_features
            self.aspects_[name] = self._fitted(name, items, further)
        self.centre_ = {name: x.mean(axis=0) for name, x in features.items()}
        self.spread_ = {name: np.maximum(x.std(axis=0), 1e-9) for name, x in features.items()}
        right = np.concatenate([[0], np.cumsum(sizes)[:-1]]) + np.array(gold)
        self.joined_ = self._combiner().fit(self._standard(features), sizes, right)
        self.training_marks_ = training_marks(items, dev, further)
        return self

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        self.ensure_trained()
        if not items:
            return []
        features = {name: aspect.features(items) for name, aspect in self.aspects_.items()}
        sizes = np.array([len(item.options) for item in items])
        logs = self.joined_.log_shares(self._standard(features), sizes)
        return [tuple(part.tolist()) for part in np.split(logs, np.cumsum(sizes)[:-1])]

    def saved_parameters(self) -> dict[str, Any]:
        return {**super().saved_parameters(), "aspects": self._names()}

    def state(self) -> State:
        states = {name: aspect.state() for name, aspect in self.aspects_.items()}
        arrays = {
            f"{name}.{key}": array
            for name, (_, aspect_arrays) in states.items()
            for key, array in aspect_arrays.items()
        }
        for name in states:
            arrays[f"{name}.centre"] = self.centre_[name]
            arrays[f"{name}.spread"] = self.spread_[name]
        if isinstance(self.joined_, Mixture):
            arrays["gate"] = self.joined_.gate_
            arrays |= {f"{name}.choice": w for name, w in self.joined_.choice_.items()}
        else:
            arrays["choice"] = self.joined_.choice_
        values = {
            "learnt": {name: values for name, (values, _) in states.items()},
            "seen": sorted(self.training_marks_),
        }
        return State(values, {key: np.ascontiguousarray(array) for key, array in arrays.items()})

    def restore(self, state: State) -> None:
        self.aspects_, self.centre_, self.spread_ = {}, {}, {}
        for name in self._names():
            own = {
                key.removeprefix(f"{name}."): array
                for key, array in state.arrays.items()
                if key.startswith(f"{name}.")
            }
            self.aspects_[name] = ASPECTS[name]().restore(state.values["learnt"][name], own)
            self.centre_[name], self.spread_[name] = own["centre"], own["spread"]
        joined = self._combiner()
        if isinstance(joined, Mixture):
            joined.gate_ = state.arrays["gate"]
            joined.choice_ = {name: state.arrays[f"{name}.choice"] for name in self.aspects_}
        else:
            joined.choice_ = state.arrays["choice"]
        self.joined_ = joined
        self.training_marks_ = frozenset(state.values["seen"])

    def _fitted(self, name: str, items: Sequence[Ending], further: Sequence[Ending]) -> Any:
        # The topic's weights are learnt from wrong endings too, which further stories lack.
        more = [*items, *further] if name in ("events", "sentiment") else list(items)
        return ASPECTS[name]().fit(more)

    def _standard(self, features: dict[str, Floats]) -> dict[str, Floats]:
        return {name: (x - self.centre_[name]) / self.spread_[name] for name, x in features.items()}

    def _combiner(self) -> Mixture | Flat:
        make = Mixture if self.way == "mixture" else Flat
        return make(penalty=self.penalty)

    def _further(self) -> list[Ending]:
        from fabula.endings.formats.tables import read_endings

        return [] if self.stories is None else list(read_endings(self.stories))

    def _names(self) -> list[str]:
        chosen = self.aspects.split(",") if isinstance(self.aspects, str) else self.aspects
        for name in chosen:
            if name not in ASPECTS:
                raise UnknownName("aspect", name, ASPECTS)
        if not chosen:
            raise UsageError("no aspect is chosen; there are " + ", ".join(ASPECTS))
        return [name for name in ASPECTS if name in chosen]
