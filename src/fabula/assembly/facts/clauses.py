"""Clauses of a dependency parse: the governing verb of a token, and the tokens of a clause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabula.text.lexicon import CONDITIONALS, DENIAL_VERBS, MODALS, words

__all__ = ["clause_of", "is_asserted", "is_denied", "verb_over"]

_CLAUSAL = frozenset(("conj", "advcl", "ccomp", "relcl", "parataxis", "csubj"))
_VERBAL = ("VERB", "AUX")
_TRUE, _FALSE = words("true correct right case"), words("false untrue wrong incorrect")


def verb_over(token: Any) -> Any:
    """The token itself if it is a verb, else the nearest verb above it, else the root."""
    while token.head.i != token.i and token.pos_ not in _VERBAL:
        token = token.head
    return token


def clause_of(verb: Any) -> list[Any]:
    """The tokens of a verb's clause in text order: its subtree without subordinate clauses."""
    own = [verb]
    # Not by recursion: in a list of a thousand names each name hangs on the one before it.
    for token in own:  # grows while it is read
        own += [c for c in token.children if c.dep_ not in _CLAUSAL or c.pos_ not in _VERBAL]
    return sorted(own, key=lambda token: token.i)


def is_asserted(dependents: Iterable[Any]) -> bool:
    """Whether a verb with these dependents is told as a fact: under no modal, in no condition."""
    return not any(
        (token.dep_ == "aux" and token.lower_ in MODALS)
        or (token.dep_ == "mark" and token.lower_ in CONDITIONALS)
        for token in dependents
    )


def is_denied(verb: Any) -> bool:
    """Whether its clause is what somebody denies: "denied that", "it is not true that", "rejected
    the claim that"."""
    over = _governor(verb)
    if over is None:
        return False
    turned = any(token.dep_ == "neg" for token in over.children)
    if over.lemma_.lower() in DENIAL_VERBS:
        return not turned
    said = {token.lemma_.lower() for token in over.children if token.dep_ in ("acomp", "attr")}
    return bool(said & _TRUE) if turned else bool(said & _FALSE)


def _governor(verb: Any) -> Any:
    """The verb that a clause is the content of, by way of a noun ("the claim that"), or None."""
    if verb.dep_ == "ccomp":
        return verb.head
    if verb.dep_ in ("acl", "relcl") and any(t.dep_ == "mark" for t in verb.children):
        return verb_over(verb.head)
    return None
