"""Does the context matter at all? The same reader, with its own context and with a stranger's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import Case
from fabula.audit.findings import Finding
from fabula.audit.item_table import Sheet
from fabula.audit.probe import declare
from fabula.audit.stats.options_classifier import fit, score
from fabula.core.stats import paired_bootstrap
from fabula.endings.folds import item_folds

__all__ = ["shuffled_context"]

Floats = NDArray[np.float64]
_MOST = 5_000
_DRAWS = 5


@declare(
    "shuffled-context", title="Does the context matter?", order=6, tests=False, informative=True
)
def shuffled_context(case: Case) -> Finding:
    """A control, not a test for leaks: what a simple reader gains from the right context.

    The reader weighs the options-only margin, shared words, TF-IDF likeness and the change of tone.
    It learns with true contexts and is tested with true ones and with those of other items.
    """
    sheet, places = case.learning
    if not any(context.strip() for context in sheet.contexts):
        return Finding(
            name="shuffled-context", finding="The items have no context.", status="skipped"
        )
    if len(sheet) < 50:
        few = "Fewer than 50 items: too few to learn to read from."
        return Finding(name="shuffled-context", finding=few, status="skipped")
    chosen = np.arange(len(sheet))[:_MOST]
    part = sheet if len(chosen) == len(sheet) else sheet.take(chosen)
    margins = case.learnt.margins[: part.starts[-1]]
    reader = _Reader(part, margins)
    rng = np.random.default_rng((case.seed, 6))
    own = reader.features(np.arange(len(part)))
    strangers = [reader.features(_strangers(len(part), rng)) for _ in range(_DRAWS)]
    groups = case.groups[places[chosen]]
    fold = item_folds(len(part), 5, case.seed, groups=groups)[part.owners]
    true, false = np.zeros(len(part)), np.zeros(len(part))
    for number in np.unique(fold):
        inside = fold == number
        weights = fit(own[~inside], part.right[~inside], strength=10.0)
        items = np.unique(part.owners[inside])
        true[items] = score(own @ weights, part)[items]
        draws = [score(drawn @ weights, part)[items] for drawn in strangers]
        false[items] = np.mean(draws, axis=0)
    gain = paired_bootstrap(true, false, seed=case.seed)
    context, none = float(true.mean()), float(false.mean())
    matters = gain.low > 0
    return Finding(
        name="shuffled-context",
        value=none,
        low=None,
        high=None,
        chance=float(part.chances.mean()),
        p=None,
        status="ok" if matters else "note",
        finding=f"A simple reader is right in {context:.1%} with the context and in {none:.1%} "
        f"with another item's: the context is worth {gain.value:+.1%} "
        f"[{gain.low:+.1%}, {gain.high:+.1%}] to it."
        + ("" if matters else " To such a reader the context is of no use."),
        advice="" if matters else "Check with a strong model: 'fabula evaluate' prints no_context.",
        detail={
            "with_context": context,
            "shuffled": none,
            "gain": {"value": gain.value, "low": gain.low, "high": gain.high, "p": gain.p},
            "items_read": len(part),
        },
    )


class _Reader:
    """Four numbers for each option under any assignment of contexts to items."""

    def __init__(self, sheet: Sheet, margins: Floats) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        from fabula.text.sentiment import compound

        self.sheet = sheet
        self.margins = margins
        vectorizer = TfidfVectorizer(
            sublinear_tf=True, min_df=1, token_pattern=r"(?u)\b\w+\b", max_features=50_000
        )
        contexts = [context[:5000] for context in sheet.contexts]
        vectors = vectorizer.fit_transform([*sheet.texts, *contexts])
        self.options, self.contexts = vectors[: len(sheet.texts)], vectors[len(sheet.texts) :]
        self.tone = compound([context[-300:] for context in contexts])

    def features(self, order: NDArray[np.int64]) -> Any:
        from scipy import sparse

        sheet = self.sheet
        mine = order[sheet.owners]
        theirs = self.contexts[mine]
        likeness = np.asarray(self.options.multiply(theirs).sum(axis=1)).ravel()
        shared = np.asarray((self.options > 0).multiply(theirs > 0).sum(axis=1)).ravel()
        sizes = np.maximum(np.diff(self.options.indptr), 1)
        turn = np.abs(sheet.sentiment - self.tone[mine])
        columns = np.column_stack([self.margins, likeness, shared / sizes, turn])
        means = np.column_stack([sheet.per_item(c) / sheet.sizes for c in columns.T])
        return sparse.csr_matrix(columns - means[sheet.owners])


def _strangers(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Another item for each item: a shuffled circle, so nobody keeps their own."""
    circle = rng.permutation(n)
    other = np.empty(n, dtype=np.int64)
    other[circle] = np.roll(circle, 1)
    return other
