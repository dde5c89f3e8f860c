"""Context ablation: a simple reader tested with each item's context and with another item's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.findings import Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.stats.options_classifier import accuracy_by_item, fit_logistic_regression
from fabula.core.stats import paired_bootstrap
from fabula.endings.folds import item_folds

__all__ = ["shuffled_context"]

Floats = NDArray[np.float64]
_MOST = 5_000
_DRAWS = 5


@declare(
    "shuffled-context", title="Does the context matter?", order=6, tests=False, informative=True
)
def shuffled_context(context: AuditContext) -> Finding:
    """A control, not a test for leaks: what a simple reader gains from the right context.

    The reader is logistic regression over the options-only margin, TF-IDF cosine, share of words in
    common and change of sentiment. It is trained with true contexts, and tested with true ones and
    with those of other items.
    """
    table, indices = context.training_sample
    if not any(context.strip() for context in table.contexts):
        return Finding(
            name="shuffled-context", finding="The items have no context.", status="skipped"
        )
    if len(table) < 50:
        few = "Fewer than 50 items: too few to learn to read from."
        return Finding(name="shuffled-context", finding=few, status="skipped")
    chosen = np.arange(len(table))[:_MOST]
    part = table if len(chosen) == len(table) else table.take(chosen)
    margins = context.options_only.margins[: part.starts[-1]]
    reader = _Reader(part, margins)
    rng = np.random.default_rng((context.seed, 6))
    own = reader.features(np.arange(len(part)))
    shuffled = [reader.features(_derangement(len(part), rng)) for _ in range(_DRAWS)]
    groups = context.item_groups[indices[chosen]]
    fold = item_folds(len(part), 5, context.seed, groups=groups)[part.item_of_option]
    true, false = np.zeros(len(part)), np.zeros(len(part))
    for number in np.unique(fold):
        held = fold == number
        weights = fit_logistic_regression(own[~held], part.right[~held], strength=10.0)
        items = np.unique(part.item_of_option[held])
        true[items] = accuracy_by_item(own @ weights, part)[items]
        draws = [accuracy_by_item(drawn @ weights, part)[items] for drawn in shuffled]
        false[items] = np.mean(draws, axis=0)
    gain = paired_bootstrap(true, false, seed=context.seed)
    with_own, with_other = float(true.mean()), float(false.mean())
    matters = gain.low > 0
    return Finding(
        name="shuffled-context",
        value=with_other,
        low=None,
        high=None,
        chance=float(part.chances.mean()),
        p=None,
        status="ok" if matters else "note",
        finding=f"A simple reader is right in {with_own:.1%} with the context and in "
        f"{with_other:.1%} with another item's: the context is worth {gain.value:+.1%} "
        f"[{gain.low:+.1%}, {gain.high:+.1%}] to it."
        + ("" if matters else " To such a reader the context is of no use."),
        advice="" if matters else "Check with a strong model: 'fabula evaluate' prints no_context.",
        detail={
            "with_context": with_own,
            "shuffled": with_other,
            "gain": {"value": gain.value, "low": gain.low, "high": gain.high, "p": gain.p},
            "items_read": len(part),
        },
    )


class _Reader:
    """The four features of each option under any assignment of contexts to items."""

    def __init__(self, table: ItemTable, margins: Floats) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        from fabula.text.sentiment import compound

        self.table = table
        self.margins = margins
        vectorizer = TfidfVectorizer(
            sublinear_tf=True, min_df=1, token_pattern=r"(?u)\b\w+\b", max_features=50_000
        )
        contexts = [context[:5000] for context in table.contexts]
        vectors = vectorizer.fit_transform([*table.texts, *contexts])
        self.options, self.contexts = vectors[: len(table.texts)], vectors[len(table.texts) :]
        self.sentiment = compound([context[-300:] for context in contexts])

    def features(self, order: NDArray[np.int64]) -> Any:
        from scipy import sparse

        table = self.table
        assigned = order[table.item_of_option]
        contexts = self.contexts[assigned]
        cosines = np.asarray(self.options.multiply(contexts).sum(axis=1)).ravel()
        shared = np.asarray((self.options > 0).multiply(contexts > 0).sum(axis=1)).ravel()
        sizes = np.maximum(np.diff(self.options.indptr), 1)
        change = np.abs(table.sentiment - self.sentiment[assigned])
        columns = np.column_stack([self.margins, cosines, shared / sizes, change])
        means = np.column_stack([table.sum_by_item(c) / table.sizes for c in columns.T])
        return sparse.csr_matrix(columns - means[table.item_of_option])


def _derangement(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A random permutation of one cycle, so that no item keeps its own context."""
    cycle = rng.permutation(n)
    other = np.empty(n, dtype=np.int64)
    other[cycle] = np.roll(cycle, 1)
    return other
