"""How far do n-gram counts of right and wrong answers lie apart? (Table 5 of the paper.)"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import Case
from fabula.audit.findings import Check, Finding
from fabula.audit.item_table import Sheet
from fabula.audit.probe import declare
from fabula.audit.stats.ngram_counts import character_grams, counted, word_grams

__all__ = ["ngrams", "spread"]

_SWAPS = 200
_MOST = 5_000  # items: the ratio does not need more


@declare("ngrams", title="How far apart are right and wrong?", order=10)
def ngrams(case: Case) -> Finding:
    """The SD over n-grams (seen 5 times) of count in right minus count in wrong answers.

    It grows with the number of items, so the value is its ratio to the mean over label swaps within
    items. With k options a wrong answer weighs 1/(k - 1).
    """
    places = case.sampled(_MOST)
    sheet = case.sheet if len(places) == len(case.sheet) else case.sheet.take(places)
    kinds: list[tuple[str, Sheet, Any]] = [
        ("word", sheet, word_grams(sheet.words, 1)),
        ("word pairs and triples", sheet, word_grams(sheet.words, 3)),
        ("character 4-grams", sheet, character_grams(sheet.texts, 4)),
    ]
    if case.parses is not None:
        sample, parses = case.parses
        kinds.append(("parts of speech, up to 3", sample, word_grams(parses.tags, 3)))
    checks = []
    for name, of, grams in kinds:
        check = spread(name, of, counted([grams], len(of.texts), least=5), seed=case.seed)
        if check is not None:
            checks.append(check)
    if not checks:
        nothing = "No n-gram occurs five times; there is nothing to count."
        return Finding(name="ngrams", finding=nothing, status="skipped")
    best = min(checks, key=lambda check: (check.p, -check.value))
    sd, null = best.detail["sd"], best.detail["null"]
    said = f"SD {sd:.2f}, by chance {null:.2f}"
    return Finding(
        name="ngrams",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=1.0,
        value_is_share=False,
        finding=f"Counts in right and wrong answers lie {best.value:.2f} times as far apart as "
        f"label swaps put them ({best.name}: {said}).",
        otherwise=f"Counts in right and wrong answers lie as far apart as label swaps put them "
        f"({best.name}: {said}).",
        advice="See the words that lean, under tokens.",
        detectable="Ratios compare at equal numbers of items only.",
        checks=tuple(checks),
        detail={"swaps": _SWAPS},
    )


def spread(name: str, sheet: Sheet, counts: Any, *, seed: int = 0) -> Check | None:
    """One line of the table; p is from a scaled chi-square with the swaps' mean and variance.

    (The square of the SD is a weighted sum of squares, for which that is Satterthwaite's law.)
    """
    from scipy import stats

    if counts.shape[1] < 2 or len(sheet) < 10:
        return None
    observed = float(_variance(counts, _signs(sheet, sheet.gold)[:, None])[0])
    key = f"swapped {name} {seed}"  # the null is of the texts alone
    if key not in sheet.memo:
        sheet.memo[key] = _swapped(sheet, counts, seed)
    null = sheet.memo[key]
    mean, variance = float(null.mean()), float(null.var(ddof=1))
    if mean <= 0 or variance <= 0:
        return None
    degrees = 2 * mean**2 / variance
    p = float(stats.chi2.sf(observed / mean * degrees, degrees))
    roots = np.sqrt(null)
    # Where the ratio would lie if chance moved the observed spread as it moves the swapped ones.
    low, high = (_ratio(observed, float(np.quantile(roots, q))) for q in (0.975, 0.025))
    return Check(
        name=name,
        value=float(np.sqrt(observed) / roots.mean()),
        low=low,
        high=high,
        p=p,
        chance=1.0,
        n=len(sheet),
        detail={
            "sd": float(np.sqrt(observed)),
            "null": float(roots.mean()),
            "ngrams": int(counts.shape[1]),
        },
    )


def _ratio(variance: float, root: float) -> float | None:
    return float(np.sqrt(variance) / root) if root > 0 else None


def _swapped(sheet: Sheet, counts: Any, seed: int) -> NDArray[np.float64]:
    """The variance under label swaps within items."""
    rng = np.random.default_rng((seed, 5))
    swaps = []
    for _ in range(0, _SWAPS, 20):
        drawn = [_signs(sheet, rng.integers(0, sheet.sizes)) for _ in range(20)]
        swaps.append(_variance(counts, np.column_stack(drawn)))
    return np.concatenate(swaps)


def _signs(sheet: Sheet, gold: NDArray[np.int64]) -> NDArray[np.float32]:
    right = sheet.places == np.repeat(gold, sheet.sizes)
    share = np.repeat(-1.0 / (sheet.sizes - 1), sheet.sizes)
    return np.where(right, 1.0, share).astype(np.float32)


def _variance(counts: Any, signs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Of the differences over n-grams, for each column of signs."""
    differences = counts.T @ signs
    found: NDArray[np.float64] = np.asarray(differences, dtype=np.float64).var(axis=0)
    return found
