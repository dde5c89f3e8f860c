"""Options-only baseline: logistic regression over n-grams, length and sentiment of the options.

Its accuracy comes from cross-validation, its p-value from progressive validation (Blum et al.
1999): each stage is tested on items that no earlier stage was trained on, so under the null every
test item is right with probability 1/k and the number right is exactly binomial. That is the
permutation distribution in closed form. (Under cross-validation folds share training labels, and
the accuracy varies more over permutations than a binomial.)
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.stats.ngram_counts import character_ngrams, count_matrix, word_ngrams
from fabula.endings.folds import item_folds

if TYPE_CHECKING:
    from fabula.audit.item_table import ItemTable

__all__ = [
    "OptionsOnlyResult",
    "accuracy_by_item",
    "cross_validated_margins",
    "evaluate_options_only",
    "feature_matrix",
    "fit_logistic_regression",
    "gold_probability",
    "progressive_validation",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SCALES = np.array([0.2, 0.2, 0.1])  # of the dense features: at 1 they drown the n-grams
_MEMO_ITEMS = 5_000  # a larger table's features are not kept for another set of gold answers
_STAGES = (1 / 8, 1 / 4, 1 / 2, 3 / 4, 1.0)


@dataclass(frozen=True, slots=True)
class OptionsOnlyResult:
    """The baseline's cross-validated and progressive results.

    ``margins`` are out-of-fold scores of all options, ``correct`` the resulting accuracy of each
    item. ``staged`` is 1 or 0 for each item that a stage of progressive validation tested, nan for
    the first eighth, which none did.
    """

    margins: Floats
    correct: Floats  # ties count their share
    staged: Floats

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean())


def feature_matrix(table: ItemTable, *, words: int = 2, characters: int = 4) -> Any:
    """One row an option: binary n-grams, each row of length 1, and three dense features.

    ``words`` is the longest word n-gram, ``characters`` the length of the character n-grams; both
    occur in at least 5 options (2 in small data). Words, bigrams and 4-grams reach .71 on Story
    Cloze's validation file. The dense features are the logs of the numbers of words and characters
    and VADER's score, each less the item's mean.
    """
    key = f"design {words} {characters}"
    rows = table.memo.get(key)
    if rows is None:
        rows = _feature_matrix(table, words, characters)
        if len(table) <= _MEMO_ITEMS:
            table.memo[key] = rows
    return rows


def _feature_matrix(table: ItemTable, words: int, characters: int) -> Any:
    from scipy import sparse

    parts = []
    if words:
        parts.append(word_ngrams(table.words, words))
    if characters:
        parts.append(character_ngrams(table.texts, characters))
    least = 5 if len(table.texts) >= 1000 else 2
    grams = count_matrix(parts, len(table.texts), least=least)
    grams.data[:] = 1
    sizes = np.sqrt(np.maximum(np.diff(grams.indptr), 1))
    grams.data /= np.repeat(sizes, np.diff(grams.indptr)).astype(np.float32)
    lengths = np.log1p(table.words.counts.astype(float))
    letters = np.log1p(np.array([len(text) for text in table.texts], dtype=float))
    dense = np.column_stack([lengths, letters, table.sentiment])
    means = np.column_stack([table.sum_by_item(column) / table.sizes for column in dense.T])
    centred = np.clip(dense - np.repeat(means, table.sizes, axis=0), -1, 1) * _SCALES
    return sparse.hstack([grams, sparse.csr_matrix(centred.astype(np.float32))], format="csr")


def fit_logistic_regression(rows: Any, right: NDArray[np.bool_], strength: float = 1.0) -> Floats:
    """The weights of L2 logistic regression "this option is right"; ``strength`` is C."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        C=strength, solver="liblinear", dual=True, tol=1e-2, max_iter=100, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # only the ranks of margins count
        model.fit(rows.astype(np.float64), right)
    weights: Floats = model.coef_[0]
    return weights


def cross_validated_margins(
    rows: Any, table: ItemTable, *, groups: Ints | None = None, folds: int = 5, seed: int = 0,
    strength: float = 1.0,
) -> Floats:  # fmt: skip
    """The margin of each option by a model trained without its item and its item's group."""
    margins = np.zeros(len(table.texts))
    if len(table) < 2 * folds:
        return margins
    fold = item_folds(len(table), folds, seed, groups=groups)[table.item_of_option]
    for number in np.unique(fold):
        held = fold == number
        weights = fit_logistic_regression(rows[~held], table.right[~held], strength)
        margins[held] = rows[held] @ weights
    return margins


def progressive_validation(
    rows: Any, table: ItemTable, *, groups: Ints | None = None, seed: int = 0
) -> Floats:
    """Item by item 1 or 0: is the prediction of a model trained on earlier items right?

    The first eighth is nan. Ties between margins are broken at random by the seed, which keeps the
    chance at 1/k. Items of one group are tested in one stage.
    """
    rng = np.random.default_rng(seed + 1)
    rank = rng.permutation(len(table))
    if groups is not None:  # the group's least rank, then the items' own
        least = np.full(int(groups.max(initial=-1)) + 1, len(table))
        np.minimum.at(least, groups, rank)
        rank = np.argsort(np.lexsort((rank, least[groups])))
    outcome = np.full(len(table), np.nan)
    jitter = rng.random(len(table.texts)) * 1e-9
    for trained_share, tested_share in pairwise(_STAGES):
        train = rank < trained_share * len(table)
        test = ~train & (rank < tested_share * len(table))
        if train.sum() < 5 or not test.any():
            continue
        train_rows = train[table.item_of_option]
        weights = fit_logistic_regression(rows[train_rows], table.right[train_rows])
        outcome[test] = accuracy_by_item(rows @ weights + jitter, table)[test]
    return outcome


def accuracy_by_item(margins: Floats, table: ItemTable) -> Floats:
    """1 for each item whose right option has the largest margin; a tie counts its share."""
    wins = table.winners(margins)
    correct: Floats = wins[table.gold_rows] / table.sum_by_item(wins)
    return correct


def gold_probability(margins: Floats, table: ItemTable) -> Floats:
    """Item by item: the softmax of the options' margins, at the right option."""
    top = np.repeat(np.maximum.reduceat(margins, table.starts[:-1]), table.sizes)
    weights = np.exp(margins - top)
    probability: Floats = (weights / table.sum_by_item(weights)[table.item_of_option])[
        table.gold_rows
    ]
    return probability


def evaluate_options_only(
    table: ItemTable, *, groups: Ints | None = None, seed: int = 0
) -> OptionsOnlyResult:
    """Cross-validate the baseline, and validate it progressively."""
    rows = feature_matrix(table)
    margins = cross_validated_margins(rows, table, groups=groups, seed=seed)
    staged = progressive_validation(rows, table, groups=groups, seed=seed)
    return OptionsOnlyResult(margins, accuracy_by_item(margins, table), staged)
