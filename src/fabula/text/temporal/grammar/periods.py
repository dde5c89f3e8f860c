"""Patterns of periods: years, decades, centuries, eras, quarters, seasons."""

from __future__ import annotations

import re

from fabula.text.lexicon import alternation
from fabula.text.temporal.grammar.draft import Draft, Found, Rule, Spec
from fabula.text.temporal.grammar.fragments import DAY, EARLY, YEAR, early_mod, ordinal
from fabula.text.temporal.grammar.tokens import TokenLine
from fabula.text.temporal.lexicon import SEASONS

__all__ = ["RULES"]

_ERA = r"(?:b ?c(?: e)?|bc|bce|b \. c(?: \. e)?(?: \.)?)"
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "final": 4}
_YEAR_BEFORE = frozenset(
    "in since of by until till from during before after through to for between circa around about "
    "early late mid and or ( , - the this his her its their last next year years season".split()
)
_NUMBERED = frozenset(
    "no number flight route section chapter page highway room model version bus train $ £ € # "
    "article paragraph line channel boeing airbus code phone tel".split()
)
_COUNTED = frozenset(
    "people men women troops soldiers jobs dollars pounds euros miles km kilometers kilometres "
    "feet metres meters tons tonnes percent % acres copies words points votes units houses homes "
    "employees workers children casualties dead wounded prisoners ships guns horses".split()
)
_YEAR_TOKEN = re.compile(rf"{YEAR}$")


def _year(found: Found) -> Draft | list[Draft] | None:
    """A year that stands alone: not a quantity, a number of something, or part of a number."""
    line, token = found.line, found.token_of("y")
    tag, before, after = line.tag(token), found.before(), found.after()
    if (
        before in _NUMBERED
        or after in _COUNTED
        or (after in ("%", "°", ".") and _digit(line, token + 2))
    ):
        return None
    if _joined(found, token):
        return None
    if before.isdigit() or (
        after == "," and line.word(token + 2).isdigit() and line.glued(token, token + 2)
    ):
        return None
    if tag and tag not in ("CD", "NNP", "NN", "JJ", "LS"):
        return None
    year = int(found["y"])
    usual = 1900 <= year <= 2035 or (
        before in ("to", "and", "-") and _YEAR_TOKEN.match(found.before(2))
    )
    if line.tag(found.last) == "NNS" and before not in (
        "in",
        "since",
        "the",
        "its",
        "his",
        "their",
    ):
        return None
    if not usual and before not in _YEAR_BEFORE - {
        "the",
        "for",
        "to",
        "and",
        "or",
        "-",
        "after",
        "about",
    }:
        return None
    if not usual and line.tag(found.last) in ("NNS", "NN", "JJ") and before != "in":
        return None
    first = found.draft("DATE", Spec(value=f"{year:04d}"), mod=early_mod(found["mod"]))
    if not found["to"]:
        return first
    end = found["to"]
    second = int(end) if len(end) == 4 else year // 100 * 100 + int(end)
    if not year < second < year + 200:
        return None if len(end) == 2 and not usual else first
    at = found.token_of("to")
    first.last = token + 1
    return [first, Draft(at, found.last, "DATE", Spec(value=f"{second:04d}"))]


def _digit(line: TokenLine, token: int) -> bool:
    return line.word(token).isdigit()


def _joined(found: Found, token: int) -> bool:
    """Whether a sign ties the number to another, as in a telephone number or a code."""
    line = found.line
    if token > 0 and line.ends[token - 1] == line.starts[token]:
        previous = line.word(token - 1)
        if previous in ("$", "£", "€", "#", "@", "_", "=") or previous.isalpha():
            return True
        if previous in ("-", ".", ",", "/", ":") and token > 1 and line.glued(token - 2, token - 1):
            return line.word(token - 2) not in ("mid", "pre", "post", "early", "late", ")", '"')
    last = found.last - 1
    if last + 1 < len(line.words) and line.ends[last] == line.starts[last + 1]:
        following = line.word(last + 1)
        if following in ("%", "@", "_", "=") or following.isalpha():
            return True
        if following in ("-", "/", ":") and line.word(last + 2).isdigit():
            return line.glued(last + 1, last + 2)
    return False


def _decade(found: Found) -> Draft | None:
    if found["yy"]:
        value = f"19{found['yy'][0]}"
    elif found["name"]:
        names = "twenties thirties forties fifties sixties seventies eighties nineties".split()
        value = f"19{names.index(found['name']) + 2}"
    else:
        value = found["y"][:3]
    return found.draft("DATE", Spec(value=value), mod=early_mod(found["mod"]))


def _century(found: Found) -> Draft | None:
    number = ordinal(found["c"])
    if number is None or not 1 <= number <= 22:
        return None
    value = f"BC{number - 1:02d}" if found["bc"] else f"{number - 1:02d}"
    return found.draft("DATE", Spec(value=value), mod=early_mod(found["mod"]))


def _era(found: Found) -> Draft | None:
    number = int(found["n"])
    if not number:
        return None
    value = f"BC{number:04d}" if found["bc"] else f"{number:04d}"
    return found.draft("DATE", Spec(value=value), mod="")


def _years_bc(found: Found) -> list[Draft] | None:
    """ "between 580 and 265 BC", "378-362 BC": the era is that of both years."""
    first, last = int(found["from"]), int(found["n"])
    if not first > last > 0:
        return None
    one, two = found.token_of("from"), found.token_of("n")
    return [
        Draft(one, one + 1, "DATE", Spec(value=f"BC{first:04d}")),
        Draft(two, found.last, "DATE", Spec(value=f"BC{last:04d}")),
    ]


def _quarter(found: Found) -> Draft | None:
    number = int(found["n"]) if found["n"] else _QUARTERS.get(found["q"])
    letter = "H" if found["w"] == "half" else "Q"
    year, direction = found["y"], found["dir"]
    if letter == "H" and not (year or direction or found["of"]):
        return None
    if "of" in (found.after(), found.match[0].split()[-1]):
        return None  # "the last quarter of a century"
    if found["q"] == "last" or number is None:
        if letter == "H":
            return None
        return found.draft("DATE", Spec(unit="Q", shift=-1))
    if letter == "H" and number > 2:
        return None
    part = f"{letter}{number}"
    if year:
        return found.draft("DATE", Spec(value=f"{year}-{part}"))
    if (
        letter == "Q"
        and not found["of"]
        and found.before() not in ("in", "for", "during", "of", "fiscal")
    ):
        return None
    return found.draft("DATE", Spec(season=part, direction=direction or "this"))


def _season(found: Found) -> Draft | None:
    name, direction, year = found["s"], found["dir"], found["y"]
    token = found.token_of("s")
    tag = found.line.tag(token)
    if tag.startswith(("V", "J")) and not year:
        return None
    article = direction in ("the", "")
    if name in ("fall", "spring") and article and not year:
        if found.before() != "in" or direction != "the" or found.after() == "of":
            return None
    elif (
        article
        and not year
        and found.before() not in ("in", "during", "by", "since", "until", "of", "over")
    ):
        return None
    if name == "fall" and year and article and not (found["of"] or found.before() in ("in", "of")):
        return None
    code = SEASONS[name]
    if year.isdigit():
        return found.draft("DATE", Spec(value=f"{year}-{code}"), mod=early_mod(found["mod"]))
    shift = {"last year": "last", "next year": "next", "this year": "this"}.get(year, "")
    direction = shift or direction.replace("the ", "").replace("the", "")
    return found.draft("DATE", Spec(season=code, direction=direction), mod=early_mod(found["mod"]))


RULES = (
    Rule.of(
        "year",
        rf"(?:(?P<mod>{EARLY}|circa|about|around) )?(?P<y>{YEAR})(?: [-/] (?P<to>\d{{4}}|\d\d))?",
        _year,
    ),
    Rule.of(
        "decade",
        rf"(?:(?P<mod>{EARLY}) )?(?:(?:the )?(?P<y>1\d\d0|20\d0) (?:'s|s|' s)"
        rf"|the (?:early |late |mid - )?(?:' ?)?(?P<yy>[2-9]0) (?:s|'s)|(?:the) "
        r"(?P<name>(?:twen|thir|for|fif|six|seven|eigh|nine)ties))",
        _decade,
    ),
    Rule.of(
        "century",
        rf"(?:(?P<mod>{EARLY}) )?(?:the )?(?P<c>{DAY})(?: -)? (?:century|centuries)"
        rf"(?: (?P<bc>{_ERA}))?",
        _century,
    ),
    Rule.of("era", rf"(?P<n>\d{{1,4}}) (?P<bc>{_ERA})", _era),
    Rule.of(
        "era", rf"(?P<from>\d{{1,4}}) (?:-|to|and|or|until) (?P<n>\d{{1,4}}) {_ERA}", _years_bc
    ),
    Rule.of("era", r"(?:(?:ad|a \. d \.) (?P<n>\d{1,4})(?P<bc>(?!))?)", _era),
    Rule.of("era", r"(?P<n>\d{1,4}) (?:ad|a \. d)(?P<bc>(?!))?", _era),
    Rule.of(
        "quarter",
        rf"(?:(?:the )?(?P<q>first|second|third|fourth|final|last) (?:fiscal |financial )?"
        rf"(?P<w>quarter|half)|q (?P<n>[1-4]))(?: (?P<of>of) (?:(?:the|this) )?"
        r"(?:(?:present|current) )?(?:fiscal |financial )?"
        rf"(?:(?P<dir>last|next)? ?year)?)?(?:(?: of)? ?(?P<y>{YEAR}))?",
        _quarter,
    ),
    Rule.of(
        "season",
        rf"(?:(?P<mod>{EARLY}) )?(?:(?P<dir>last|next|this|that|the following|the previous|the) )?"
        rf"(?P<s>{alternation(SEASONS)})(?:(?: (?P<of>of)| ,)? (?P<y>{YEAR}|last"
        r" year|this year|next year))?",
        _season,
    ),
)
