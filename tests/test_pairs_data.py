"""The pairs that the cross-encoder is trained on: those made by rule, those left out."""

from __future__ import annotations

from typing import Any

from benchmarks.pairs_data import trusted
from benchmarks.pairs_substitutions import substituted

from fabula.pairs.items import Pair, Relation


def test_one_word_is_changed_and_labelled_by_its_kind() -> None:
    made = {(p.b, p.label) for p in substituted(["A man plays a violin."], more=True)}
    assert ("A man plays an instrument.", "entailment") in made
    assert ("A guy plays a violin.", "entailment") in made
    others = {b for b, label in made if label == "contradiction"}
    assert others and all(b != "A man plays a violin." for b in others)


def test_the_shorter_lists_do_not_change() -> None:
    """The third training was made of them."""
    texts = ["The waiter carries a banjo.", "Two dogs sleep.", "A dog runs in Ireland."]
    few = {(p.a, p.b) for p in substituted(texts)}
    assert few and not any("Ireland" in a and "Ireland" not in b for a, b in few)
    assert any("banjo" in p.a for p in substituted(texts, more=True))


class _Follows:
    """Says that a sentence follows where it stands in the first."""

    def relate(self, pairs: list[Pair]) -> list[Relation]:
        return [Relation(0.9, 0, 0.1, 0) if p.b in p.a else Relation(0, 0, 1, 0) for p in pairs]


def test_a_contradiction_that_follows_is_not_trusted() -> None:
    network: Any = _Follows()
    wrong = Pair("1", "a girl laughs", "girl", "contradiction")
    right = Pair("2", "a girl laughs", "a boy", "contradiction")
    other = Pair("3", "a girl laughs", "girl", "entailment")
    assert trusted([wrong, right, other], network) == [right, other]
