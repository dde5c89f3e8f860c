"""Words of time and the regular expressions built from them, each once.

The clock (``clock_times``), the weekday (``weekdays``) and the cue reader (ordering's
``discourse_cues``) take some words for different hours, and fitted weights depend on it: the
differences stand side by side in the columns of ``DAY_PARTS``.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fabula.text.lexicon import CARDINALS, ORDINALS, alternation, words

__all__ = [
    "AFTER_DAY", "AFTER_HOUR", "BARE_PARTS", "DAY", "DAY_NUMBER", "DAY_PARTS", "FEASTS", "HALF_DAY",
    "HOLIDAYS",
    "HOURS", "MONTH", "MONTHS", "MONTHS_AS_WORDS", "MONTH_NUMBERS", "PART_CODES", "PAST_OR_TO",
    "SEASONS",
    "TIME_NOUNS", "TIME_UNITS", "UNITS", "WEEKDAY", "WEEKDAYS", "WEEKDAY_NUMBERS", "ZONES",
    "DayPart", "half_of_day", "number_of_day",
]  # fmt: skip

DAY = 24 * 60  # minutes
HALF_DAY = DAY // 2

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
HOURS = {word: value for word, value in CARDINALS.items() if 1 <= value <= 12}
PAST_OR_TO = {
    "five": 5, "ten": 10, "a quarter": 15, "quarter": 15, "twenty": 20, "half": 30,
    "twenty-five": 25,
}  # fmt: skip
FEASTS = {
    "new year's day": (1, 1), "twelfth night": (1, 5), "epiphany": (1, 6), "candlemas": (2, 2),
    "lady day": (3, 25), "walpurgis": (4, 30), "may day": (5, 1), "midsummer": (6, 24),
    "saint john's eve": (6, 23), "saint john's": (6, 24), "saint james": (7, 25),
    "saint lawrence": (8, 10), "assumption": (8, 15), "michaelmas": (9, 29),
    "saint michael's": (9, 29), "hallowe'en": (10, 31), "halloween": (10, 31),
    "all saints": (11, 1), "all souls": (11, 2), "martinmas": (11, 11), "saint martin": (11, 11),
    "saint nicholas": (12, 6), "saint lucy": (12, 13), "christmas eve": (12, 24),
    "christmas day": (12, 25), "boxing day": (12, 26), "new year's eve": (12, 31),
}  # fmt: skip

# Months and weekdays by every usual spelling.
MONTH_NUMBERS = {
    spelling: number
    for number, name in enumerate(MONTHS, 1)
    for spelling in (name.lower(), name[:3].lower())
} | {"sept": 9}
WEEKDAY_NUMBERS = {
    spelling: number for number, name in enumerate(WEEKDAYS) for spelling in (name, name[:3])
} | {"tues": 1, "wednes": 2, "thur": 3, "thurs": 3}
# Feasts by name: month and day, or a rule that ``calendar.holiday`` computes for a year.
HOLIDAYS: dict[str, tuple[int, int] | str] = {
    **FEASTS,
    "christmas": (12, 25), "xmas": (12, 25), "new year": (1, 1), "new years day": (1, 1),
    "new years eve": (12, 31), "valentine's day": (2, 14), "st patrick's day": (3, 17),
    "saint patrick's day": (3, 17), "april fools' day": (4, 1), "april fool's day": (4, 1),
    "independence day": (7, 4), "fourth of july": (7, 4), "bastille day": (7, 14),
    "veterans day": (11, 11), "remembrance day": (11, 11), "armistice day": (11, 11),
    "easter": "easter+0", "easter sunday": "easter+0", "easter monday": "easter+1",
    "good friday": "easter-2", "maundy thursday": "easter-3", "palm sunday": "easter-7",
    "ash wednesday": "easter-46", "shrove tuesday": "easter-47", "ascension day": "easter+39",
    "pentecost": "easter+49", "whit sunday": "easter+49", "thanksgiving": "11/3/4",
    "thanksgiving day": "11/3/4", "black friday": "11/3/4+1", "labor day": "9/0/1",
    "memorial day": "5/0/-1", "martin luther king day": "1/0/3", "presidents' day": "2/0/3",
    "columbus day": "10/0/2", "mother's day": "5/6/2", "father's day": "6/6/3",
}  # fmt: skip
SEASONS = {"spring": "SP", "summer": "SU", "autumn": "FA", "fall": "FA", "winter": "WI"}
# Units of time: the letter of ISO 8601 (H and the minute, TM, stand after a T; WE is a weekend).
UNITS = {
    spelling: code
    for code, spellings in {
        "TS": "second seconds sec secs", "TM": "minute minutes min mins",
        "TH": "hour hours hr hrs", "D": "day days", "NI": "night nights", "W": "week weeks",
        "WE": "weekend weekends", "FN": "fortnight fortnights", "M": "month months",
        "Q": "quarter quarters", "Y": "year years yr yrs", "DE": "decade decades",
        "CE": "century centuries",
    }.items()
    for spelling in spellings.split()
}  # fmt: skip
PART_CODES = {
    "morning": "MO", "mornings": "MO", "dawn": "MO", "daybreak": "MO", "sunrise": "MO",
    "afternoon": "AF", "afternoons": "AF", "lunchtime": "MI", "evening": "EV", "evenings": "EV",
    "dusk": "EV", "sunset": "EV", "nightfall": "EV", "night": "NI", "nights": "NI",
}  # fmt: skip
ZONES = {
    "gmt": 0, "utc": 0, "z": 0, "bst": 60, "wet": 0, "cet": 60, "cest": 120, "eet": 120,
    "eest": 180, "msk": 180, "ist": 330, "hkt": 480, "sgt": 480, "jst": 540, "aest": 600,
    "aedt": 660, "est": -300, "edt": -240, "et": -300, "cst": -360, "cdt": -300, "ct": -360,
    "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "pt": -480,
}  # fmt: skip


class DayPart(NamedTuple):
    """The hours a word may mean; None where a reader leaves the word alone.

    ``clock`` is the span ``clock_times`` gives it, ``weekday`` its span on a named weekday, of a
    night also the hours after midnight; ``typical`` is the hour ``discourse_cues`` takes it for.
    """

    clock: tuple[float, float] | None = None
    weekday: tuple[int, int] | None = None
    typical: float | None = None


DAY_PARTS = {
    "dawn": DayPart((4, 8), (4, 8), 6),
    "daybreak": DayPart((4, 8), None, 6),
    "sunrise": DayPart((4, 8), None, 6),
    "daylight": DayPart(None, None, 6),
    "first light": DayPart((4, 8)),
    "break of day": DayPart((4, 8)),
    "sun rose": DayPart((4, 8)),
    "breakfast": DayPart((6, 10), None, 8),
    "in the morning": DayPart((4, 12)),
    "morning": DayPart(None, (4, 12), 9),
    "forenoon": DayPart((8, 12)),
    "noon prayer": DayPart((11.75, 13.5)),
    "noon": DayPart(None, (12, 12)),
    "midday": DayPart(None, (12, 12)),
    "lunch": DayPart((11.5, 14), None, 12.5),
    "lunchtime": DayPart((11.5, 14), (12, 14), 12.5),
    "afternoon": DayPart((12, 18), (12, 18), 15),
    "late afternoon": DayPart((15.5, 18.5)),
    "supper": DayPart((17.5, 21), None, 19),
    "dinner": DayPart(None, None, 19),
    "dusk": DayPart((16, 22), None, 18.5),
    "sunset": DayPart((16, 22), None, 18.5),
    "sundown": DayPart((16, 22)),
    "towards evening": DayPart((16, 21)),
    "in the evening": DayPart((17, 24)),
    "evening": DayPart(None, (17, 24), 19.5),
    "late evening": DayPart((20, 24)),
    "nightfall": DayPart((16, 23), None, 20),
    "night": DayPart(None, (18, 30)),  # not for cues: it may be any of it
    "middle of the night": DayPart((22, 29)),
    "black night": DayPart((18, 30)),
}
# Words by which a clock time is before noon or after it, in the whole of a sentence; and near the
# time (``clock_times``), where more of them can be trusted.
_BEFORE_NOON = words("morning dawn breakfast sunrise")
_AFTER_NOON = words("afternoon evening night tonight dusk sunset")
_HALVES = {
    nearby: [
        (half, re.compile(rf"\b(?:{alternation(members)})\b", re.IGNORECASE))
        for half, members in (("am", before_noon), ("pm", after_noon))
    ]
    for nearby, before_noon, after_noon in (
        (False, _BEFORE_NOON, _AFTER_NOON),
        (True, _BEFORE_NOON | {"daybreak"}, _AFTER_NOON | {"supper"}),
    )
}

# Nouns of time: no things that are counted, no places, and what no pronoun means.
TIME_UNITS = words("minute hour day night week month year time")
TIME_NOUNS = TIME_UNITS | words("morning evening afternoon noon midnight moment")

# Regular expressions, without groups of their own.
MONTH = alternation(MONTHS)
WEEKDAY = alternation(WEEKDAYS)
DAY_NUMBER = rf"\d{{1,2}}(?:st|nd|rd|th)?|{alternation(ORDINALS)}"
# A bare number is a day or an hour where no noun follows it: "on the second the bell rang" but not
# "on the second floor", "at one the bell rang" but not "at one roof" or "by six men".
_NO_NOUN = (
    "a|an|the|this|that|my|our|his|her|their|i|we|he|she|it|they|there|and|but|or|in|at|by|for"
    "|from|to|with|when|while|until|as|after|before|was|were|is|had|came"
)
AFTER_DAY = rf"{_NO_NOUN}|about|shortly|of\s+(?:the|this|that)"
AFTER_HOUR = (
    rf"{_NO_NOUN}|o['’]clock|your|its|you|on|sharp|exactly|precisely|every|each|all|both|some|no|not"
    r"|tonight|because|since|so|then|(?-i:[A-Z])\w*"
)


def number_of_day(word: str) -> int:
    """The day of the month that a figure or an ordinal in small letters says.

    >>> number_of_day("3rd"), number_of_day("twenty-first")
    (3, 21)
    """
    if word in ORDINALS:
        return ORDINALS.index(word) + 1
    return int(word.rstrip("stndrh"))


def half_of_day(text: str, *, nearby: bool = False) -> str | None:
    """ "am" or "pm" by the first of the two that words like "dawn" speak for; else None.

    ``nearby`` says that the text is no more than what stands around a clock time.
    """
    return next((half for half, pattern in _HALVES[nearby] if pattern.search(text)), None)


# Months that are also names or verbs, and parts of the day that stand without an article.
MONTHS_AS_WORDS = frozenset(("may", "march", "april", "june", "august"))
BARE_PARTS = "night|dawn|daybreak|sunrise|dusk|sunset|nightfall|lunchtime"
