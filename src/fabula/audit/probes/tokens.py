"""Words that lean to right or to wrong answers: exact binomial tests, z and PMI a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.figures import RIGHT, WRONG
from fabula.audit.findings import ALPHA, Check, Finding
from fabula.audit.item_table import ItemTable, group_sums
from fabula.audit.probe import declare
from fabula.core.figures import FAINT, INK, SOFT, drawing, short, svg
from fabula.core.stats import wilson

__all__ = ["tokens"]

_LEAST = 10  # items in which some options have the word and others have not
_SHOWN = 60


def _figure(table: ItemTable, finding: Finding) -> str:
    """Each word's z against the number of items it could tell apart; those that lean are named."""
    points = finding.detail["plot"]
    leaning = {*finding.detail["wrong_leaning"], *finding.detail["right_leaning"]}
    with drawing(3.4) as figure:
        axes = figure.subplots()
        n = np.array([point[0] for point in points], dtype=float)
        z = np.array([point[1] for point in points], dtype=float)
        axes.axhspan(-1.96, 1.96, color=FAINT, alpha=0.35, linewidth=0)
        axes.scatter(n, z, s=9, color=SOFT, alpha=0.55, linewidths=0)
        taken: list[tuple[float, float]] = []
        for x, y, word in points:
            if word not in leaning:
                continue
            colour = RIGHT if y > 0 else WRONG
            axes.scatter([x], [y], s=16, color=colour, linewidths=0)
            spot = (float(np.log10(x)), float(y))
            if len(taken) < 26 and all(
                abs(spot[0] - a) > 0.22 or abs(spot[1] - b) > 0.42 for a, b in taken
            ):
                taken.append(spot)
                axes.annotate(short(str(word), 14), (x, y), xytext=(4, 2), fontsize=8.5,
                              textcoords="offset points", color=INK)  # fmt: skip
        axes.set_xscale("log")
        axes.margins(x=0.16, y=0.08)
        ticks = [t for t in (10, 30, 100, 300, 1000, 3000, 10_000, 30_000) if t <= n.max() * 1.3]
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
        axes.set_xlabel("items in which the word could tell (log)")
        axes.set_ylabel("z: leans wrong  ·  leans right")
    return svg(figure, "z of each word against how often it could tell right from wrong")


@declare("tokens", title="Which words lean?", order=7, figure=_figure)
def tokens(context: AuditContext) -> Finding:
    """Test for each word whether an option that has it is right more or less often than 1/k.

    Only items count in which some options have the word and others have not. p is a two-sided exact
    binomial; z and PMI are for reading. The verdict is corrected for all words (Holm); the words
    listed as leaning have a false discovery rate of 5 % (Benjamini and Hochberg 1995).
    """
    table = context.table
    counts = _count_words(table)
    words, n, right, chance = counts
    if not len(words):
        nothing = f"No word occurs in {_LEAST} items where it could tell right from wrong."
        return Finding(name="tokens", finding=nothing, status="skipped")
    p = _two_sided(right, n, chance)
    z = (right - n * chance) / np.sqrt(np.maximum(n * chance * (1 - chance), 1e-12))
    with np.errstate(divide="ignore"):
        pmi = np.log2(right / n / chance)
    fdr = _benjamini_hochberg(p)
    order = np.lexsort((-np.abs(z), p))
    tests = len(words) * context.family
    checks = [
        Check(
            name=words[i],
            value=float(right[i] / n[i]),
            low=wilson(right[i], n[i]).low,
            high=wilson(right[i], n[i]).high,
            p=float(p[i]),
            chance=float(chance[i]),
            n=int(n[i]),
            detectable=_seen(int(n[i]), float(chance[i]), 2 * tests) if rank < _SHOWN else None,
            detail={
                "z": float(z[i]),
                "pmi": float(pmi[i]) if np.isfinite(pmi[i]) else None,
                "fdr": float(fdr[i]),
                "leans": "right" if z[i] > 0 else "wrong",
            },
        )
        for rank, i in enumerate(order)
    ]
    best = checks[0]
    significant = [check for check in checks if check.p * tests <= ALPHA]
    leaning = [check for check in checks if check.detail["fdr"] <= 0.05]
    sides = {
        side: [c.name for c in leaning if c.detail["leans"] == side] for side in ("wrong", "right")
    }
    leans = [f"{', '.join(names[:8])} to {side} answers" for side, names in sides.items() if names]
    accuracy, chance_all = _by_leaning(table, best)
    return Finding(
        name="tokens",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=best.chance,
        accuracy=accuracy if chance_all == chance_all else None,
        finding=f"{len(leaning):,} of {len(words):,} words lean: {'; '.join(leans)}.",
        otherwise=f"None of {len(words):,} words leans to right or wrong answers beyond chance.",
        advice="Reword options so that these words occur as often in right as in wrong ones.",
        detectable=_detectable(tests, float(np.mean(chance))),
        checks=tuple(checks[:_SHOWN]),
        examples=_examples(context, significant[:4]),
        detail={
            "words": len(words),
            "wrong_leaning": sides["wrong"],
            "right_leaning": sides["right"],
            "plot": [[float(n[i]), float(z[i]), words[i]] for i in order[:2000]],
            "tests_made": len(words),
        },
    )


def _count_words(table: ItemTable) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64],
                                  NDArray[np.float64]]:  # fmt: skip
    """Words, the items each distinguishes options in, how often it was right, and its chance."""
    width = len(table.words.vocabulary)
    if not width:
        return [], np.empty(0), np.empty(0), np.empty(0)
    inside = np.unique(table.words.owners * width + table.words.ids)  # each word once an option
    option, word = inside // width, inside % width
    pairs, which, many = np.unique(
        table.item_of_option[option] * width + word, return_inverse=True, return_counts=True
    )
    item, word_of = pairs // width, pairs % width
    hit = group_sums(which, table.right[option], len(pairs))
    tells = many < table.sizes[item]
    item, word_of, many, hit = item[tells], word_of[tells], many[tells], hit[tells]
    n = np.bincount(word_of, minlength=width).astype(float)
    right = group_sums(word_of, hit, width)
    hoped = group_sums(word_of, many / table.sizes[item], width)
    kept = np.flatnonzero(n >= _LEAST)
    names = [table.words.vocabulary[i] for i in kept]
    return names, n[kept], right[kept], hoped[kept] / n[kept]


def _two_sided(right: NDArray[np.float64], n: NDArray[np.float64],
               chance: NDArray[np.float64]) -> NDArray[np.float64]:  # fmt: skip
    """Twice the smaller binomial tail at the mean chance, which is conservative."""
    from scipy.special import betainc

    # The tails of the binomial as incomplete beta functions; each is 1 at its end.
    above = np.where(right > 0, betainc(np.maximum(right, 1), n - right + 1, chance), 1.0)
    below = np.where(right < n, betainc(np.maximum(n - right, 1), right + 1, 1 - chance), 1.0)
    p: NDArray[np.float64] = np.minimum(1.0, 2 * np.minimum(above, below))
    return p


def _benjamini_hochberg(p: NDArray[np.float64]) -> NDArray[np.float64]:
    order = np.argsort(p)
    ranked = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.minimum(1.0, np.minimum.accumulate(ranked[::-1])[::-1])
    back = np.empty_like(adjusted)
    back[order] = adjusted
    return back


def _by_leaning(table: ItemTable, best: Check) -> tuple[float, float]:
    """The accuracy of answering by the strongest word alone, with chance where it is absent."""
    chance = float(table.chances.mean())
    share = best.n / max(len(table), 1)
    lean = abs(best.value - (best.chance or 0.0))
    return chance + share * lean, chance


def _seen(n: int, chance: float, tests: int) -> float | None:
    """The smallest detectable accuracy of a word, or None when even 1 would not be detected."""
    from fabula.audit.stats.exchangeability import detectable_accuracy

    seen = detectable_accuracy(n, chance, tests)
    return seen if seen <= 1 else None


def _detectable(tests: int, chance: float) -> str:
    from fabula.audit.stats.exchangeability import detectable_accuracy

    seen = {n: detectable_accuracy(n, chance, 2 * tests) for n in (25, 100, 400)}
    parts = [f"{share:.0%} of {n}" for n, share in seen.items() if share < 1]
    return f"A word whose side is right in {', '.join(parts)} items or more would be seen."


def _examples(context: AuditContext, significant: list[Check]) -> tuple:  # type: ignore[type-arg]
    table = context.table
    chosen = []
    for check in significant:
        number = table.words.vocabulary.index(check.name)
        options = np.unique(table.words.owners[table.words.ids == number])
        leans_right = check.detail["leans"] == "right"
        fitting = options[table.right[options] == leans_right][:2]
        chosen += [
            context.example(
                int(table.item_of_option[o]), f"“{check.name}” leans {check.detail['leans']}"
            )
            for o in fitting
        ]
    return tuple(chosen)
