"""Does a sentence tell an event? A parse in, yes or no out, by the clauses it has.

Chats are full of lines that tell nothing ("WHAT?", "Yes.", "Thank God."): they were sent at a time,
and nothing happened then.
"""

from __future__ import annotations

from fabula.text.lexicon import words
from fabula.text.parse.parsed import Parsed

__all__ = ["tells_event"]

_SUBJECTS = ("nsubj", "nsubjpass", "csubj")
_COMPLEMENTS = ("attr", "acomp", "prep", "advmod", "ccomp", "xcomp")
_NARRATIVE = ("VBD", "VBG", "VBN")  # forms that tell without a subject: "Just left Aldermouth"
# What a speaker thinks or wishes, unless an object says what of: "I see", "I think so".
_ATTITUDES = words(
    "agree believe bet care doubt forget guess hope imagine know like love mean mind need prefer "
    "reckon remember see suppose think understand want welcome wish wonder"
)


def tells_event(parsed: Parsed) -> bool:
    """Whether the sentence asserts something of somebody or something, by its parse.

    A question does not. A verb with a subject does, unless it is an attitude without an object; so
    does a past form or participle without a subject but with another argument; and so does a form
    of "be" whose subject is a noun or a name.
    """
    from fabula.events.extract.extraction import extract

    if parsed.text.rstrip(" \"'”’)!").endswith("?"):
        return False
    for predicate in extract(parsed):
        subject, others = predicate.roles.get("subj", []), set(predicate.roles) - {"subj"}
        if predicate.verb.partition("_")[0] in _ATTITUDES and "obj" not in others:
            continue
        if subject or (others and parsed.tags[predicate.token] in _NARRATIVE):
            return True
    return any(_is_state(parsed, token) for token in range(len(parsed)))


def _is_state(parsed: Parsed, token: int) -> bool:
    """Whether a form of "be" says something of a noun or a name: "The last ones are ashore"."""
    if parsed.lemmas[token].lower() != "be" or parsed.labels[token].startswith("aux"):
        return False
    below = parsed.children[token]
    subjects = [child for child in below if parsed.labels[child] in _SUBJECTS]
    return any(parsed.tags[s].startswith("NN") for s in subjects) and any(
        parsed.labels[child] in _COMPLEMENTS for child in below
    )
