"""Words that put what they are said of on one side of a matter or on the other.

They are looked for in the whole sentence: whose fate it is, the likeness of two sentences has to
say. ("states_of" in ``outcomes`` is the stricter reading, by grammar.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from fabula.assembly.facts.content_words import content_of

__all__ = ["denied_of", "denies", "sides_of", "stems_of"]

# matter -> (words of one side, words of the other), as lemmas.
_MATTERS = {
    "harm": (
        "injure injury hurt harm wound wounded broken fracture bruise burn sting hospital clinic "
        "ambulance unconscious frostbite hypothermia concussion stretcher stitch amputate faint "
        "pelvis collarbone bleed sprain bite bitten casualty cut",
        "unhurt uninjured unharmed unscathed conscious healthy cheerful alright safely whole",
    ),
    "life": (
        "die dead death kill drown perish fatal fatality deceased bury buried grave lose lost "
        "froze funeral corpse body",
        "alive survive survivor living live recover recovered save saved",
    ),
    "damage": (
        "damage damaged tear torn crack cracked dent dented smash destroy wreck ruin broken burst "
        "missing empty flood explode detonate blow burn burned melt sink sunk collapse founder",
        "intact undamaged unbroken unharmed whole dry sealed untouched safe safely saved tow",
    ),
    "custody": (
        "arrest catch capture detain custody handcuff seize secure recapture prison jail charge "
        "imprison hostage",
        "escape flee free release vanish disappear abscond elude liberty frontier cleared",
    ),
    "course": ("cancel cancelled abandon abandoned postpone", "complete resume proceed"),
    "sale": (
        "sell buyer bidder hammer fetch",
        "withdraw withdrawn unsold cancel",
    ),
    "guilt": (
        "confess admit confession guilty convict plead murder",
        "deny denial innocent acquit dismiss cleared",
    ),
    "consent": (
        "accept approve agree unanimous unanimously consent sign pass passed",
        "reject refuse decline veto oppose dissent resignation",
    ),
    "contest": (
        "win won victory winner",
        "lose defeat draw drawn",
    ),
    "pay": (
        "pay paid payment fine fined cost",
        "free gratis unpaid",
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
    "warning": (
        "warn warning siren alarm sounded",
        "unwarned silent",
    ),
    "waking": ("asleep sleep slept", "awake woke wake"),
    "weather": ("calm fine fair", "gale storm rough blew"),
    "company": ("alone", "together"),
}
_SIDE: dict[str, dict[str, int]] = {}
for _matter, _sides in _MATTERS.items():
    for _sign, _words in zip((1, -1), _sides, strict=True):
        for _word in _words.split():
            _SIDE.setdefault(_word, {})[_matter] = _sign
_TURN = frozenset("no not n't n’t never nobody none nothing neither without nor".split())
_DENIES = re.compile(
    r"\b(?:no(?!\.\s*\d)|nobody|no one|none|nothing|never|not one|neither|nor|without)\b",
    re.IGNORECASE,
)
_STEM = 4  # letters
_REACH = 5  # words a "no" reaches forward
_DENIED = 8  # the same, where it is only asked what the words are


def sides_of(tokens: Sequence[Any]) -> frozenset[tuple[str, int]]:
    """(matter, side) for every telling word; a "no" shortly before it puts it on the other side."""
    found = set()
    turns = _turns(tokens)
    for at, token in enumerate(tokens):
        for word in {token.lemma_.lower(), token.lower_}:
            for matter, side in _SIDE.get(word, {}).items():
                turned = any(at - _REACH <= turn < at for turn in turns)
                found.add((matter, -side if turned else side))
    return frozenset(found)


def _turns(tokens: Sequence[Any]) -> list[int]:
    """Where something is denied. "No. 5" denies nothing, nor does "did not sound until ten"."""
    found = []
    for at, token in enumerate(tokens):
        after = [t.lower_ for t in tokens[at + 1 : at + 1 + _DENIED]]
        numbered = token.lower_ == "no" and after[:1] == ["."] and after[1:2] and after[1].isdigit()
        late = {"until", "till"} & set(after)
        if token.lower_ in _TURN and not numbered and not late:
            found.append(at)
    return found


def denied_of(tokens: Sequence[Any]) -> frozenset[str]:
    """The stems of the words a "no" or "not" reaches: "there was no drawing of lots"."""
    found: set[str] = set()
    for at in _turns(tokens):
        found |= stems_of(content_of(tokens[at + 1 : at + 1 + _DENIED]))
    return frozenset(found)


def stems_of(words: Iterable[str]) -> frozenset[str]:
    """Words cut short, so that "drawing" and "drawn" are one."""
    return frozenset(word[:_STEM] for word in words)


def denies(text: str) -> bool:
    """Whether a sentence denies something outright: "at no time", "nobody", "not one"."""
    return bool(_DENIES.search(text))
