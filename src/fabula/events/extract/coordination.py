"""What verbs of one sentence have in common: a negation that reaches further, a shared object."""

from __future__ import annotations

from collections.abc import Mapping

from fabula.events.extract import rules as lists
from fabula.events.extract.frames import Verb
from fabula.text.parse.parsed import Parsed

__all__ = ["share_objects", "take_negation"]


def take_negation(parsed: Parsed, verbs: Mapping[int, Verb], verb: Verb) -> None:
    """ "did not sing or dance", "does not have to pay": the negation reaches further."""
    token = verb.token
    above = verbs.get(parsed.heads[token])
    if above is None or not above.negated or above is verb:
        return
    label = parsed.labels[token]
    if label == "xcomp" and above.hollow and parsed.lemmas[above.token] != "be":
        verb.negated = True
    if label == "conj" and not verb.helped:
        either = (
            parsed.words[c].lower()
            for c in parsed.children[above.token]
            if parsed.labels[c] == "cc" and c < token
        )
        verb.negated = verb.negated or any(word in ("or", "nor") for word in either)


def share_objects(parsed: Parsed, verbs: Mapping[int, Verb]) -> None:
    """ "attacked and captured the fort": nothing but the conjunction stands between."""
    for token in sorted(verbs, reverse=True):  # the last of several has the object
        verb = verbs[token]
        if verb.objects or verb.passive or verb.hollow or verb.preps or verb.particle:
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
