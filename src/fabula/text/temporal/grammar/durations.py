"""Patterns of lengths of time: "two hours", "three days ago", "ten minutes after the alarm"."""

from __future__ import annotations

import re

from fabula.text.temporal.grammar.draft import NOT_A_TIME, Draft, Found, Rule, Spec
from fabula.text.temporal.grammar.fragments import (
    ABOUT,
    ABOUT_MODS,
    CARDINAL,
    UNIT,
    VAGUE,
    cardinal,
)
from fabula.text.temporal.lexicon import UNITS

__all__ = ["RULES", "duration_value"]

_PIECE = re.compile(
    rf"(?P<n>{CARDINAL}|{VAGUE})(?: -)? (?:(?:long|full|whole|more|consecutive)"
    rf" )?(?P<unit>{UNIT})(?P<half> and a half)?(?!\S)"
)
_TIMED = frozenset("D W M Y TH TM TS DE CE FN NI WE Q".split())


def duration_value(number: float | None, unit: str) -> str:
    """The ISO 8601 duration of a number of units; X for a vague number.

    >>> duration_value(2, "TH"), duration_value(None, "D"), duration_value(1.5, "Y")
    ('PT2H', 'PXD', 'P1.5Y')
    """
    if unit in ("DE", "CE", "FN") and number is not None:
        factor, unit = {"DE": (10, "Y"), "CE": (100, "Y"), "FN": (2, "W")}[unit]
        number *= factor
    if unit == "NI":
        unit = "D"
    unit = {"DE": "Y", "CE": "Y", "FN": "W", "WE": "WE", "Q": "Q"}.get(unit, unit)
    amount = "X" if number is None else f"{number:g}"
    if unit == "TH" and number == 0.5:
        return "PT30M"
    if unit == "Y" and number == 0.5:
        return "P6M"
    return f"PT{amount}{unit[1]}" if unit.startswith("T") else f"P{amount}{unit}"


def _pieces(text: str) -> list[tuple[float | None, str]]:
    return [(_counted(m), UNITS[m["unit"]]) for m in _PIECE.finditer(text)]


def _counted(piece: re.Match[str]) -> float | None:
    """How many; None for "the days after"."""
    uncounted = piece["n"] == "the" and piece["unit"].endswith("s")
    number = None if uncounted else cardinal(piece["n"])
    return number + 0.5 if piece["half"] and number is not None else number


def _value(text: str) -> str:
    values = [duration_value(*piece) for piece in _pieces(text)]
    date = "".join(value[1:] for value in values if not value.startswith("PT"))
    time = "".join(value[2:] for value in values if value.startswith("PT"))
    return f"P{date}" + (f"T{time}" if time else "")


def _duration(found: Found) -> Draft | None:
    """A number of units, and how it is used: ago, later, after something, or how long."""
    line = found.line
    pieces = _pieces(found["all"])
    if not pieces or any(unit not in _TIMED for _, unit in pieces):
        return None
    unit = pieces[0][1]
    unit_token = line.token_at(found.match.end("all") - 1)
    word, tag = line.word(unit_token), line.tag(unit_token)
    singular = not word.endswith("s") and word not in ("hr", "min", "sec", "yr")
    amount = found["all"].split()[0]
    ambiguous = singular and unit in ("TS", "TM", "Q") and not (found["how"] and unit != "Q")
    if ambiguous and (tag.startswith("J") or amount in ("a", "the")):
        return None
    if (word in ("second", "quarter") or (word == "quarters" and found.after() == "of")) and (
        not found["how"]
    ):
        return None  # "the second", "one quarter of", "three-quarters of"
    if word in ("min", "sec") and not amount[:1].isdigit():
        return None
    if found.after() == "'" and line.words[unit_token][:1].isupper():
        return found.draft(NOT_A_TIME, Spec())  # "the Thirty Years' War"
    if amount == "the" and not found["how"]:
        return None
    if amount in ("some", "many", "few", "several") and singular:
        return None
    if re.match(rf"an? (?:{UNIT})(?!\S)", found["all"]) and not found["how"]:
        if (rate := _rate(found, unit)) is not None:
            return rate
        if unit == "D" and found.after() in ("when", "of", "that", "to"):
            return None  # "a day when"
    mod = ABOUT_MODS.get(found["about"], "")
    how = found["how"]
    if how == "ago":
        return _shifted(found, pieces, -1, "document", mod)
    if how in ("later", "afterwards", "afterward", "on"):
        return _shifted(found, pieces, 1, "narrative", mod)
    if how in ("earlier", "previously", "before that", "before .", "beforehand"):
        return _shifted(found, pieces, -1, "narrative", mod)
    draft = found.draft("DURATION", Spec(value=_value(found["all"])), mod=mod)
    draft.last = line.token_at(found.match.end("all") - 1) + 1
    if how in ("after", "before", "into", "since", "following", "prior to", "from"):
        draft.relation = "before" if how in ("before", "prior to") else "after"
    return draft


def _rate(found: Found, unit: str) -> Draft | None:
    """ "15 a year", "twice a day": how often."""
    before, tag = found.before(), found.line.tag(found.first - 1)
    counted = tag in ("CD", "NNS") or before.isdigit() or before in ("once", "twice", "times", "%")
    if not counted or before in ("in", "for", "within", "of", "than"):
        return None
    return found.draft("SET", Spec(value=duration_value(1, unit)))


def _shifted(
    found: Found, pieces: list[tuple[float | None, str]], sign: int, anchor: str, mod: str
) -> Draft:
    minutes = _minutes(pieces)
    number, unit = pieces[-1] if len(pieces) == 1 else (None, "")
    if minutes is not None and (number is None or number != int(number)):
        number, unit, pieces = minutes, "TM", pieces[:1]  # "half an hour later"
    exact = found["about"] in ("exactly", "precisely")
    if number is None or len(pieces) > 1 or number != int(number):
        value = _value(found["all"])
        unit = pieces[0][1]
        if unit in ("TH", "TM", "TS"):  # the same day, at an hour nobody knows
            spec = Spec(unit="D", shift=0, part="XX", anchor=anchor)
            return found.draft("TIME", spec, mod=mod)
        if anchor == "document":
            return found.draft("DATE", Spec(value="PAST_REF"), mod=mod)
        return found.draft("DATE", Spec(value="", unit=unit, shift=None, anchor=value), mod=mod)
    spec = Spec(unit=unit, shift=sign * int(number), anchor=anchor, exact=exact)
    return found.draft("TIME" if unit.startswith("T") else "DATE", spec, mod=mod)


def _minutes(pieces: list[tuple[float | None, str]]) -> float | None:
    """A length in hours and minutes as whole minutes; None for any other."""
    if any(number is None or unit not in ("TH", "TM") for number, unit in pieces):
        return None
    total = sum((number or 0.0) * (60 if unit == "TH" else 1) for number, unit in pieces)
    return total if total == int(total) else None


def _bare_plural(found: Found) -> Draft | None:
    """ "minutes later", "for hours", "decades-long": a number of units nobody counted."""
    unit = UNITS[found["unit"]]
    how = found["how"]
    if how in ("later", "afterwards", "earlier", "ago"):
        draft = found.draft("DURATION", Spec(value=duration_value(None, unit)))
        draft.relation = "before" if how in ("earlier", "ago") else "after"
        return draft
    draft = found.draft("DURATION", Spec(value=duration_value(None, unit)))
    if how in ("after", "before"):
        draft.relation, draft.last = how, found.last - 1
    return draft


def _recent(found: Found) -> Draft | None:
    """ "the last three years", "the next six months"."""
    number, unit = cardinal(found["n"]), UNITS[found["unit"]]
    return found.draft("DURATION", Spec(value=duration_value(number, unit)))


def _age(found: Found) -> Draft:
    """ "a 38-year-old", "24 years old": how old somebody is, not how long something took."""
    return found.draft(NOT_A_TIME, Spec())


_ABOUT = rf"(?:(?P<about>{ABOUT}) )?"
_ONE = (
    rf"(?:{CARDINAL}|{VAGUE})(?: -)? (?:(?:long|full|whole|more|consecutive) )?(?:{UNIT})"
    r"(?: and a half(?!\S))?"
)
_HOW = (
    r"(?: (?P<how>ago|later|afterwards?|earlier|previously|before that|beforehand|after|before"
    r"|since|into|following|prior to|on(?= [,.;])))?"
)
RULES = (
    Rule.of("length", rf"{_ABOUT}(?P<all>{_ONE}(?:(?: ,)?(?: and)? {_ONE})*){_HOW}", _duration),
    Rule.of(
        "length uncounted",
        r"(?P<unit>seconds|minutes|hours|days|weeks|months|years|decades|centuries)"
        r" (?P<how>later|earlier|after|before|ago|afterwards)",
        _bare_plural,
    ),
    Rule.of(
        "length uncounted",
        r"(?:(?<=\bfor )|(?<=\bin )|(?<=\bwithin ))(?P<unit>seconds|minutes|hours|days"
        r"|weeks|months|years|decades|centuries)(?P<how>(?!))?",
        _bare_plural,
    ),
    Rule.of(
        "length uncounted",
        r"(?P<unit>minutes|hours|days|weeks|months|years|decades|centuries) -"
        r" long(?P<how>(?!))?",
        _bare_plural,
    ),
    Rule.of(
        "length up to now",
        r"(?:(?:the )?(?:last|past|next)|the (?:coming|previous|first|final|following))"
        rf" (?P<n>{CARDINAL}|{VAGUE}) (?P<unit>{UNIT})",
        _recent,
    ),
    Rule.of("age", rf"{CARDINAL}(?: -)? (?:{UNIT})(?: -)? (?:olds?|of age)", _age),
)
