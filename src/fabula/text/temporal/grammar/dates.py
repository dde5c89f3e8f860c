"""Patterns of calendar dates: days, months, feasts."""

from __future__ import annotations

import calendar

from fabula.text.lexicon import CLAIM_VERBS, alternation
from fabula.text.temporal.grammar.draft import NOT_A_TIME, Draft, Found, Rule, Spec
from fabula.text.temporal.grammar.fragments import (
    DAY,
    EARLY,
    MONTH,
    MONTH_NAME,
    WEEKDAY,
    YEAR,
    day,
    early_mod,
)
from fabula.text.temporal.lexicon import (
    HOLIDAYS,
    MONTH_NUMBERS,
    MONTHS_AS_WORDS,
    PART_CODES,
    WEEKDAY_NUMBERS,
)

__all__ = ["RULES"]

_HOLIDAY = alternation(name.replace("-", " - ").replace("'s", " 's") for name in HOLIDAYS)
_AMBIGUOUS = frozenset(("may", "march", "mar", "jan", "dec", "sept", "sep", "jun", "august"))
_MONTH_BEFORE = frozenset(
    "in since of by until till from during before after through to for between and or , ( last "
    "next this a an on released : ;".split()
)


def _month(text: str) -> int:
    return MONTH_NUMBERS[text.removesuffix(".").strip()]


def _valid(year: int | None, month: int, number: int) -> bool:
    return number <= calendar.monthrange(year or 2000, month)[1]


def _capital(found: Found, group: str) -> bool:
    word = found.line.words[found.token_of(group)]
    return word[:1].isupper()


def _day_month(found: Found) -> Draft | list[Draft] | None:
    """ "21 July 2013", "July 21, 2013", "3-5 May", "Monday the 3rd of May"."""
    month = _month(found["m"])
    if not _capital(found, "m") and found["m"] in _AMBIGUOUS and not found["y"]:
        return None
    number = day(found["d"])
    year = int(found["y"]) if found["y"] else None
    if number is None or not _valid(year, month, number):
        return found.draft(NOT_A_TIME, Spec())
    weekday = _weekday(found)
    if found["wd"] and weekday is None:
        return None
    last = found.draft("DATE", Spec(year=year, month=month, day=number, weekday=weekday))
    other = found.match.groupdict().get("other")
    second = day(other) if other else None
    if other is None or second is None or not _valid(year, month, second):
        return last
    at = found.token_of("other")
    if found.match.start("other") < found.match.start("m"):  # "3 - 5 May"
        one = Draft(at, at + len(other.split()), "DATE", Spec(year=year, month=month, day=second))
        last.first = found.token_of("d")
        return [one, last]
    end = found.line.token_at(found.match.end("d") - 1) + 1
    one = Draft(found.first, end, "DATE", last.spec)
    return [one, Draft(at, found.last, "DATE", Spec(year=year, month=month, day=second))]


def _weekday(found: Found) -> int | None:
    name = found["wd"].removesuffix(".").strip()
    return WEEKDAY_NUMBERS[name] if name else None


def _month_year(found: Found) -> Draft:
    spec = Spec(year=int(found["y"]), month=_month(found["m"]))
    return found.draft("DATE", spec, mod=early_mod(found["mod"]))


def _month_alone(found: Found) -> Draft | None:
    """A month without a day; "May" the name and "may" the verb are none."""
    token = found.token_of("m")
    tag, direction = found.line.tag(token), found["dir"]
    if not _capital(found, "m"):
        return None
    if found.line.name_type(token) == "PERSON" or (tag and not tag.startswith("NN")):
        return None
    if found.line.lemma(token + 1) in CLAIM_VERBS:
        return None  # "May said"
    following = found.line.words[token + 1 : token + 2]
    prefixed = direction or found["mod"] or found.before() in _MONTH_BEFORE
    if found["m"] in MONTHS_AS_WORDS:
        if not prefixed and (found.before() or not tag):
            return None
        if found["m"] in ("may", "march") and not (prefixed or tag == "NNP"):
            return None
        if following and following[0][:1].isupper() and found.line.tag(token + 1) == "NNP":
            return None  # "April Jones", "the June Carter story"
    if found.before() == "," and not tag:
        return None
    spec = Spec(month=_month(found["m"]), direction=direction)
    return found.draft("DATE", spec, mod=early_mod(found["mod"]))


def _holiday(found: Found) -> Draft | None:
    name = found["h"].replace(" 's", "'s").replace(" - ", "-")
    token = found.token_of("h")
    if not found.line.words[token][:1].isupper():
        return None
    alone = name.startswith("saint") or " " not in name
    if alone and found.line.name_type(token) in ("PERSON", "LOC", "FAC", "ORG", "GPE"):
        return None
    if found.last < len(found.line.words) and found.line.tag(found.last) == "NNP":
        return None  # "the Saint Lawrence River", "Easter Island"
    year = int(found["y"]) if found["y"].isdigit() else None
    part = PART_CODES.get(found["part"], "")
    spec = Spec(holiday=name, year=year, part=part, direction=found["dir"])
    return found.draft("TIME" if part else "DATE", spec)


def _iso(found: Found) -> Draft | None:
    if not found.line.glued(found.first, found.last - 1):
        return None
    year, month, number = int(found["y"]), int(found["m"]), int(found["d"])
    if (
        not (1 <= month <= 12 and number >= 1 and _valid(year, month, number))
        or not 1 <= year < 9999
    ):
        return found.draft(NOT_A_TIME, Spec())
    value = f"{year:04d}-{month:02d}-{number:02d}"
    if found["H"]:
        return found.draft("TIME", Spec(value=f"{value}T{found['H']}:{found['M']}"))
    return found.draft("DATE", Spec(value=value))


def _slashed(found: Found) -> Draft | None:
    """ "4/9/2007": month first or day first, by what is possible; else by the document's date."""
    if not found.line.glued(found.first, found.last - 1):
        return None
    if (
        found.first
        and found.line.glued(found.first - 1, found.first)
        and found.before() in "./-:$£€"
    ):
        return None
    one, two, written = int(found["a"]), int(found["b"]), found["y"]
    year = int(written) if len(written) == 4 else 2000 + int(written)
    if len(written) == 2 and (found["sep"] != "/" or year > 2050):
        return None
    if not 1000 <= year <= 2199:
        return None
    month_first = 1 <= one <= 12 and 1 <= two <= 31 and _valid(year, one, two)
    day_first = 1 <= two <= 12 and 1 <= one <= 31 and _valid(year, two, one)
    if not (month_first or day_first):
        return found.draft(NOT_A_TIME, Spec())
    month, number = (one, two) if month_first else (two, one)
    draft = found.draft("DATE", Spec(year=year, month=month, day=number))
    if month_first and day_first and one != two:
        draft.marks = frozenset(("day or month first",))
    return draft


def _day_alone(found: Found) -> Draft | None:
    """ "on the 15th", where no noun follows."""
    number = day(found["d"])
    if number is None or (
        found.line.tag(found.last).startswith(("N", "J", "V"))
        and found.line.tag(found.last) not in ("VBD", "VBZ", "VBP")
    ):
        return None
    if not found.line.tag(found.last) and found.after().isalpha() and found.after() not in _CLOSED:
        return None
    return found.draft("DATE", Spec(day=number, weekday=_weekday(found)))


_CLOSED = frozenset(
    "a an the this that my our his her their i we he she it they there and but or in at by for "
    "from to with when while until as after before was were is had came about shortly".split()
)
_WD = rf"(?:(?P<wd>{WEEKDAY})(?: ,)? (?:the )?)?"
_NO_CLOCK = r"(?! [:.] \d| [ap] ?\.? ?m\b)"
RULES = (
    Rule.of(
        "day month",
        rf"{_WD}(?:(?P<other>{DAY}) (?:-|to|and|or|/) )?(?P<d>{DAY})(?: day)?(?:"
        rf" of)? (?P<m>{MONTH})"
        rf"(?:(?: ,| of| -)? (?P<y>{YEAR}))?",
        _day_month,
    ),
    Rule.of(
        "month day",
        rf"{_WD}(?P<m>{MONTH}) (?:the )?(?P<d>{DAY}){_NO_CLOCK}"
        rf"(?:(?: -| to| and) (?P<other>{DAY}){_NO_CLOCK})?(?:(?: ,| of)? (?P<y>{YEAR}))?",
        _day_month,
    ),
    Rule.of(
        "month year",
        rf"(?:(?P<mod>{EARLY}) )?(?P<m>{MONTH})(?: of| ,| ' s)? (?P<y>{YEAR})",
        _month_year,
    ),
    Rule.of(
        "month",
        rf"(?:(?P<mod>{EARLY}) )?(?:(?P<dir>last|next|this|that) )?(?P<m>{MONTH_NAME})",
        _month_alone,
    ),
    Rule.of(
        "feast",
        rf"(?:(?P<dir>last|next|this) )?(?P<h>{_HOLIDAY})(?: (?P<part>morning|afternoon"
        r"|evening|night))?"
        rf"(?:(?: of| ,)? (?P<y>{YEAR}|last year|this year))?",
        _holiday,
    ),
    Rule.of(
        "ISO date",
        r"(?P<y>\d{4}) - (?P<m>\d\d) - (?P<d>\d\d)(?: t (?P<H>\d\d) : (?P<M>\d\d)"
        r"(?: : \d\d)?(?: z)?)?",
        _iso,
    ),
    Rule.of(
        "figures",
        r"(?P<a>\d{1,2}) (?P<sep>[/.-]) (?P<b>\d{1,2}) (?P=sep) (?P<y>\d{4}|\d\d)",
        _slashed,
    ),
    Rule.of(
        "day of the month",
        rf"(?:(?P<wd>{WEEKDAY})(?: ,)? |(?<=\bon )|(?<=\buntil )|(?<=\btill )|(?<=\bsince )"
        rf"|(?<=\bfrom )|(?<=\bbefore )|(?<=\bafter )|(?<=\bby ))"
        rf"the (?P<d>{DAY})(?: of the month)?",
        _day_alone,
    ),
)
