"""fine-tuned: a linear probe over a language model's hidden states of each ending.

The packaged model reads the context once and each ending behind it. Its middle layers know whether
an ending fits, better than its likelihoods say; a linear head over their states (the last token's
and the mean, of three layers) is trained to tell right endings from wrong ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.core.progress import track
from fabula.endings.folds import count_correct, golds, item_folds
from fabula.endings.items import Ending, Scores
from fabula.endings.leakage import training_marks
from fabula.endings.models.fine_tuned.negatives import read_stories, self_made
from fabula.endings.models.lm import revision
from fabula.endings.prompts import phrase
from fabula.errors import UsageError
from fabula.text.encoders.cache import VectorCache
from fabula.text.encoders.sentence import find_encoder
from fabula.text.lm.likelihood import LanguageModel
from fabula.text.lm.states import branch_states, state_size

__all__ = ["FineTuned"]

Floats = NDArray[np.float32]


@dataclass(kw_only=True, eq=False, repr=False)
class FineTuned(SavedModel):
    """A head over the states of a language model, trained on items with their answers.

    ``layers`` are those of the model that are looked at, ``grid`` the penalties C to choose from on
    ``dev``, or by folds. ``negatives`` is the weight of items made without a judge: from whole
    ``stories`` (a file), else from the training items' own contexts; 0 makes none. ``model`` is a
    folder or ``.gguf`` file of a Llama-like model; None is the packaged one.
    """

    registered, fitted, unsaved = "endings/fine-tuned", "head_", ("encoder",)
    without_context = "empty"

    layers: Sequence[int] = (15, 18, 21)
    grid: Sequence[float] = (3e-3, 1e-2, 3e-2, 1e-1)
    folds: int = 5
    negatives: float = 0.0
    stories: str | PathLike[str] | None = None
    encoder: Any = "minilm"
    model: str | PathLike[str] | None = None
    seed: int = 0

    def fit(self, items: Sequence[Ending], dev: Sequence[Ending] = ()) -> FineTuned:
        """Choose C on ``dev`` if it is given, else by folds of items; then train on ``items``."""
        if not self.grid or min(self.grid) <= 0:
            raise UsageError(f"grid must hold values of C above 0; it is {self.grid}")
        gold, tuning = golds(items), golds(dev) if dev else []
        vars(self).pop("head_", None)
        made = self._self_made(items)
        states = self._states([*items, *made, *dev])
        own, extra, held = (
            states[: len(items)],
            states[len(items) : len(items) + len(made)],
            states[len(items) + len(made) :],
        )
        pairs = [_differences(x, g) for x, g in zip(own, gold, strict=True)]
        added = [
            _differences(x, g) for x, g in zip(extra, golds(made) if made else [], strict=True)
        ]
        if dev or len(self.grid) == 1 or len(items) < 2 * self.folds:
            right = [
                _right(held, tuning, self._head(pairs, added, c)) if dev else 0.0 for c in self.grid
            ]
        else:
            right = self._by_folds(pairs, added, own, gold)
        self.c_ = float(self.grid[int(np.argmax(np.round(right, 9)))])
        self.head_ = self._head(pairs, added, self.c_)
        self.training_marks_ = training_marks(items, dev)
        return self

    def _by_folds(
        self, pairs: list[Floats], added: list[Floats], states: list[Floats], gold: list[int]
    ) -> list[float]:
        side = item_folds(len(pairs), self.folds, self.seed)
        right = [0.0] * len(self.grid)
        for fold in track(range(self.folds), "choosing the penalty"):
            inside = [pair for pair, s in zip(pairs, side, strict=True) if s != fold]
            asked = np.flatnonzero(side == fold).tolist()
            for index, c in enumerate(self.grid):
                head = self._head(inside, added, c)
                right[index] += _right([states[i] for i in asked], [gold[i] for i in asked], head)
        return right

    def _head(self, pairs: list[Floats], added: list[Floats], c: float) -> NDArray[np.float64]:
        """Weights that make right endings score above wrong ones: logistic on their differences.

        Every difference is shown in both directions, so there is no intercept to lean on.
        """
        from sklearn.linear_model import LogisticRegression

        rows = np.concatenate([*pairs, *added]).astype(np.float64)
        real = sum(len(pair) for pair in pairs)
        # The spread is that of real items: made ones differ too plainly to measure by.
        scale = np.sqrt((rows[:real] ** 2).mean(axis=0)) + 1e-6
        rows /= scale * np.sqrt(2 * len(self.layers))
        weight = np.concatenate([np.ones(real), np.full(len(rows) - real, self.negatives)])
        learner = LogisticRegression(C=c, fit_intercept=False, max_iter=2000)
        target = np.repeat([1, 0], len(rows))
        learner.fit(np.concatenate([rows, -rows]), target, np.concatenate([weight, weight]))
        head: NDArray[np.float64] = learner.coef_[0] / (scale * np.sqrt(2 * len(self.layers)))
        return head

    def _self_made(self, items: Sequence[Ending]) -> list[Ending]:
        if self.negatives <= 0:
            return []
        encoder = find_encoder(self.encoder)
        stories = (
            [item.context for item in items]
            if self.stories is None
            else read_stories(str(self.stories))
        )
        return self_made(stories, encoder=encoder, seed=self.seed)

    def _states(self, items: Sequence[Ending]) -> list[Floats]:
        """The hidden states of each item, (options, size); cached on disk."""
        if not items:
            return []
        reader = LanguageModel(self.model)
        prompts = [phrase(item) for item in items]
        cache_name = f"states-{revision(reader)}-{'-'.join(map(str, self.layers))}"
        # Once trained the size is given, so that cached states need no language model.
        size = len(self.head_) if hasattr(self, "head_") else state_size(reader, self.layers)
        store = VectorCache(model=cache_name, dimension=size)
        keys = [[f"{p.context}\n\n{option}" for option in p.options] for p in prompts]
        stored = store.get([key for of_item in keys for key in of_item])
        missing = [i for i, of_item in enumerate(keys) if any(key not in stored for key in of_item)]
        step = 64  # items between two writes: an interrupted training goes on where it stopped
        for at in track(range(0, len(missing), step), "reading stories"):
            part = missing[at : at + step]
            made = branch_states(
                reader, [prompts[i].context for i in part], [prompts[i].options for i in part],
                self.layers,
            )  # fmt: skip
            fresh = {
                key: row
                for i, rows in zip(part, made, strict=True)
                for key, row in zip(keys[i], rows, strict=True)
                if key not in stored
            }
            store.put(fresh)
            stored.update(fresh)
        return [np.stack([stored[key] for key in of_item]) for of_item in keys]

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        self.ensure_trained()
        return [tuple((x.astype(np.float64) @ self.head_).tolist()) for x in self._states(items)]

    def state(self) -> State:
        values = {
            "C": self.c_,
            "size": len(self.head_),
            "reader": revision(LanguageModel(self.model)),
            "seen": sorted(self.training_marks_),
        }
        return State(values, {"head": self.head_})

    def restore(self, state: State) -> None:
        if state.values["reader"] != revision(LanguageModel(self.model)):
            raise ValueError("it was trained on the states of another language model")
        self.head_, self.c_ = state.arrays["head"], state.values["C"]
        self.training_marks_ = frozenset(state.values["seen"])
        if self.head_.shape != (state.values["size"],):
            raise ValueError(f"a head of {state.values['size']} weights was expected")


def _differences(states: Floats, gold: int) -> Floats:
    """The right ending less each wrong one."""
    others = np.delete(states, gold, axis=0)
    difference: Floats = states[gold] - others
    return difference


def _right(states: Sequence[Floats], gold: Sequence[int], head: NDArray[np.float64]) -> float:
    values = np.concatenate([x.astype(np.float64) @ head for x in states])
    return count_correct(values, [len(x) for x in states], gold, range(len(states)))
