"""Kind of a difference: conflict, update, scope or attributed, with the speaker of each side."""

from __future__ import annotations

import re

from fabula.text.lexicon import SPEECH_VERBS

__all__ = ["RELATIONS", "is_grave", "relation_of", "speaker_of"]

RELATIONS = ("conflict", "update", "scope", "attributed")
_PAST = {"say": "said", "tell": "told", "write": "wrote", "think": "thought", "deny": "denied"}
_SAID = "|".join(
    sorted({
        form
        for verb in SPEECH_VERBS - {"call", "continue", "note", "think", "remember"}
        for form in (f"{verb}s", _PAST.get(verb, f"{verb}d" if verb[-1] == "e" else f"{verb}ed"))
    })
)  # fmt: skip
_WHO = r"(?:[Tt]he |[Aa]n? |[Hh]is |[Hh]er |[Tt]heir )?(?:[\w.’'-]+ ){0,4}?[\w.’'-]+"
_SPEAKER = (
    re.compile(rf"\b[Aa]ccording to ({_WHO})(?=[,.;]|$| (?:who|and|in|on)\b)"),
    re.compile(rf"[,”\"]\s*({_WHO}) (?:{_SAID})\b"),
    re.compile(rf"[,”\"]\s*(?:{_SAID}) ({_WHO})\s*[.,]?\s*$"),
    re.compile(rf"^({_WHO}) (?:has |have |had )?(?:{_SAID})\b"),
)
# What a later report replaces by its own words.
_SUPERSEDING = re.compile(
    r"\b(?:now|so far|by now|rose|risen|rises|rising|climb(?:ed|s)|grew|grown|revised|updated|"
    r"earlier (?:reports?|figures?|said)|initially|(?:at|as) first|originally|first thought)\b",
    re.IGNORECASE,
)
# What is counted anew while an event goes on; a price or a passenger list is not.
_TOLL = re.compile(
    r"\b(?:dead|deaths?|die[ds]?|killed|injur\w+|hurt|wounded|missing|homeless|evacuated|displaced|"
    r"arrest\w*|acres|hectares|contained|rescued|without power)\b",
    re.IGNORECASE,
)
# What a reader wants to know first.
_GRAVE = re.compile(
    r"\b(?:dead|deaths?|die[ds]?|killed|alive|surviv\w+|injur\w+|hurt|wounded|missing|guilty|"
    r"acquitted|convicted|arrest\w*|custody|charged)\b",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"(?:not|as|but|and|or|than|which|where|when)\b", re.IGNORECASE)


def speaker_of(text: str) -> str | None:
    """Who says it, as written; None where nobody is named.

    >>> speaker_of("Nine men were rescued, the coastguard said.")
    'the coastguard'
    >>> speaker_of("According to Mayor Ida Lund, the dam held.")
    'Mayor Ida Lund'
    """
    for pattern in _SPEAKER:
        match = pattern.search(text)
        if match:
            name = str(match[1]).strip()
            return None if name.lower() in _PRONOUNS or _NO_NAME.match(name) else name
    return None


def _is_bounded(text: str, value: str) -> bool:
    """Whether "at least", "more than" or the like stands before a value."""
    before = text[: max(0, text.find(value))].rstrip().lower()
    return before.endswith(("at least", "more than", "over", "up to", "at most", "fewer than"))


_PRONOUNS = frozenset(("he", "she", "it", "they", "i", "we", "you", "who", "that", "which"))


def is_grave(kind: str, texts: tuple[str, str]) -> bool:
    """Whether a difference in a number or an outcome is of life, harm, guilt or liberty.

    >>> is_grave("number", ("Nine miners died.", "Eleven miners were killed."))
    True
    """
    return kind in ("number", "outcome") and all(map(_GRAVE.search, texts))


def relation_of(
    kind: str,
    texts: tuple[str, str],
    values: tuple[str, str],
    dates: tuple[str | None, str | None],
    speakers: tuple[str | None, str | None],
) -> str:
    """``update`` where a later dated report replaces a toll or an outcome, or says it corrects one,
    ``scope`` where one number is a bound, ``attributed`` where two speakers each claim theirs."""
    first, second = dates
    counted = kind == "number" and any(map(_TOLL.search, texts)) and values[0][:1] not in "$£€"
    changing = counted or kind == "outcome"
    if changing and first and second and first[:10] != second[:10]:
        return "update"
    if kind == "number" and any(_SUPERSEDING.search(text) for text in texts):
        return "update"
    if kind == "number" and any(map(_is_bounded, texts, values)):
        return "scope"
    one, other = speakers
    if one and other and one.lower() != other.lower():
        return "attributed"
    return "conflict"
