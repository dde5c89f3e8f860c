"""Words that put what they are said of on one side of a matter or on the other.

They are looked for in the whole sentence: whose fate it is, the likeness of two sentences has to
say. ("states_of" in ``outcomes`` is the stricter reading, by grammar.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

__all__ = ["denies", "sides_of"]

# matter -> (words of one side, words of the other), as lemmas.
_MATTERS = {
    "harm": (
        "injure injury hurt wound wounded broken fracture bruise burn sting hospital clinic "
        "ambulance unconscious frostbite hypothermia concussion stretcher stitch amputate "
        "pelvis collarbone bleed sprain",
        "unhurt uninjured unharmed unscathed conscious healthy cheerful alright",
    ),
    "life": (
        "die dead death kill drown perish fatal deceased",
        "alive survive survivor living",
    ),
    "damage": (
        "damage damaged tear torn crack cracked dent dented smash destroy wreck ruin broken "
        "gone missing empty flood explode detonate blow",
        "intact undamaged unbroken whole dry sealed untouched",
    ),
    "custody": (
        "arrest catch capture detain custody handcuff seize secure recapture",
        "escape flee free release vanish disappear abscond elude",
    ),
    "sale": (
        "sell buyer bidder hammer fetch",
        "withdraw withdrawn unsold cancel",
    ),
    "guilt": (
        "confess admit confession guilty convict plead",
        "deny denial innocent acquit dismiss",
    ),
    "consent": (
        "accept approve agree unanimous unanimously consent sign",
        "reject refuse decline veto oppose dissent",
    ),
    "money": (
        "free gratis",
        "charge pay cost",
    ),
    "making": (
        "genuine original authentic",
        "forgery fake copy forge replica",
    ),
    "gift": (
        "lend loan borrow",
        "donate gift",
    ),
    "intent": (
        "deliberate arson deliberately",
        "accident accidental accidentally self-heating",
    ),
}
_SIDE: dict[str, dict[str, int]] = {}
for _matter, _sides in _MATTERS.items():
    for _sign, _words in zip((1, -1), _sides, strict=True):
        for _word in _words.split():
            _SIDE.setdefault(_word, {})[_matter] = _sign
_TURN = frozenset("no not n't n’t never nobody none nothing neither without nor".split())
_DENIES = re.compile(
    r"\b(?:no|nobody|no one|none|nothing|never|not one|neither|nor|without)\b", re.IGNORECASE
)
_REACH = 4  # words a "no" reaches forward


def sides_of(tokens: Sequence[Any]) -> frozenset[tuple[str, int]]:
    """(matter, side) for every telling word; a "no" shortly before it puts it on the other side."""
    found = set()
    for at, token in enumerate(tokens):
        for word in {token.lemma_.lower(), token.lower_}:
            for matter, side in _SIDE.get(word, {}).items():
                before = {t.lower_ for t in tokens[max(0, at - _REACH) : at]}
                found.add((matter, -side if before & _TURN else side))
    return frozenset(found)


def denies(text: str) -> bool:
    """Whether a sentence denies something outright: "at no time", "nobody", "not one"."""
    return bool(_DENIES.search(text))
