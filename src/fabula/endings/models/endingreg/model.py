"""EndingReg (Sharma et al. 2018, section 4): the ending alone, by logistic regression.

It never looks at the context, so what it gets right above chance is bias of the data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.model_store import SavedModel, State
from fabula.endings.folds import count_correct, golds, item_folds
from fabula.endings.items import Ending, Scores
from fabula.endings.leakage import training_marks
from fabula.endings.models.endingreg.features import (
    GROUPS,
    Counts,
    EndingFeatures,
    Selection,
    annotate,
    check_groups,
    count,
)
from fabula.errors import UnknownName, UsageError

__all__ = ["DECISIONS", "GRID", "EndingReg", "endingreg_accuracy", "fit_margins"]

GRID = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
DECISIONS = ("pair", "independent")


@dataclass(kw_only=True, eq=False, repr=False)
class EndingReg(SavedModel):
    """Six groups of features, L2 logistic regression, C by grid search with folds by item.

    ``groups`` is a list of groups or a text with commas. With the decision ``pair`` the options of
    an item compete by their margins; with ``independent`` each is right or wrong by itself, so
    that an item may have two right endings or none (a tie, which counts its share).
    """

    registered, fitted = "endings/endingreg", "coefficients_"
    without_context = "empty"  # the context is not read: an empty one is as good as any

    groups: str | Sequence[str] = GROUPS
    decision: str = "pair"
    grid: float | Sequence[float] = GRID
    folds: int = 5
    n: int = 5
    least: int = 5
    seed: int = 0

    def fit(self, items: Sequence[Ending], dev: Sequence[Ending] = ()) -> EndingReg:
        """Choose C on ``dev`` if it is given, else by folds; then train on all of ``items``."""
        self._check()
        gold = golds([*items, *dev])
        sizes = [len(item.options) for item in [*items, *dev]]
        texts = [option for item in [*items, *dev] for option in item.options]
        groups = self._groups()
        counts = count(annotate(texts, groups), groups, n=self.n)
        folds = item_folds(len(items), self.folds, self.seed)
        sides = np.concatenate([folds, np.full(len(dev), -1)])
        tuning = [-1] if dev else range(self.folds)
        self.c_ = self._best(counts, sizes, gold, sides, tuning)
        train = np.flatnonzero(np.repeat(sides >= 0, sizes))
        selection = Selection(least=self.least).fit(counts, train)
        target = _targets(sizes, gold)[train]
        learner = _learner(self.c_, self.seed).fit(selection.transform(counts, train), target)
        self.features_ = EndingFeatures(groups=groups, n=self.n, least=self.least)
        self.features_.columns_ = tuple(counts.columns[i] for i in selection.kept_)
        self.features_.scale_ = selection.scale_
        self.coefficients_ = learner.coef_[0]
        self.intercept_ = float(learner.intercept_[0])
        self.training_marks_ = training_marks(items, dev)
        return self

    def margins(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The log-odds of each ending being right."""
        self.ensure_trained()
        matrix = self.features_.transform(texts)
        return np.asarray(matrix @ self.coefficients_ + self.intercept_, dtype=np.float64)

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        self._check()
        margins = self.margins([option for item in items for option in item.options])
        if self.decision == "independent":
            margins = (margins > 0).astype(float)
        ends = np.cumsum([len(item.options) for item in items])
        return [tuple(part.tolist()) for part in np.split(margins, ends[:-1])] if items else []

    def saved_parameters(self) -> dict[str, Any]:
        normalised = {"groups": list(self._groups()), "grid": self._grid()}
        return {**super().saved_parameters(), **normalised}

    def state(self) -> State:
        values = {
            "C": self.c_,
            "intercept": self.intercept_,
            "columns": [list(column) for column in self.features_.columns_],
            "seen": sorted(self.training_marks_),
        }
        arrays = {"coefficients": self.coefficients_, "scale": self.features_.scale_}
        return State(values, arrays)

    def restore(self, state: State) -> None:
        self.c_, self.intercept_ = state.values["C"], state.values["intercept"]
        self.coefficients_ = state.arrays["coefficients"]
        self.features_ = EndingFeatures(groups=self._groups(), n=self.n, least=self.least)
        self.features_.columns_ = tuple((group, name) for group, name in state.values["columns"])
        self.features_.scale_ = state.arrays["scale"]
        self.training_marks_ = frozenset(state.values["seen"])
        if len(self.coefficients_) != len(self.features_.columns_):
            raise ValueError("weights and features differ in number")

    def _groups(self) -> tuple[str, ...]:
        chosen = self.groups.split(",") if isinstance(self.groups, str) else self.groups
        return check_groups([group.strip() for group in chosen])

    def _grid(self) -> list[float]:
        return [self.grid] if isinstance(self.grid, int | float) else list(self.grid)

    def _check(self) -> None:
        if self.decision not in DECISIONS:
            raise UnknownName("decision", self.decision, DECISIONS)
        if not self._grid() or min(self._grid()) <= 0:
            raise UsageError(f"grid must hold values of C above 0; it is {self.grid}")
        if self.folds < 2:
            raise UsageError(f"folds must be 2 or more, not {self.folds}")

    def _best(
        self,
        counts: Counts,
        sizes: Sequence[int],
        gold: Sequence[int],
        sides: NDArray[np.int64],
        tuning: Sequence[int],
    ) -> float:
        """The C with the best accuracy under this model's decision, over the tuning sides."""
        grid = self._grid()
        if len(grid) == 1:
            return float(grid[0])
        right = np.zeros(len(grid))
        for side in tuning:
            margins = fit_margins(
                counts, sizes, gold, sides == side, grid, least=self.least, seed=self.seed
            )
            asked = np.flatnonzero(sides == side).tolist()
            for index, column in enumerate(margins.T):
                values = (column > 0).astype(float) if self.decision == "independent" else column
                right[index] += count_correct(values, [sizes[i] for i in asked], gold, asked)
        return float(grid[int(np.argmax(right.round(9)))])  # of equals the most regularised


def fit_margins(
    counts: Counts,
    sizes: Sequence[int],
    gold: Sequence[int],
    held: NDArray[np.bool_],
    grid: Sequence[float],
    *,
    least: int = 5,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Margins of the endings of the ``held`` items by models trained on all others, a column a C.

    Features are selected and scaled by the training items alone.
    """
    test = np.flatnonzero(np.repeat(held, sizes))
    train = np.flatnonzero(np.repeat(~held, sizes))
    if not len(train) or not len(test):
        return np.zeros((len(test), len(grid)))
    selection = Selection(least=least).fit(counts, train)
    if not len(selection.kept_):  # so few items that no n-gram is seen often enough
        return np.zeros((len(test), len(grid)))
    x, target = selection.transform(counts, train), _targets(sizes, gold)[train]
    asked = selection.transform(counts, test)
    return np.column_stack(
        [_learner(c, seed).fit(x, target).decision_function(asked) for c in grid]
    )


def _targets(sizes: Sequence[int], gold: Sequence[int]) -> NDArray[np.bool_]:
    return np.concatenate([np.arange(n) == g for n, g in zip(sizes, gold, strict=True)])


def _learner(c: float, seed: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=c, solver="liblinear", random_state=seed, max_iter=1000)


def endingreg_accuracy(
    items: Sequence[Ending], *, c: float = 0.03, folds: int = 5, seed: int = 7
) -> float:
    """Accuracy of the options alone: folds by item, features chosen and weighed on the other folds.

    Slower than the audit's own classifier, and of another kind.
    """
    gold, sizes = golds(items), [len(item.options) for item in items]
    counts = count(annotate([option for item in items for option in item.options]))
    fold = item_folds(len(items), folds, seed)
    right = 0.0
    for number in range(folds):
        held = fold == number
        margins = fit_margins(counts, sizes, gold, held, [c])[:, 0]
        asked = np.flatnonzero(held).tolist()
        right += count_correct(margins, [sizes[i] for i in asked], gold, asked)
    return right / len(items)
