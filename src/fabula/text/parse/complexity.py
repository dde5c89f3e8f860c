"""How hard a sentence is to parse: Yngve's and Frazier's measures, on phrase trees.

The trees come bracketed, as treebanks and constituency parsers write them, or projected from
dependencies: every head opens a phrase, a subject stands beside the verb phrase, auxiliaries open
verb phrases of their own, modifiers after a noun are adjoined to it. Punctuation is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fabula.errors import UsageError

__all__ = ["Tree", "bracketed", "frazier", "project", "yngve"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A phrase and its parts; a word is a tree without parts."""

    label: str
    parts: tuple[Tree, ...] = ()


_SENTENCES = frozenset({"S", "SBAR", "SINV", "SQ", "SBARQ", "ROOT"})
_MARKS = frozenset({".", ",", ":", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP", "_SP", "#"})
_PIECES = re.compile(r"[()]|[^\s()]+")
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
_BARE = frozenset({"aux", "auxpass", "compound", "amod", "det", "nummod"})  # no phrase when alone
_AFTER_NOUN = frozenset({"prep", "relcl", "acl", "appos", "npadvmod"})


def yngve(trees: Sequence[Tree]) -> float:
    """Yngve depth: parts numbered from the right, from 0, summed along the path; mean over words.

    >>> green = "(NP (NNP Colorless) (JJ green) (NNS ideas))"
    >>> yngve(bracketed(f"(S {green} (VP (VBP sleep) (ADVP (RB furiously))))"))
    1.4
    """
    total = words = 0
    waiting = [(tree, 0) for tree in trees]
    while waiting:
        tree, depth = waiting.pop()
        if not tree.parts:
            total, words = total + depth, words + 1
        last = len(tree.parts) - 1
        waiting += [(part, depth + last - place) for place, part in enumerate(tree.parts)]
    return total / words if words else 0.0


def frazier(trees: Sequence[Tree]) -> float:
    """Frazier's count: the phrases a word begins, a sentence weighing 1.5; mean over words.

    A word's part of speech is no phrase.
    """
    total, words = 0.0, 0
    waiting = [(tree, 0.0) for tree in trees]  # a phrase, and what its first word has begun
    while waiting:
        tree, begun = waiting.pop()
        if not tree.parts:
            total, words = total + begun, words + 1
            continue
        weight = 1.5 if tree.label.split("-")[0] in _SENTENCES else 1.0
        if len(tree.parts) == 1 and not tree.parts[0].parts:
            weight = 0.0
        waiting.append((tree.parts[0], begun + weight))
        waiting += [(part, 0.0) for part in tree.parts[1:]]
    return total / words if words else 0.0


def bracketed(text: str) -> list[Tree]:
    """The trees of a bracketed text: ``(S (NP (PRP She)) (VP (VBD slept)))``, with no punctuation.

    Brackets without a label of their own, as treebanks put around each sentence, are dropped.
    """
    open_: list[tuple[str, list[Tree]]] = [("", [])]
    pieces = _PIECES.findall(text)
    for place, piece in enumerate(pieces):
        if piece == "(":
            named = pieces[place + 1 : place + 2]
            open_.append((named[0] if named and named[0] not in "()" else "", []))
        elif piece == ")":
            if len(open_) == 1:
                raise UsageError(f"a bracket closes and none is open: {text[:60]!r}")
            label, parts = open_.pop()
            if label in _MARKS or not parts:
                continue
            open_[-1][1].extend([Tree(label, tuple(parts))] if label else parts)
        elif pieces[place - 1] != "(" or place == 0:
            open_[-1][1].append(Tree(piece))
    if len(open_) > 1:
        raise UsageError(f"a bracket is not closed: {text[:60]!r}")
    return open_[0][1]


def project(
    words: Sequence[str], tags: Sequence[str], heads: Sequence[int], labels: Sequence[str]
) -> list[Tree]:
    """The phrase trees of a dependency parse: one a root, in the order of their heads.

    ``heads`` gives each word's head by its place, a root's being its own; ``tags`` are the Penn
    Treebank's and ``labels`` ClearNLP's, as spaCy gives them.
    """
    real = [tag not in _MARKS for tag in tags]
    head = [_real_head(place, heads, real) for place in range(len(words))]
    parts: list[list[int]] = [[] for _ in words]
    roots: list[int] = []
    for place, above in enumerate(head):
        if real[place]:
            (roots if above == place else parts[above]).append(place)
    order = list(roots)
    for place in order:  # grows as it is read: every word comes after its head
        order += parts[place]
    built: dict[int, Tree] = {}
    for place in reversed(order):
        built[place] = _phrase(place, parts[place], built, words, tags, labels)
    trees = [built[root] for root in roots]
    return [tree if tree.label in _SENTENCES else Tree("S", (tree,)) for tree in trees]


def _real_head(place: int, heads: Sequence[int], real: Sequence[bool]) -> int:
    """The nearest word above that is no punctuation; the word itself where there is none."""
    above, steps = heads[place], 0
    while not real[above] and heads[above] != above and steps < len(heads):
        above, steps = heads[above], steps + 1
    return above if real[above] else place


def _phrase(
    place: int,
    parts: Sequence[int],
    built: dict[int, Tree],
    words: Sequence[str],
    tags: Sequence[str],
    labels: Sequence[str],
) -> Tree:
    tag, word = tags[place], Tree(tags[place], (Tree(words[place]),))
    if not parts and labels[place] in _BARE:
        return word
    joined = [p for p in parts if p > place and labels[p] in ("cc", "conj", "preconj")]
    before = [p for p in parts if p < place]
    after = [p for p in parts if p > place and p not in joined]
    if tag.startswith("VB") or tag == "MD":
        return _clause(word, before, after, joined, built, labels)
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
    elif tag.startswith(("JJ", "RB")) and (parts or labels[place] in ("acomp", "advmod")):
        phrase = Tree("ADJP" if tag.startswith("JJ") else "ADVP", (*left, word, *right))
    elif parts:
        phrase = Tree("X", (*left, word, *right))
    else:
        phrase = word
    return _joined(phrase, [built[p] for p in joined])


def _clause(
    word: Tree,
    before: Sequence[int],
    after: Sequence[int],
    joined: Sequence[int],
    built: dict[int, Tree],
    labels: Sequence[str],
) -> Tree:
    """The phrase of a verb: subject and what precedes it, then verb phrases from the inside out."""
    last = max((i for i, p in enumerate(before) if labels[p] in _SUBJECTS), default=-1)
    outer, inner = before[: last + 1], before[last + 1 :]
    own = [p for p in joined if built[p].label == "S"]  # "he ran and she hid": two sentences
    shared = [] if own else joined
    phrase = Tree("VP", (word, *(built[p] for p in after)))
    phrase = _joined(phrase, [built[p] for p in shared])
    for p in reversed([p for p in inner if labels[p] != "mark"]):
        if labels[p] in ("aux", "auxpass"):
            phrase = Tree("VP", (built[p], phrase))
        else:
            phrase = Tree(phrase.label, (built[p], *phrase.parts))
    marks = [built[p] for p in before if labels[p] == "mark"]
    if outer:
        phrase = Tree("S", (*(built[p] for p in outer if labels[p] != "mark"), phrase))
    if own:
        phrase = _joined(phrase, [built[p] for p in joined])
    if marks:
        phrase = phrase if phrase.label == "S" else Tree("S", (phrase,))
        phrase = Tree("SBAR", (*marks, phrase))
    return phrase


def _joined(phrase: Tree, others: Sequence[Tree]) -> Tree:
    return Tree(phrase.label, (phrase, *others)) if others else phrase
