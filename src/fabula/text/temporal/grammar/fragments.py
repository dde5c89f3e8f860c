"""Pieces of patterns over tokens, and the numbers they read."""

from __future__ import annotations

import re

from fabula.text.lexicon import CARDINALS, ORDINALS, alternation
from fabula.text.temporal.lexicon import (
    HOURS,
    MONTH_NUMBERS,
    MONTHS,
    UNITS,
    WEEKDAY_NUMBERS,
    WEEKDAYS,
)

__all__ = [
    "ABOUT", "ABOUT_MODS", "CARDINAL", "DAY", "EARLY", "EARLY_MODS", "HOUR_WORD", "MONTH",
    "MONTH_NAME", "PART", "UNIT", "VAGUE", "WEEKDAY", "WEEKDAY_NAME", "YEAR", "cardinal", "day",
    "early_mod", "ordinal",
]  # fmt: skip

_ORDINAL_WORDS = {word.replace("-", " - "): n for n, word in enumerate(ORDINALS, 1)}
_ORDINAL_WORDS |= {word.replace("-", " "): n for n, word in enumerate(ORDINALS, 1)}
_SMALL = alternation(CARDINALS)
CARDINAL = (
    r"(?:(?:a|three) quarters? of an"
    rf"|\d+(?: , \d{{3}})*(?: \. \d+)?|(?:{_SMALL})(?:(?: -)? (?:{_SMALL}))?(?: hundred)?"
    r"(?: and a half)?|(?:a|one) hundred|half an?|an?)"
)
VAGUE = (
    r"(?:(?:a|the) couple of|a couple|(?:a|the|the very) few|several|some|many|a number of|few"
    r"|dozens of|hundreds of|the)"
)
MONTH_NAME = alternation(name.lower() for name in MONTHS)
_SHORT_MONTH = alternation(set(MONTH_NUMBERS) - {name.lower() for name in MONTHS})
MONTH = rf"(?:{MONTH_NAME}|(?:{_SHORT_MONTH})(?: \.)?)"
WEEKDAY_NAME = alternation(WEEKDAYS)
_SHORT_WEEKDAY = alternation(set(WEEKDAY_NUMBERS) - set(WEEKDAYS))
WEEKDAY = rf"(?:{WEEKDAY_NAME}|(?:{_SHORT_WEEKDAY})(?: \.)?)"
DAY = rf"(?:(?:0?[1-9]|[12]\d|3[01])(?: (?:st|nd|rd|th))?|{alternation(_ORDINAL_WORDS)})"
YEAR = r"(?:1\d{3}|20\d{2})"
UNIT = alternation(UNITS)
HOUR_WORD = alternation(HOURS)
PART = r"(?:mornings?|afternoons?|evenings?|nights?|lunchtime)"
EARLY = (
    r"(?:(?:the )?(?:very )?(?:early|mid|late|earlier|later)(?: -)?(?: (?:in|on))?(?: the)?"
    r"|(?:the )?(?:very )?(?:beginning|start|middle|end|close) of(?: the)?)"
)
EARLY_MODS = {
    "early": "START", "earlier": "START", "beginning": "START", "start": "START", "mid": "MID",
    "middle": "MID", "late": "END", "later": "END", "end": "END", "close": "END",
}  # fmt: skip
# Before a number or a clock time, with TIMEX3's "mod".
ABOUT_MODS = {
    "about": "APPROX", "around": "APPROX", "approximately": "APPROX", "roughly": "APPROX",
    "circa": "APPROX", "nearly": "APPROX", "almost": "APPROX", "some": "APPROX",
    "exactly": "", "precisely": "", "just": "", "more than": "MORE_THAN", "over": "MORE_THAN",
    "less than": "LESS_THAN", "under": "LESS_THAN", "at least": "EQUAL_OR_MORE",
    "no less than": "EQUAL_OR_MORE", "at most": "EQUAL_OR_LESS", "up to": "EQUAL_OR_LESS",
    "no more than": "EQUAL_OR_LESS", "within": "EQUAL_OR_LESS", "as much as": "EQUAL_OR_LESS",
}  # fmt: skip
ABOUT = alternation(ABOUT_MODS)


def cardinal(text: str) -> float | None:
    """The number a cardinal says; None for a vague one ("several").

    >>> cardinal("twenty - five"), cardinal("half an"), cardinal("1 , 200"), cardinal("a few")
    (25.0, 0.5, 1200.0, None)
    """
    text = text.strip()
    if text in ("a", "an", "one", "the"):
        return 1.0
    if text.endswith(("couple of", "couple")):
        return 2.0
    if text.startswith("half"):
        return 0.5
    if "quarter" in text:
        return 0.75 if text.startswith("three") else 0.25
    if text.endswith(" and a half"):
        whole = cardinal(text.removesuffix(" and a half"))
        return None if whole is None else whole + 0.5
    if text[:1].isdigit():
        digits = text.replace(" , ", "").replace(" ", "")
        return float(digits) if len(digits) < 12 else None
    total, known = 0.0, False
    for word in re.split(r"[ -]+", text):
        if word in CARDINALS:
            total, known = total + CARDINALS[word], True
        elif word == "hundred":
            total, known = max(total, 1.0) * 100, True
        elif word not in ("a", ""):
            return None
    return total if known else None


def ordinal(text: str) -> int | None:
    """The number of "3 rd", "third", "twenty - first".

    >>> ordinal("twenty - first"), ordinal("3 rd"), ordinal("last")
    (21, 3, None)
    """
    if text[:1].isdigit():
        return int(re.match(r"\d+", text)[0])  # type: ignore[index]
    return _ORDINAL_WORDS.get(text)


def day(text: str) -> int | None:
    """The day of the month a figure or an ordinal says."""
    number = ordinal(text)
    return number if number is not None and 1 <= number <= 31 else None


def early_mod(words: str) -> str:
    """TIMEX3's "mod" of words like "early" or "the end of".

    >>> early_mod("the very end of")
    'END'
    """
    return next((EARLY_MODS[word] for word in words.split() if word in EARLY_MODS), "")
