from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UsageError
from fabula.text.parse.complexity import Tree, bracketed, frazier, project, yngve

GREEN = "(S (NP (NNP Colorless)(JJ green)(NNS ideas))(VP (VBP sleep)(ADVP (RB furiously)))"


def words(tree: Tree) -> list[str]:
    return [w for part in tree.parts for w in words(part)] if tree.parts else [tree.label]


def test_the_textbook_sentence() -> None:
    # By hand: 3 + 2 + 1 in the noun phrase, 1 and 0 in the verb phrase, over five words.
    assert yngve(bracketed(GREEN + ")")) == pytest.approx(7 / 5)
    # "Colorless" begins a noun phrase and the sentence, "sleep" a verb phrase; "furiously" stands
    # in ADVP, which here is its own part of speech's only parent.
    assert frazier(bracketed(GREEN + ")")) == pytest.approx((1 + 1.5 + 1 + 1) / 5)


def test_punctuation_and_nameless_brackets_are_left_out() -> None:
    assert bracketed(f"( {GREEN} (. .)))") == bracketed(GREEN + ")")


@pytest.mark.parametrize("text", ["(S (NP she)", "(S she))", ")"])
def test_brackets_must_match(text: str) -> None:
    with pytest.raises(UsageError, match="bracket"):
        bracketed(text)


def test_nothing_has_no_depth() -> None:
    assert yngve([]) == frazier([]) == 0.0
    assert bracketed("") == []


def test_a_subject_stands_beside_the_verb_phrase() -> None:
    # Candice gave the money to her mom .
    (tree,) = project(
        ["Candice", "gave", "the", "money", "to", "her", "mom", "."],
        ["NNP", "VBD", "DT", "NN", "IN", "PRP$", "NN", "."],
        [1, 1, 3, 1, 1, 6, 4, 1],
        ["nsubj", "ROOT", "det", "dobj", "dative", "poss", "pobj", "punct"],
    )
    expected = bracketed(
        "(S (NP (NNP Candice)) (VP (VBD gave) (NP (DT the) (NN money))"
        " (PP (IN to) (NP (PRP$ her) (NN mom)))))"
    )
    assert [tree] == expected


def test_auxiliaries_and_clauses_open_phrases() -> None:
    # He said that she would leave
    (tree,) = project(
        ["He", "said", "that", "she", "would", "leave"],
        ["PRP", "VBD", "IN", "PRP", "MD", "VB"],
        [1, 1, 5, 5, 5, 1],
        ["nsubj", "ROOT", "mark", "nsubj", "aux", "ccomp"],
    )
    assert [tree] == bracketed(
        "(S (NP (PRP He)) (VP (VBD said) (SBAR (IN that)"
        " (S (NP (PRP she)) (VP (MD would) (VP (VB leave)))))))"
    )


def test_coordination_of_verbs_and_of_sentences() -> None:
    tags = ["PRP", "VBD", "CC", "PRP", "VBD"]
    (two,) = project(
        ["He", "ran", "and", "she", "hid"], tags, [1, 1, 1, 4, 1],
        ["nsubj", "ROOT", "cc", "nsubj", "conj"],
    )  # fmt: skip
    assert [part.label for part in two.parts] == ["S", "CC", "S"]
    (one,) = project(
        ["He", "ran", "and", "hid"], ["PRP", "VBD", "CC", "VBD"], [1, 1, 1, 1],
        ["nsubj", "ROOT", "cc", "conj"],
    )  # fmt: skip
    assert [part.label for part in one.parts] == ["NP", "VP"]
    assert [part.label for part in one.parts[1].parts] == ["VP", "CC", "VP"]


@st.composite
def parses(draw: st.DrawFn) -> tuple[list[str], list[str], list[int], list[str]]:
    n = draw(st.integers(1, 12))
    # A head with a smaller number (or the word itself): always a forest, often not projective.
    heads = [draw(st.integers(0, place)) for place in range(n)]
    tags = draw(st.lists(st.sampled_from(["VBD", "NN", "DT", "IN", "RB", ".", "CC"]), min_size=n))
    names = ["nsubj", "aux", "mark", "conj", "cc", "dobj", "prep", "punct", "neg"]
    labels = draw(st.lists(st.sampled_from(names), min_size=n))
    return [f"w{i}" for i in range(n)], tags[:n], heads, labels[:n]


@given(parses())
def test_every_word_stands_in_the_trees_once(
    parse: tuple[list[str], list[str], list[int], list[str]],
) -> None:
    trees = project(*parse)
    found = [word for tree in trees for word in words(tree)]
    assert sorted(found) == sorted(w for w, t in zip(parse[0], parse[1], strict=True) if t != ".")
    assert yngve(trees) >= 0 and frazier(trees) >= 0
    assert all(tree.label in ("S", "SBAR") for tree in trees)


def test_a_long_list_does_not_break_it() -> None:
    n = 5000  # every word a conjunct of the one before it
    trees = project(["w"] * n, ["NN"] * n, [max(0, i - 1) for i in range(n)], ["conj"] * n)
    assert yngve(trees) == pytest.approx(1.0, abs=0.01)


def test_negations_and_adverbs_stand_where_the_treebank_has_them() -> None:
    never = project(
        ["She", "did", "n't", "ever", "go", "home"],
        ["PRP", "VBD", "RB", "RB", "VB", "RB"],
        [4, 4, 4, 4, 4, 4],
        ["nsubj", "aux", "neg", "advmod", "ROOT", "advmod"],
    )
    inner = "(VP (VB go) (ADVP (RB home)))"
    gold = f"(S (NP (PRP She)) (VP (VBD did) (RB n't) (ADVP (RB ever)) {inner}))"
    assert yngve(never) == yngve(bracketed(gold))
    bare = project(["She", "never", "went"], ["PRP", "RB", "VBD"], [2, 2, 2],
                   ["nsubj", "neg", "ROOT"])  # fmt: skip
    assert yngve(bare) == yngve(bracketed("(S (NP (PRP She)) (ADVP (RB never)) (VP (VBD went)))"))
