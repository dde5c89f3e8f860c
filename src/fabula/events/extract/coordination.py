"""Conjoined verbs: the scope of a negation, and a shared object (right node raising)."""

from __future__ import annotations

from collections.abc import Mapping

from fabula.events.extract import rules as lists
from fabula.events.extract.predicates import VerbNode
from fabula.text.parse.parsed import Parsed

__all__ = ["inherit_negation", "share_objects"]


def inherit_negation(parsed: Parsed, verbs: Mapping[int, VerbNode], verb: VerbNode) -> None:
    """Extend the governor's negation: "did not sing or dance", "does not have to pay"."""
    token = verb.token
    governor = verbs.get(parsed.heads[token])
    if governor is None or not governor.negated or governor is verb:
        return
    label = parsed.labels[token]
    if label == "xcomp" and governor.functional and parsed.lemmas[governor.token] != "be":
        verb.negated = True
    if label == "conj" and not verb.has_auxiliary:
        conjunctions = (
            parsed.words[c].lower()
            for c in parsed.children[governor.token]
            if parsed.labels[c] == "cc" and c < token
        )
        verb.negated = verb.negated or any(word in ("or", "nor") for word in conjunctions)


def share_objects(parsed: Parsed, verbs: Mapping[int, VerbNode]) -> None:
    """Right node raising: in "attacked and captured the fort" both verbs have the object."""
    for token in sorted(verbs, reverse=True):  # the last of several has the object
        verb = verbs[token]
        if verb.objects or verb.passive or verb.functional or verb.prepositional or verb.particle:
            continue
        if parsed.lemmas[token] in lists.INTRANSITIVE or parsed.labels[token] == "relcl":
            continue
        for child in parsed.children[token]:
            other = verbs.get(child)
            if (
                other
                and parsed.labels[child] == "conj"
                and other.objects
                and all(
                    parsed.labels[between] in ("cc", "punct", "advmod", "aux")
                    for between in range(token + 1, child)
                )
                and not other.passive
                and max(other.objects) > child
            ):
                verb.objects = other.objects
                break
