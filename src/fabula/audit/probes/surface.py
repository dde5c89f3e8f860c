"""Surface rules (the longest, most negations, the odd one out) -> accuracy against chance."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from fabula.audit.context import AuditContext
from fabula.audit.findings import Finding
from fabula.audit.item_table import ItemTable, group_sums
from fabula.audit.probe import declare
from fabula.audit.stats.exchangeability import apply_rule, rule_check
from fabula.text.lexicon import NEGATION_CUES
from fabula.text.segment.treebank import is_word

__all__ = ["cues", "rules", "surface"]

Floats = NDArray[np.float64]
_DIGIT = re.compile(r"\d")
_CAPITAL = re.compile(r"(?<!^)(?<![.!?] )\b[^\W\d_a-zß-öø-ÿ]\w*")
_SWEEPING = frozenset("all always every everyone everything never none only nothing".split())
_RULES = {
    "words": ("the longest (words)", "the shortest (words)"),
    "letters": ("the longest (characters)", "the shortest (characters)"),
    "punctuation": ("most punctuation", "least punctuation"),
    "negation": ("most negations", "fewest negations"),
    "digits": ("most digits", "fewest digits"),
    "names": ("most capitalised words", "fewest capitalised words"),
    "sweeping": ("most sweeping words", "fewest sweeping words"),
    "word length": ("longest words on average", "shortest words on average"),
    "likeness": ("most like the other options", "least like the other options"),
}


@declare("surface", title="Does a surface rule find the answer?", order=4)
def surface(context: AuditContext) -> Finding:
    """Each cue as a rule, taken both ways; ties count their share, and only decided items test."""
    table = context.table
    rule_values = rules(cues(table))
    if not rule_values:
        nothing = "On the surface all options look alike."
        return Finding(name="surface", finding=nothing, status="skipped")
    tests = len(rule_values) * context.family
    checks = tuple(rule_check(name, values, table, tests) for name, values in rule_values.items())
    best = min(checks, key=lambda check: (check.p, -check.value))
    outcome = apply_rule(rule_values[best.name], table)
    examples = [
        context.example(int(place), f"right by the rule: {best.name}")
        for place in np.flatnonzero(outcome.hits)[:4]
    ]
    return Finding(
        name="surface",
        value=best.value,
        low=best.low,
        high=best.high,
        chance=best.chance,
        accuracy=best.value,
        finding=(
            f"Choosing {_choice(best.name)} is right in {best.value:.1%} of the items; "
            f"chance is {best.chance:.1%}."
        ),
        otherwise=f"None of {len(checks)} surface rules beats chance; the best, choosing "
        f"{_choice(best.name)}, gets {best.value:.1%}.",
        advice="Rewrite options until right and wrong ones look alike in this respect.",
        detectable=f"An accuracy of {best.detectable:.1%} or more by this rule would be seen.",
        checks=checks,
        examples=tuple(examples),
    )


def rules(cue_values: Mapping[str, Floats]) -> dict[str, Floats]:
    """Each cue as two rules: the option with most of it, the option with least."""
    both = {}
    for cue, values in cue_values.items():
        most, least = _RULES.get(cue, (f"most {cue}", f"least {cue}"))
        both[most], both[least] = values, -values
    return both


def cues(table: ItemTable) -> dict[str, Floats]:
    """A number for each option under each cue."""
    if "cues" not in table.memo:
        table.memo["cues"] = _cues(table)
    cue_values: dict[str, Floats] = table.memo["cues"]
    return cue_values


def _cues(table: ItemTable) -> dict[str, Floats]:
    texts, words = table.texts, table.words
    counts = words.counts.astype(float)
    letters = np.array([len(text) for text in texts], dtype=float)
    marks = _share(table, [not is_word(word) for word in words.vocabulary])
    cue_values = {
        "words": counts - marks,
        "letters": letters,
        "punctuation": marks,
        "negation": _share(table, [word in NEGATION_CUES for word in words.vocabulary]),
        "digits": np.array([len(_DIGIT.findall(text)) for text in texts], dtype=float),
        "names": np.array([len(_CAPITAL.findall(text)) for text in texts], dtype=float),
        "sweeping": _share(table, [word in _SWEEPING for word in words.vocabulary]),
        "word length": np.round((letters + 1) / np.maximum(counts - marks, 1), 6),
        "likeness": _likeness(table),
    }
    return {cue: values for cue, values in cue_values.items() if np.ptp(values) > 0}


def _choice(rule: str) -> str:
    return rule if rule.startswith("the ") else f"the option with {rule}"


def _share(table: ItemTable, wanted: list[bool]) -> Floats:
    """How many words of each option are wanted ones."""
    chosen = np.array(wanted, dtype=float)[table.words.ids] if len(wanted) else np.empty(0)
    return group_sums(table.words.owners, chosen, len(table.texts))


def _likeness(table: ItemTable) -> Floats:
    """The share of an option's words that other options of its item have too.

    With two options both share as many words; then the share of the shorter one is larger, which
    is length again, so the cue is left out.
    """
    if len(table) == 0 or table.sizes.max() <= 2:
        return np.zeros(len(table.texts))
    ids, owners = table.words.ids, table.words.owners
    width = len(table.words.vocabulary) + 1
    inside = np.unique(owners * width + ids)  # each word once an option
    option, word = inside // width, inside % width
    pairs = table.item_of_option[option] * width + word
    _, which, many = np.unique(pairs, return_inverse=True, return_counts=True)
    others = (many[which] - 1) / np.maximum(table.sizes[table.item_of_option[option]] - 1, 1)
    total = np.bincount(option, minlength=len(table.texts))
    shared = np.bincount(option, weights=others, minlength=len(table.texts))
    return np.round(shared / np.maximum(total, 1), 6)
