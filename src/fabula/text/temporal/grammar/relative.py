"""Patterns of times told from another: weekdays, "last week", "this morning", "the next day"."""

from __future__ import annotations

from fabula.text.lexicon import CARDINALS, alternation
from fabula.text.temporal.grammar.draft import Draft, Found, Rule, Spec
from fabula.text.temporal.grammar.fragments import (
    EARLY,
    PART,
    UNIT,
    WEEKDAY_NAME,
    cardinal,
    early_mod,
)
from fabula.text.temporal.lexicon import BARE_PARTS, HOURS, PART_CODES, UNITS, WEEKDAY_NUMBERS

__all__ = ["RULES"]

_FEW = alternation(["a", *(word for word, value in CARDINALS.items() if 1 <= value <= 6)])
_SHIFTS = {
    "last": -1, "past": -1, "previous": -1, "preceding": -1, "next": 1, "coming": 1,
    "following": 1, "this": 0, "that": 0, "same": 0, "current": 0, "very same": 0,
}  # fmt: skip
# "the next day" is told from the story, "next week" from the day of writing.
_NARRATIVE = frozenset(("previous", "preceding", "following", "that", "same", "very same"))
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1, "tonight": 0, "last night": -1}
_PAPERS = frozenset("times post mail mirror telegraph herald express sun school club".split())
_BEFORE_WEEKDAY = frozenset("on last next by until since from late early . m pm am".split())
_NOT_DATES = frozenset(("second", "seconds", "minute", "minutes", "sec", "secs", "min", "mins"))


def _part(name: str) -> str:
    return PART_CODES.get(name, "")


def _weekday(found: Found) -> Draft | None:
    """ "Monday", "last Monday", "the following Tuesday night", "early on Sunday"."""
    token = found.token_of("wd")
    if not found.line.words[token][:1].isupper() and found["wd"] in ("sun", "sat", "mon", "wed"):
        return None
    if found.after() in _PAPERS and found.line.words[found.last][:1].isupper():
        return None
    named = found.line.name_type(token) in ("PERSON", "WORK_OF_ART")
    if named and found.before() not in _BEFORE_WEEKDAY:
        return None
    direction = found["dir"].removeprefix("the ")
    if direction in ("every", "each") or found["s"]:
        value = f"XXXX-WXX-{WEEKDAY_NUMBERS[found['wd']] + 1}"
        return found.draft("SET", Spec(value=value), quant="EVERY", freq="")
    part = _part(found["part"])
    anchor = "narrative" if direction in _NARRATIVE else "document"
    spec = Spec(
        weekday=WEEKDAY_NUMBERS[found["wd"]],
        direction={"past": "last", "previous": "last", "coming": "next"}.get(direction, direction),
        anchor=anchor,
        part=part,
    )
    week = {"last week": -1, "this week": 0, "next week": 1}.get(found["week"])
    if week is not None:
        spec = Spec(weekday=spec.weekday, unit="W", shift=week, part=part)
    return found.draft("TIME" if part else "DATE", spec, mod=early_mod(found["mod"]))


def _night_to(found: Found) -> Draft:
    """ "the night to Friday": Thursday's; "the night of Friday": Friday's."""
    spec = Spec(
        weekday=WEEKDAY_NUMBERS[found["wd"]],
        part="NI",
        unit="D" if found["to"] in ("to", "before") else "",
        shift=-1 if found["to"] in ("to", "before") else None,
    )
    return found.draft("TIME", spec)


def _day_word(found: Found) -> Draft | None:
    """ "today", "yesterday evening", "the day before yesterday", "late last night"."""
    if found["day"] == "last night" and (found.before() == "the" or found.after() == "of"):
        return None  # "the last night of that month"
    shift = _DAYS[found["day"]]
    if found["off"]:
        shift += -1 if "before" in found["off"] else 1
    part = _part(found["part"]) or ("NI" if found["day"] in ("tonight", "last night") else "")
    spec = Spec(unit="D", shift=shift, part=part)
    return found.draft("TIME" if part else "DATE", spec, mod=early_mod(found["mod"]))


def _this_part(found: Found) -> Draft | None:
    """ "this morning", "that night", "the next morning", "the same evening"."""
    direction = found["dir"].removeprefix("the ")
    shift = _SHIFTS[direction]
    document = direction in ("this", "last") or (direction == "next" and "the" not in found["dir"])
    if direction == "past":
        return None
    part = _part(found["part"])
    spec = Spec(unit="D", shift=shift, part=part, anchor="document" if document else "narrative")
    draft = found.draft("TIME", spec, mod=early_mod(found["mod"]))
    draft.marks = frozenset(("that part",)) if direction in ("that", "same") else frozenset()
    return draft


def _bare_part(found: Found) -> Draft | None:
    """ "in the morning", "at night", "at dawn": of the day the text speaks of."""
    part, line = _part(found["part"]), found.line
    timed = found.before().isdigit() or found.before() in HOURS  # "at 9:00 in the morning workers"
    if not part or (line.tag(found.last).startswith("NN") and not timed):
        return None  # "on the evening train"
    if found.match[0] == "by night":
        return None  # "marched by night"
    if (kind := found["kind"]) and (
        kind in ("last", "first", "next") or line.tag(found.token_of("kind")) != "JJ"
    ):
        return None
    spec = Spec(unit="D", shift=0, part=part, anchor="narrative")
    draft = found.draft("TIME", spec, mod=early_mod(found["mod"]))
    draft.marks = frozenset(("bare part",))
    return draft


def _unit(found: Found) -> Draft | None:
    """ "last week", "this year", "the following month", "that day", "the past decade"."""
    name, words = found["unit"], found["dir"].split()
    if name in _NOT_DATES or (name.endswith("s") and name not in UNITS):
        return None
    if name in ("hours", "days", "weeks", "months", "years", "decades", "centuries", "nights"):
        return None
    direction = " ".join(word for word in words if word != "the")
    unit, shift = UNITS[name], _SHIFTS[direction]
    definite = words[0] == "the"
    if direction in ("past", "last") and definite and unit in ("DE", "CE", "Y", "M", "W", "TH"):
        value = {"DE": "P10Y", "CE": "P100Y", "TH": "PT1H"}.get(unit, f"P1{unit}")
        if direction == "past" or unit in ("DE", "CE", "TH"):
            return found.draft("DURATION", Spec(value=value))
    if direction == "past" and unit == "D":
        return None
    if unit == "Q" and found.after() == "of":
        of_year = "year" in (found.line.word(found.last + k) for k in (2, 3))
        if not of_year:  # "the last quarter of a century"
            return None
    if unit == "TH" or (unit == "NI" and direction in ("last", "past")):
        return None
    narrative = direction in _NARRATIVE or (definite and direction == "next")
    if direction == "that" and found.line.tag(found.first) in ("IN", "WDT"):
        return None  # "the report that day-to-day ..."
    part = "NI" if unit == "NI" else ""
    spec = Spec(
        unit="D" if unit == "NI" else unit,
        shift=shift,
        part=part,
        anchor="narrative" if narrative else "document",
    )
    draft = found.draft("TIME" if part else "DATE", spec, mod=early_mod(found["mod"]))
    draft.marks = frozenset(("named",))  # "the next day", and not how many days
    return draft


def _edge(found: Found) -> Draft | None:
    """ "the beginning of the year", "the end of last month"."""
    mods = {"beginning": "START", "start": "START", "middle": "MID", "end": "END", "close": "END"}
    unit = UNITS[found["unit"]]
    direction = found["dir"].removeprefix("the ").strip()
    spec = Spec(unit=unit, shift=_SHIFTS.get(direction, 0))
    return found.draft("DATE", spec, mod=mods[found["edge"]])


def _day_after(found: Found) -> Draft | None:
    """ "the day after", "the night before", "a day later": told from the story."""
    unit, part = found["unit"], _part(found["unit"])
    if found["how"] in ("after", "before") and found.after() not in (*".,;:)!?", ""):
        # "the day after he lost his job": told from that event, and not from the story so far
        if found["article"] != "the":
            return None
        value = (
            "XXXX-XX-XXT" + part
            if part
            else {"D": "XXXX-XX-XX", "W": "XXXX-WXX", "M": "XXXX-XX"}.get(UNITS[unit], "XXXX")
        )
        draft = found.draft("TIME" if part else "DATE", Spec(value=value))
        draft.relation = found["how"]
        return draft
    shift = 1 if found["how"] in ("after", "later", "afterwards", "afterward") else -1
    if part:
        spec = Spec(unit="D", shift=shift, part=part, anchor="narrative")
        return found.draft("TIME", spec)
    spec = Spec(unit=UNITS[unit], shift=shift, anchor="narrative")
    return found.draft("DATE", spec)


def _weekend(found: Found) -> Draft:
    shift = {"last": -1, "next": 1}.get(found["dir"].removeprefix("the "), 0)
    marks = frozenset(("nearest weekend",)) if not shift else frozenset()
    draft = found.draft("DATE", Spec(unit="WE", shift=shift))
    draft.marks = marks
    return draft


def _small_hours(found: Found) -> Draft:
    spec = Spec(unit="D", shift=0, part="MO", anchor="narrative")
    if found["wd"]:
        spec = Spec(weekday=WEEKDAY_NUMBERS[found["wd"]], part="MO")
    elif found["day"]:
        spec = Spec(unit="D", shift=_DAYS.get(found["day"], 0), part="MO")
    return found.draft("TIME", spec, mod="START")


def _week_from(found: Found) -> Draft | None:
    """ "a week on Friday", "two weeks from Monday", "three days from now"."""
    number = cardinal(found["n"])
    if number is None:
        return None
    if found["wd"]:
        if UNITS[found["unit"]] != "W":
            return None
        weekday = WEEKDAY_NUMBERS[found["wd"]]
        return found.draft("DATE", Spec(weekday=weekday, unit="W+", shift=int(number)))
    return found.draft("DATE", Spec(unit=UNITS[found["unit"]], shift=int(number)))


_DIRECTION = (
    r"(?:the )?(?:very same|same|previous|preceding|following|next|last|past|coming|current)"
    r"|this|that"
)
_MOD = rf"(?:(?P<mod>{EARLY}) )?"
RULES = (
    Rule.of(
        "weekday",
        rf"{_MOD}(?:(?P<dir>last|next|this|that|past|coming|every|each|the (?:following"
        r"|previous|same|next|past|coming)) )?"
        rf"(?:(?P<pre>last week|this week|next week) )?(?P<wd>{WEEKDAY_NAME})(?P<s>s)?"
        rf"(?: (?P<part>{PART}))?"
        r"(?: (?P<week>last week|this week|next week))?",
        _weekday,
    ),
    Rule.of(
        "weekday of a week",
        r"(?P<mod>(?!))?(?P<dir>(?!))?(?P<week>last week|this week|next week)"
        rf" (?:'s )?(?:on )?(?P<wd>{WEEKDAY_NAME})(?P<s>(?!))?(?: (?P<part>{PART}))?",
        _weekday,
    ),
    Rule.of(
        "night to a weekday",
        rf"(?:the )?night (?P<to>to|of|before|on) (?P<wd>{WEEKDAY_NAME})(?!(?: ,)? (?:the )?\d)",
        _night_to,
    ),
    Rule.of(
        "day word",
        rf"{_MOD}(?:(?P<off>the day before|the day after) )?(?P<day>today|yesterday"
        rf"|tomorrow|tonight|last night)(?: 's)?(?: (?P<part>{PART}))?",
        _day_word,
    ),
    Rule.of(
        "part of a day",
        rf"{_MOD}(?P<dir>this|that|the (?:next|following|previous|same|preceding)"
        rf"|next|following) (?P<part>{PART})",
        _this_part,
    ),
    Rule.of(
        "part of the day",
        rf"(?:in|during|by|on|until|till|throughout) {_MOD}the (?:(?:early|late) |(?P<kind>[a-z]+)"
        r" )?(?P<part>morning|afternoon|evening|night)",
        _bare_part,
    ),
    Rule.of(
        "part of the day",
        rf"(?:at|before|after|around|until|by){' '}(?P<mod>(?!))?(?P<kind>(?!))?"
        rf"(?P<part>{BARE_PARTS})",
        _bare_part,
    ),
    Rule.of(
        "unit",
        rf"{_MOD}(?P<dir>{_DIRECTION}) (?:calendar |fiscal |financial |school )?"
        rf"(?P<unit>{UNIT})",
        _unit,
    ),
    Rule.of(
        "edge of a unit",
        r"(?:the )?(?:very )?(?P<edge>beginning|start|middle|end|close) of (?P<dir>the"
        r"|this|last|next|the (?:last|next|previous|following)) (?:calendar |fiscal"
        rf" |financial |school )?(?P<unit>{UNIT})",
        _edge,
    ),
    Rule.of(
        "day after",
        r"(?P<article>the|a|one) (?P<unit>day|week|month|year|morning|evening|night|afternoon) "
        r"(?P<how>before|after|earlier|later|afterwards?)",
        _day_after,
    ),
    Rule.of(
        "weekend",
        r"(?P<dir>the|this|last|next|that|the past|the last|the next|over the)"
        r" weekend",
        _weekend,
    ),
    Rule.of(
        "small hours",
        r"(?:the )?(?:very )?(?:early|small|wee) hours(?: of)?(?: (?:on )?(?:the"
        rf" )?(?P<wd>{WEEKDAY_NAME})| (?P<day>this|today|yesterday))?(?: (?:the"
        r" )?morning)?",
        _small_hours,
    ),
    Rule.of(
        "distance ahead",
        rf"(?P<n>\d+|{_FEW}) (?P<unit>{UNIT})"
        rf" (?:from now|hence|from today|(?:on|from) (?P<wd>{WEEKDAY_NAME}))",
        _week_from,
    ),
)
