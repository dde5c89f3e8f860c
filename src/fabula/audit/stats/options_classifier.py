"""What can be learnt from the options alone: n-grams, length and tone, by logistic regression.

Two ways to measure it. Folds give the accuracy. Its p comes from learning in stages: each stage is
tested on items that no earlier stage saw, so under the null every test item is right with chance
1/k whatever was learnt before, and the number right is exactly binomial. That is the distribution
over all label swaps in closed form. (Folds lend their labels to each other: the spread of their
accuracy over label swaps is wider than the binomial's.)
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.stats.ngram_counts import character_grams, counted, word_grams
from fabula.endings.folds import item_folds

if TYPE_CHECKING:
    from fabula.audit.item_table import Sheet

__all__ = ["Learnt", "design", "fit", "gold_probability", "in_folds", "in_stages", "learn", "score"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SCALES = np.array([0.2, 0.2, 0.1])  # of the numbers: at 1 they drown the n-grams (.68 for .71)
_KEPT = 5_000  # items up to which the rows are kept for a second look, as at swapped labels
_STAGES = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)


@dataclass(frozen=True, slots=True)
class Learnt:
    """What the options give away.

    ``margins`` are out-of-fold scores of all options; ``staged`` is, item by item, 1 or 0 where a
    stage tested the item and nan where none did (the first eighth).
    """

    margins: Floats
    correct: Floats  # item by item, ties shared
    staged: Floats

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean())


def design(sheet: Sheet, *, words: int = 2, characters: int = 4) -> Any:
    """Options as rows: n-grams seen in at least 5 options, each row of length 1, and 3 numbers.

    Words, pairs and 4-letter runs reach .71 on Story Cloze's validation file. The numbers (words,
    characters, tone, against the item's mean) are seen by no n-gram.
    """
    key = f"design {words} {characters}"
    rows = sheet.memo.get(key)
    if rows is None:
        rows = _design(sheet, words, characters)
        if len(sheet) <= _KEPT:
            sheet.memo[key] = rows
    return rows


def _design(sheet: Sheet, words: int, characters: int) -> Any:
    from scipy import sparse

    parts = []
    if words:
        parts.append(word_grams(sheet.words, words))
    if characters:
        parts.append(character_grams(sheet.texts, characters))
    least = 5 if len(sheet.texts) >= 1000 else 2
    grams = counted(parts, len(sheet.texts), least=least)
    grams.data[:] = 1
    sizes = np.sqrt(np.maximum(np.diff(grams.indptr), 1))
    grams.data /= np.repeat(sizes, np.diff(grams.indptr)).astype(np.float32)
    lengths = np.log1p(sheet.words.counts.astype(float))
    letters = np.log1p(np.array([len(text) for text in sheet.texts], dtype=float))
    numbers = np.column_stack([lengths, letters, sheet.sentiment])
    means = np.column_stack([sheet.per_item(column) / sheet.sizes for column in numbers.T])
    centred = np.clip(numbers - np.repeat(means, sheet.sizes, axis=0), -1, 1) * _SCALES
    return sparse.hstack([grams, sparse.csr_matrix(centred.astype(np.float32))], format="csr")


def fit(rows: Any, right: NDArray[np.bool_], strength: float = 1.0) -> Floats:
    """Weights of a logistic regression "this option is right"."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=strength, solver="liblinear", dual=True, tol=1e-2, max_iter=100, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # near enough: only ranks count
        model.fit(rows.astype(np.float64), right)
    weights: Floats = model.coef_[0]
    return weights


def in_folds(
    rows: Any, sheet: Sheet, *, groups: Ints | None = None, folds: int = 5, seed: int = 0,
    strength: float = 1.0,
) -> Floats:  # fmt: skip
    """The margin of each option under weights that never saw its item (or its item's group)."""
    margins = np.zeros(len(sheet.texts))
    if len(sheet) < 2 * folds:
        return margins
    fold = item_folds(len(sheet), folds, seed, groups=groups)[sheet.owners]
    for number in np.unique(fold):
        inside = fold == number
        margins[inside] = rows[inside] @ fit(rows[~inside], sheet.right[~inside], strength)
    return margins


def in_stages(rows: Any, sheet: Sheet, *, seed: int = 0) -> Floats:
    """Item by item 1 or 0: is the answer right that was learnt from earlier items alone?

    A tie between margins goes to an option drawn by the seed, which keeps the chance at 1/k.
    """
    rng = np.random.default_rng(seed + 1)
    rank = rng.permutation(len(sheet))
    outcome = np.full(len(sheet), np.nan)
    jitter = rng.random(len(sheet.texts)) * 1e-9
    for learnt, tested in pairwise(_STAGES):
        known = rank < learnt * len(sheet)
        new = (rank >= learnt * len(sheet)) & (rank < tested * len(sheet))
        if known.sum() < 5 or not new.any():
            continue
        rows_known = known[sheet.owners]
        margins = rows @ fit(rows[rows_known], sheet.right[rows_known]) + jitter
        outcome[new] = score(margins, sheet)[new]
    return outcome


def score(margins: Floats, sheet: Sheet) -> Floats:
    """Item by item: 1 when the right option has the largest margin; a tie counts its share."""
    wins = sheet.winners(margins)
    correct: Floats = wins[sheet.gold_rows] / sheet.per_item(wins)
    return correct


def gold_probability(margins: Floats, sheet: Sheet) -> Floats:
    """Item by item: the softmax of the options' margins, at the right option."""
    top = np.repeat(np.maximum.reduceat(margins, sheet.starts[:-1]), sheet.sizes)
    weights = np.exp(margins - top)
    probability: Floats = (weights / sheet.per_item(weights)[sheet.owners])[sheet.gold_rows]
    return probability


def learn(sheet: Sheet, *, groups: Ints | None = None, seed: int = 0) -> Learnt:
    """Both measurements at once."""
    rows = design(sheet)
    margins = in_folds(rows, sheet, groups=groups, seed=seed)
    return Learnt(margins, score(margins, sheet), in_stages(rows, sheet, seed=seed))
