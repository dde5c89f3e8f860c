"""Syntactic complexity on constituency trees: Yngve depth (1960) and Frazier's count (1985).

Trees are read from bracketed text, as treebanks and constituency parsers write them, or projected
from dependencies: every head projects a phrase, a subject is a sister of the verb phrase,
auxiliaries head verb phrases of their own with the negations and adverbs after them, an adverb
before a verb without auxiliary is a sister of the verb phrase, modifiers after a noun are adjoined
to it, as the Penn Treebank has them. Punctuation is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fabula.errors import UsageError

__all__ = ["Tree", "bracketed", "frazier", "project", "yngve"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent and its children (``parts``); a word has none."""

    label: str
    parts: tuple[Tree, ...] = ()


_SENTENCES = frozenset({"S", "SBAR", "SINV", "SQ", "SBARQ", "ROOT"})
_PUNCTUATION = frozenset({".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "_SP", "#"})
_BRACKETS_AND_WORDS = re.compile(r"[()]|[^\s()]+")
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_NO_PHRASE_ALONE = frozenset({"aux", "auxpass", "compound", "amod", "det", "nummod"})
_AFTER_NOUN = frozenset({"prep", "relcl", "acl", "appos", "npadvmod"})


def yngve(trees: Sequence[Tree]) -> float:
    """Yngve depth: parts numbered from the right, from 0, summed along the path; mean over words.

    >>> green = "(NP (NNP Colorless) (JJ green) (NNS ideas))"
    >>> yngve(bracketed(f"(S {green} (VP (VBP sleep) (ADVP (RB furiously))))"))
    1.4
    """
    total = words = 0
    stack = [(tree, 0) for tree in trees]
    while stack:
        tree, depth = stack.pop()
        if not tree.parts:
            total, words = total + depth, words + 1
        last = len(tree.parts) - 1
        stack += [(part, depth + last - index) for index, part in enumerate(tree.parts)]
    return total / words if words else 0.0


def frazier(trees: Sequence[Tree]) -> float:
    """Frazier's count: phrases that start at a word, a sentence counting 1.5; mean over words.

    Part-of-speech nodes do not count.
    """
    total, words = 0.0, 0
    stack = [(tree, 0.0) for tree in trees]  # a phrase, and the count its first word starts with
    while stack:
        tree, begun = stack.pop()
        if not tree.parts:
            total, words = total + begun, words + 1
            continue
        weight = 1.5 if tree.label.split("-")[0] in _SENTENCES else 1.0
        if len(tree.parts) == 1 and not tree.parts[0].parts:
            weight = 0.0
        stack.append((tree.parts[0], begun + weight))
        stack += [(part, 0.0) for part in tree.parts[1:]]
    return total / words if words else 0.0


def bracketed(text: str) -> list[Tree]:
    """The trees of a bracketed text: ``(S (NP (PRP She)) (VP (VBD slept)))``, with no punctuation.

    Brackets without a label of their own, as treebanks put around each sentence, are dropped.
    """
    stack: list[tuple[str, list[Tree]]] = [("", [])]
    pieces = _BRACKETS_AND_WORDS.findall(text)
    for index, piece in enumerate(pieces):
        if piece == "(":
            label_piece = pieces[index + 1 : index + 2]
            stack.append((label_piece[0] if label_piece and label_piece[0] not in "()" else "", []))
        elif piece == ")":
            if len(stack) == 1:
                raise UsageError(f"a bracket closes and none is open: {text[:60]!r}")
            label, parts = stack.pop()
            if label in _PUNCTUATION or not parts:
                continue
            stack[-1][1].extend([Tree(label, tuple(parts))] if label else parts)
        elif pieces[index - 1] != "(" or index == 0:
            stack[-1][1].append(Tree(piece))
    if len(stack) > 1:
        raise UsageError(f"a bracket is not closed: {text[:60]!r}")
    return stack[0][1]


def project(
    words: Sequence[str], tags: Sequence[str], heads: Sequence[int], labels: Sequence[str]
) -> list[Tree]:
    """The constituency trees of a dependency parse: one a root, in the order of their heads.

    ``heads`` gives the index of each word's head, a root's being its own; ``tags`` are the Penn
    Treebank's and ``labels`` ClearNLP's, as spaCy gives them.
    """
    is_word = [tag not in _PUNCTUATION for tag in tags]
    head = [_word_head(index, heads, is_word) for index in range(len(words))]
    parts: list[list[int]] = [[] for _ in words]
    roots: list[int] = []
    for index, parent in enumerate(head):
        if is_word[index]:
            (roots if parent == index else parts[parent]).append(index)
    order = list(roots)
    for index in order:  # breadth-first, growing as it is iterated: heads before dependents
        order += parts[index]
    built: dict[int, Tree] = {}
    for index in reversed(order):
        built[index] = _phrase(index, parts[index], built, words, tags, labels)
    trees = [built[root] for root in roots]
    return [tree if tree.label in _SENTENCES else Tree("S", (tree,)) for tree in trees]


def _word_head(index: int, heads: Sequence[int], is_word: Sequence[bool]) -> int:
    """The nearest ancestor that is no punctuation; the word itself where there is none."""
    ancestor, steps = heads[index], 0
    while not is_word[ancestor] and heads[ancestor] != ancestor and steps < len(heads):
        ancestor, steps = heads[ancestor], steps + 1
    return ancestor if is_word[ancestor] else index


def _phrase(
    index: int,
    parts: Sequence[int],
    built: dict[int, Tree],
    words: Sequence[str],
    tags: Sequence[str],
    labels: Sequence[str],
) -> Tree:
    """The phrase that a word projects over its dependents."""
    tag, word = tags[index], Tree(tags[index], (Tree(words[index]),))
    if not parts and labels[index] in _NO_PHRASE_ALONE:
        return word
    conjuncts = [p for p in parts if p > index and labels[p] in ("cc", "conj", "preconj")]
    before = [p for p in parts if p < index]
    after = [p for p in parts if p > index and p not in conjuncts]
    if tag.startswith("VB") or tag == "MD":
        return _clause(word, before, after, conjuncts, built, labels)
    left, right = [built[p] for p in before], [built[p] for p in after]
    if tag.startswith(("NN", "PRP", "WP", "CD", "DT", "EX")) and (
        parts or tag not in ("DT", "CD", "PRP$", "WP$")
    ):
        inner = [built[p] for p in after if labels[p] not in _AFTER_NOUN]
        adjoined = [built[p] for p in after if labels[p] in _AFTER_NOUN]
        phrase = Tree("NP", (*left, word, *inner))
        if adjoined:
            phrase = Tree("NP", (phrase, *adjoined))
    elif tag in ("IN", "TO", "RP") and parts:
        phrase = Tree("PP", (*left, word, *right))
    elif tag.startswith(("JJ", "RB")) and (parts or labels[index] in ("acomp", "advmod")):
        phrase = Tree("ADJP" if tag.startswith("JJ") else "ADVP", (*left, word, *right))
    elif parts:
        phrase = Tree("X", (*left, word, *right))
    else:
        phrase = word
    return _coordinate(phrase, [built[p] for p in conjuncts])


def _clause(
    word: Tree,
    before: Sequence[int],
    after: Sequence[int],
    conjuncts: Sequence[int],
    built: dict[int, Tree],
    labels: Sequence[str],
) -> Tree:
    """The phrase of a verb: verb phrases from the inside out, then its subject and conjuncts."""
    last = max((i for i, p in enumerate(before) if labels[p] in _SUBJECTS), default=-1)
    outer, inner = before[: last + 1], before[last + 1 :]
    clauses = [p for p in conjuncts if built[p].label == "S"]  # "he ran and she hid"
    verb_conjuncts = [] if clauses else conjuncts
    phrase = Tree("VP", (word, *(built[p] for p in after)))
    phrase = _coordinate(phrase, [built[p] for p in verb_conjuncts])
    sisters: list[Tree] = []  # negations and adverbs, which go with the auxiliary before them
    for p in reversed([p for p in inner if labels[p] != "mark"]):
        if labels[p] in ("aux", "auxpass"):
            phrase, sisters = Tree("VP", (built[p], *sisters, phrase)), []
        else:
            sisters.insert(0, built[p])
    marks = [built[p] for p in before if labels[p] == "mark"]
    if outer:
        subject = [built[p] for p in outer if labels[p] != "mark"]
        phrase = Tree("S", (*subject, *sisters, phrase))
    elif sisters:
        phrase = Tree(phrase.label, (*sisters, *phrase.parts))
    if clauses:
        phrase = _coordinate(phrase, [built[p] for p in conjuncts])
    if marks:
        phrase = phrase if phrase.label == "S" else Tree("S", (phrase,))
        phrase = Tree("SBAR", (*marks, phrase))
    return phrase


def _coordinate(phrase: Tree, conjuncts: Sequence[Tree]) -> Tree:
    return Tree(phrase.label, (phrase, *conjuncts)) if conjuncts else phrase
