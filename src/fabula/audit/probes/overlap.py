"""Word overlap with the context as a rule -> its accuracy against chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.findings import Finding
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import declare
from fabula.audit.stats.exchangeability import rule_check
from fabula.text.segment.treebank import is_word

__all__ = ["overlap"]

Floats = NDArray[np.float64]
_RULES = ("most words of the context", "fewest words of the context")


@declare("overlap", title="Does word overlap with the context find it?", order=4.5)
def overlap(context: AuditContext) -> Finding:
    """The option that shares most, or fewest, words with the context; ties count their share.

    It tells nothing about the options alone, so it takes no part in the verdict.
    """
    table = context.table
    shared = _overlap(table)
    if not np.ptp(shared):
        nothing = "No option shares more words with its context than another."
        return Finding(name="overlap", finding=nothing, status="skipped")
    tests = len(_RULES) * context.family
    checks = tuple(
        rule_check(name, values, table, tests)
        for name, values in zip(_RULES, (shared, -shared), strict=True)
    )
    best = min(checks, key=lambda check: (check.p, -check.value))
    return Finding(
        name="overlap",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=best.chance,
        reads_context=True,
        finding=f"With the context, choosing the option with {best.name} is right in "
        f"{best.value:.1%} of the items; chance is {best.chance:.1%}.",
        otherwise=f"Word overlap with the context tells nothing; the option with {best.name} is "
        f"right in {best.value:.1%}.",
        advice="A model may count words instead of reading: report this rule as a baseline.",
        detectable=f"An accuracy of {best.detectable:.1%} or more by this rule would be seen.",
        checks=checks,
    )


def _overlap(table: ItemTable) -> Floats:
    """The share of an option's words that stand in its context."""
    context = table.context_words
    context_id = {word: number for number, word in enumerate(context.vocabulary)}
    vocabulary = table.words.vocabulary
    ids_in_context = np.array([context_id.get(word, -1) for word in vocabulary], dtype=np.int64)
    content = np.array([is_word(word) for word in vocabulary], dtype=bool)
    width = len(context.vocabulary) + 1
    inside = np.unique(context.owners * width + context.ids)
    ids, owners = table.words.ids, table.words.owners
    if not len(ids) or not len(inside):
        return np.zeros(len(table.texts))
    wanted = table.item_of_option[owners] * width + ids_in_context[ids]
    nearest = np.minimum(np.searchsorted(inside, wanted), len(inside) - 1)
    hits = (inside[nearest] == wanted) & (ids_in_context[ids] >= 0) & content[ids]
    total = np.bincount(owners, weights=content[ids].astype(float), minlength=len(table.texts))
    shared = np.bincount(owners, weights=hits.astype(float), minlength=len(table.texts))
    return np.round(shared / np.maximum(total, 1), 6)
