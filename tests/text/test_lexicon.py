"""Words of a closed class are listed in the lexicons and nowhere else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import fabula
from fabula.text import lexicon
from fabula.text.temporal.lexicon import DAY_PARTS, MONTHS, WEEKDAYS

CLASSES = {
    "cardinals": set(lexicon.CARDINALS),
    "ordinals": set(lexicon.ORDINALS),
    "magnitudes": set(lexicon.MAGNITUDES),
    "negations": set(lexicon.NEGATION_CUES),
    "modals": set(lexicon.MODALS),
    "months": {month.lower() for month in MONTHS},
    "weekdays": set(WEEKDAYS),
    "parts of the day": set(DAY_PARTS),
}


def literals(code: str) -> Iterator[tuple[int, frozenset[str]]]:
    """The words of each string and of each collection of words, with its line; no docstrings."""
    nodes = list(ast.walk(ast.parse(code)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if id(node) in docstrings:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, frozenset(re.findall(r"[a-z'-]+", node.value.lower()))
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            held = node.keys if isinstance(node, ast.Dict) else node.elts
            strings = [each.value for each in held if isinstance(each, ast.Constant)]
            yield node.lineno, frozenset(s.lower() for s in strings if isinstance(s, str))


def copies(code: str, members: set[str]) -> list[int]:
    """Lines of the literals that hold five words of a class or more."""
    return [line for line, held in literals(code) if len(held & members) >= 5]


def test_a_class_of_words_is_listed_once() -> None:
    found = []
    for path in Path(fabula.__file__).parent.rglob("*.py"):
        if path.name != "lexicon.py":
            for line, held in literals(path.read_text(encoding="utf-8")):
                found += [f"{path}:{line}: {n}" for n, c in CLASSES.items() if len(held & c) >= 5]
    assert found == []


def test_a_second_list_is_seen() -> None:
    assert copies("x = 'no not never none nobody'", CLASSES["negations"]) == [1]
    assert copies("x = {'may', 'can', 'will', 'must', 'shall'}", CLASSES["modals"]) == [1]
    assert copies('def f():\n    """No not never none nobody."""', CLASSES["negations"]) == []


def test_ordinals_count_the_days_of_a_month() -> None:
    assert len(lexicon.ORDINALS) == 31
    assert lexicon.ORDINALS.index("twenty-third") == 22


def test_reporting_verbs_are_what_claims_and_quotations_share() -> None:
    assert lexicon.CLAIM_VERBS & lexicon.SPEECH_VERBS == lexicon.REPORTING_VERBS
