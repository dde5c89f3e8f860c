"""N-gram counts of right against wrong answers (Sharma et al. 2018, Table 5)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.findings import ALPHA, Check, Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.stats.ngram_counts import character_ngrams, count_matrix, word_ngrams

__all__ = ["ngram_spread", "ngrams"]

_BATCH = 200  # permutations drawn at once; the first batch also gives the ratio
_ENOUGH = 20  # permuted values as large as the observed one, after which no more are drawn
_MOST = 5_000  # items: the ratio does not need more


@declare("ngrams", title="How far apart are right and wrong?", order=10)
def ngrams(context: AuditContext) -> Finding:
    """Permutation test of the SD, over n-grams, of count in right minus count in wrong answers.

    N-grams occur 5 times or more. The SD grows with the number of items, so the value is its ratio
    to the mean over permutations of gold within items. With k options a wrong answer weighs
    1/(k - 1). Permutations are drawn until p is settled (Besag and Clifford 1991).
    """
    sampled = context.sample_items(_MOST)
    table = context.table if len(sampled) == len(context.table) else context.table.take(sampled)
    kinds: list[tuple[str, ItemTable, Any]] = [
        ("word", table, word_ngrams(table.words, 1)),
        ("word pairs and triples", table, word_ngrams(table.words, 3)),
        ("character 4-grams", table, character_ngrams(table.texts, 4)),
    ]
    if context.parses is not None:
        sample, parses = context.parses
        kinds.append(("parts of speech, up to 3", sample, word_ngrams(parses.tags, 3)))
    checks = []
    # So many that a p of half the corrected level can be reached.
    most = math.ceil(2 * len(kinds) * context.family / ALPHA)
    for name, of, grams in kinds:
        counts = count_matrix([grams], len(of.texts), least=5)
        check = ngram_spread(name, of, counts, seed=context.seed, most=most)
        if check is not None:
            checks.append(check)
    if not checks:
        nothing = "No n-gram occurs five times; there is nothing to count."
        return Finding(name="ngrams", finding=nothing, status="skipped")
    best = min(checks, key=lambda check: (check.p, -check.value))
    sd, null = best.detail["sd"], best.detail["null"]
    spread = f"SD {sd:.2f}, by chance {null:.2f}"
    return Finding(
        name="ngrams",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=1.0,
        value_is_share=False,
        finding=f"Counts in right and wrong answers lie {best.value:.2f} times as far apart as "
        f"label swaps put them ({best.name}: {spread}).",
        otherwise=f"Counts in right and wrong answers lie as far apart as label swaps put them "
        f"({best.name}: {spread}).",
        advice="See the words that lean, under tokens.",
        detectable="Ratios compare at equal numbers of items only.",
        checks=tuple(checks),
        detail={"swaps": max(check.detail["swaps"] for check in checks)},
    )


def ngram_spread(
    name: str, table: ItemTable, counts: Any, *, seed: int = 0, most: int = 2_000
) -> Check | None:
    """The check of one kind of n-gram; None when there are too few n-grams or items.

    p is that of a sequential permutation test, which holds at any size: h/l where the h-th permuted
    variance as large as the observed one is the l-th drawn, else (1 + found)/(1 + ``most``). The
    variance is a sum of squares with a few heavy terms, the frequent words; a chi-square of its
    mean and variance puts the tail at a quarter of what it is.
    """
    if counts.shape[1] < 2 or len(table) < 10:
        return None
    observed = float(_variance(counts, _signs(table, table.gold)[:, None])[0])
    batches: list[NDArray[np.float64]] = table.memo.setdefault(f"permuted {name} {seed}", [])
    if not batches:
        batches.append(_permuted_variances(table, counts, seed, 0))
    null = batches[0]
    if null.mean() <= 0 or null.var() <= 0:
        return None
    exceeding = swaps = 0
    p = 1.0
    while swaps < most:
        if swaps // _BATCH == len(batches):  # they depend on the texts alone, so they are kept
            batches.append(_permuted_variances(table, counts, seed, len(batches)))
        # Sums of equal terms in another order differ in the last digits.
        above = batches[swaps // _BATCH][: most - swaps] >= observed * (1 - 1e-6)
        if exceeding + above.sum() >= _ENOUGH:
            swaps += int(np.flatnonzero(above)[_ENOUGH - exceeding - 1]) + 1
            p = _ENOUGH / swaps
            break
        exceeding, swaps = exceeding + int(above.sum()), swaps + len(above)
        p = (1 + exceeding) / (1 + swaps)
    roots = np.sqrt(null)
    # The interval: the observed SD against the 95 % range of permuted ones.
    low, high = (_ratio(observed, float(np.quantile(roots, q))) for q in (0.975, 0.025))
    return Check(
        name=name,
        value=float(np.sqrt(observed) / roots.mean()),
        low=low,
        high=high,
        p=p,
        chance=1.0,
        n=len(table),
        detail={
            "sd": float(np.sqrt(observed)),
            "null": float(roots.mean()),
            "ngrams": int(counts.shape[1]),
            "swaps": swaps,
        },
    )


def _ratio(variance: float, root: float) -> float | None:
    return float(np.sqrt(variance) / root) if root > 0 else None


def _permuted_variances(
    table: ItemTable, counts: Any, seed: int, batch: int
) -> NDArray[np.float64]:
    """The variance under a batch of permutations of gold within items."""
    rng = np.random.default_rng((seed, 5, batch) if batch else (seed, 5))
    variances = []
    for _ in range(0, _BATCH, 20):
        drawn = [_signs(table, rng.integers(0, table.sizes)) for _ in range(20)]
        variances.append(_variance(counts, np.column_stack(drawn)))
    return np.concatenate(variances)


def _signs(table: ItemTable, gold: NDArray[np.int64]) -> NDArray[np.float32]:
    right = table.positions == np.repeat(gold, table.sizes)
    share = np.repeat(-1.0 / (table.sizes - 1), table.sizes)
    return np.where(right, 1.0, share).astype(np.float32)


def _variance(counts: Any, signs: NDArray[np.float32]) -> NDArray[np.float64]:
    """The variance over n-grams of the signed sums of counts, for each column of signs."""
    differences = counts.T @ signs
    variance: NDArray[np.float64] = np.asarray(differences, dtype=np.float64).var(axis=0)
    return variance
