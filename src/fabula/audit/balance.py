"""A data set in, the subset with less leakage and the pairs to rewrite first out.

Adversarial filtering: classifiers that see only options are trained on random folds again and
again; the items they are surest of go, one in forty at a time, and what is left is learnt anew. It
stops where a classifier of another kind (words alone, trained and tested on the items left) is no
better than the target, or when no more may go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import is_testable
from fabula.audit.item_table import ItemTable
from fabula.audit.stats.options_classifier import (
    accuracy_by_item,
    cross_validated_margins,
    feature_matrix,
    fit_logistic_regression,
    gold_probability,
)
from fabula.core.progress import track
from fabula.core.stats import wilson
from fabula.endings.items import Ending
from fabula.errors import UsageError

__all__ = ["Balance", "Rewrite", "balance"]

_LEAST = 100
_DRAWS = 3  # sets of folds a step
_STEP = 0.025  # of all items leave in a step
_WORDS = 3

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An item to rewrite: how sure an options-only classifier is, and by which words."""

    id: str
    leak: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What to keep, in the order of the data, and what that brings.

    Each row of ``table`` is a measurement: who judged, on all items, on the kept ones, and on as
    many drawn at random (a smaller set is harder to learn from: only that comparison is fair).
    """

    kept: tuple[int, ...]
    dropped: tuple[int, ...]  # the worst first
    table: tuple[dict[str, Any], ...]
    steps: tuple[tuple[float, float], ...]  # share kept, accuracy of the words-only judge
    rewrite: tuple[Rewrite, ...]
    chance: float

    def to_row(self) -> dict[str, Any]:
        return {
            "items": len(self.kept) + len(self.dropped),
            "kept": len(self.kept),
            "chance": self.chance,
            "table": list(self.table),
            "steps": [{"kept": share, "accuracy": value} for share, value in self.steps],
            "rewrite": [{"id": r.id, "leak": r.leak, "words": list(r.words)} for r in self.rewrite],
        }


def balance(
    items: Sequence[Ending],
    *,
    keep: float = 0.6,
    target: float | None = None,
    seed: int = 0,
    endingreg: bool = False,
) -> Balance:
    """The subset whose options-only accuracy is ``target``, by adversarial filtering.

    As few items as possible are dropped, and at least the share ``keep`` stays. The target is 2
    points above chance unless given. With ``endingreg`` the table has EndingReg's accuracy
    too (it parses every option).
    """
    if not 0 < keep <= 1:
        raise UsageError(f"keep must be a share above 0; it is {keep}")
    usable = [index for index, item in enumerate(items) if is_testable(item)]
    if len(usable) < _LEAST:
        raise UsageError(f"{len(usable)} items can be balanced; at least {_LEAST} are needed")
    table = ItemTable([items[index] for index in usable])
    _ = table.words, table.sentiment  # once, before parts of the table are taken
    chance = float(table.chances.mean())
    target_accuracy = chance + 0.02 if target is None else target
    least = int(np.ceil(keep * len(items) - 1e-9))
    remaining = np.arange(len(table))
    first = leak = _certainty(table, seed)
    dropped: list[int] = []
    steps = [(1.0, _words_only(table, seed))]
    number = max(1, round(_STEP * len(table)))
    for step in track(range(int(1 / _STEP) + 1), "balancing"):
        if steps[-1][1] <= target_accuracy or len(remaining) <= least:
            break
        removed = np.argsort(-leak, kind="stable")[: min(number, len(remaining) - least)]
        dropped += [int(remaining[i]) for i in removed]
        remaining = np.delete(remaining, removed)
        part = table.take(remaining)
        leak = _certainty(part, seed + step + 1)
        steps.append((len(remaining) / len(table), _words_only(part, seed)))
    kept = table.take(remaining)
    random = table.take(
        np.sort(np.random.default_rng(seed).choice(len(table), len(remaining), replace=False))
    )
    return Balance(
        kept=tuple(usable[i] for i in remaining),
        dropped=tuple(usable[i] for i in dropped),
        table=_table(table, kept, random, seed, endingreg),
        steps=tuple(steps),
        rewrite=_rewrite(table, first),
        chance=chance,
    )


def _certainty(table: ItemTable, seed: int) -> Floats:
    """The chance a classifier gives the right option, over several sets of folds."""
    rows = feature_matrix(table)
    total = np.zeros(len(table))
    for draw in range(_DRAWS):
        total += gold_probability(
            cross_validated_margins(rows, table, seed=seed * 100 + draw), table
        )
    return total / _DRAWS


def _words_only(table: ItemTable, seed: int) -> float:
    rows = feature_matrix(table, words=1, characters=0)
    draws = [
        accuracy_by_item(cross_validated_margins(rows, table, seed=seed * 7 + 50 + d), table).mean()
        for d in range(2)
    ]
    return float(np.mean(draws))


def _table(
    table: ItemTable, kept: ItemTable, random: ItemTable, seed: int, endingreg: bool
) -> tuple[dict[str, Any], ...]:
    judges: dict[str, Any] = {
        "words alone": lambda part: _words_only(part, seed),
        "words, pairs and letters": lambda part: float(
            accuracy_by_item(
                cross_validated_margins(feature_matrix(part), part, seed=seed + 99), part
            ).mean()
        ),
    }
    if endingreg:
        from fabula.endings.models.endingreg.model import endingreg_accuracy

        judges["EndingReg"] = lambda part: endingreg_accuracy(part.items)
    rows = []
    for name, judge in judges.items():
        before, after, drawn = judge(table), judge(kept), judge(random)
        low, high = wilson(after * len(kept), len(kept))
        rows.append({"judge": name, "before": before, "after": after, "low": low, "high": high,
                     "random": drawn})  # fmt: skip
    lengths = [_longest(part) for part in (table, kept, random)]
    low, high = wilson(lengths[1] * len(kept), len(kept))
    rows.append({"judge": "the longest option", "before": lengths[0], "after": lengths[1],
                 "low": low, "high": high, "random": lengths[2]})  # fmt: skip
    return tuple(rows)


def _longest(table: ItemTable) -> float:
    return float(accuracy_by_item(table.words.counts.astype(float), table).mean())


def _rewrite(table: ItemTable, leak: Floats, most: int = 200) -> tuple[Rewrite, ...]:
    """The items an options-only classifier is surest of, with the words that tell."""
    words = table.words
    from scipy import sparse

    ones = np.ones(len(words.ids), dtype=np.float32)
    rows = sparse.csr_matrix((ones, (words.owners, words.ids)),
                             shape=(len(table.texts), len(words.vocabulary)))  # fmt: skip
    rows.data[:] = 1
    weights = fit_logistic_regression(rows, table.right, strength=0.1)
    rewrites = []
    for index in np.argsort(-leak, kind="stable")[:most]:
        evidence: dict[int, float] = {}
        for option in range(table.starts[index], table.starts[index + 1]):
            sign = 1.0 if table.right[option] else -1.0
            for word in set(words.ids[words.starts[option] : words.starts[option + 1]].tolist()):
                evidence[word] = evidence.get(word, 0.0) + sign * float(weights[word])
        best = sorted(evidence, key=lambda word: -evidence[word])[:_WORDS]
        cue_words = tuple(words.vocabulary[word] for word in best if evidence[word] > 0)
        rewrites.append(Rewrite(table.items[index].id, round(float(leak[index]), 4), cue_words))
    return tuple(rewrites)
