"""Patterns of times of day: figures, GMT and military times, spoken hours, noon and midnight."""

from __future__ import annotations

from fabula.text.lexicon import alternation
from fabula.text.temporal.grammar.draft import Draft, Found, Rule, Spec
from fabula.text.temporal.grammar.fragments import ABOUT, ABOUT_MODS, HOUR_WORD
from fabula.text.temporal.lexicon import HALF_DAY, HOURS, PAST_OR_TO, ZONES

__all__ = ["RULES"]

_AP = r"(?P<ap>[ap])(?:m| \. m(?: \.)?| m)"
_ZONE_NAME = alternation(zone for zone in ZONES if zone != "z")
_ZONE = rf"(?: (?:\( )?(?P<z>{_ZONE_NAME}|local time)(?: \))?)?"
_BEFORE_HOUR = frozenset(
    "at by until till before after from to around about since between and towards past , for @ "
    "shortly just".split()
)
_NOT_CLOCK = frozenset(
    "$ £ € version v section chapter § no paragraph psalm verse page release level grade".split()
)
_MEASURED = frozenset(
    "% percent per million billion thousand hundred km miles metres meters feet inches kg "
    "litres liters degrees seconds points times mph ft m cm".split()
)
_CLOSED = frozenset(
    "a an the this that my our his her their your its i we he she it they you there and but or in "
    "at by for from to with when while until as after before was were is had came o'clock on sharp "
    "exactly precisely every each all both some no not tonight because since so then".split()
)


def _mod(found: Found) -> str:
    return ABOUT_MODS.get(found["about"], "")


def _zone(found: Found) -> str:
    """The zone's name; of "UTC+3" only that it is local: the offset says that it is not UTC."""
    line, last = found.line, found.last
    offset = found.after() in ("+", "-") and line.word(last + 1).isdigit()
    return "local time" if found["z"] and offset and line.glued(last - 1, last + 1) else found["z"]


def _spec(hour: int, minutes: int, letter: str, zone: str = "", figures: str = "") -> Spec | None:
    """A clock time; am or pm from the letter, or from hours that leave no choice."""
    if hour > 24 or (letter and not 1 <= hour <= 12) or minutes > 59 or (hour == 24 and minutes):
        return None
    half = {"a": "am", "p": "pm"}.get(letter)
    if half is not None:
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif hour > 12 or not hour or figures.startswith("0") or zone:
        half = "pm" if hour >= 12 else "am"
    return Spec(clock=hour * 60 + minutes, half=half, zone=zone if zone in ZONES else "")


def _figures(found: Found) -> Draft | None:
    """ "8:30", "06:00 BST", "6.30am", "6 pm"."""
    line, hour, separator = found.line, found["h"], found["sep"]
    at = found.token_of("h")
    before, after = line.word(found.first - 1), found.after()
    if separator and not line.glued(at, at + 2):
        return None
    letter, zone = found["ap"], _zone(found)
    if before in _NOT_CLOCK or after in _MEASURED:
        return None
    if at and line.glued(at - 1, at) and line.word(at - 1) in ".:/,$£€":
        return None
    if not letter and not zone:
        if (
            after in (":", ".", ",", "/", "-")
            and line.word(found.last + 1).isdigit()
            and line.glued(found.last - 1, found.last + 1)
            and after != "-"
        ):
            return None
        if not separator:
            return None
        if separator == "." and not (
            found["about"] or before in _BEFORE_HOUR - {"and", "to", ",", "for"}
        ):
            return None
        if separator == "." and line.tag(found.last).startswith("NN") and after != "on":
            return None
    spec = _spec(int(hour), int(found["m"] or 0), letter, zone, hour)
    return None if spec is None else found.draft("TIME", spec, mod=_mod(found))


def _am_or_pm_range(found: Found) -> list[Draft] | None:
    """ "from 9 to 11 am": the first hour is of the same half, where it is earlier."""
    one, two = int(found["h1"]), int(found["h"])
    minutes, first_minutes = int(found["m"] or 0), int(found["m1"] or 0)
    letter = found["ap"]
    last = _spec(two, minutes, letter, found["z"])
    first_letter = (
        letter if one % 12 < two % 12 or not 1 <= one <= 12 else ("a" if letter == "p" else "p")
    )
    first = _spec(one, first_minutes, first_letter)
    if first is None or last is None:
        return None
    at = found.token_of("h1")
    end = at + (3 if found["m1"] else 1)
    return [Draft(at, end, "TIME", first), Draft(found.token_of("h"), found.last, "TIME", last)]


def _military(found: Found) -> Draft | None:
    figures = found["hm"]
    zone = _zone(found)
    if zone == "h" and not found.line.glued(found.last - 2, found.last - 1):
        return None
    if not zone and not figures.startswith("0"):
        return None
    if not zone and found.before() not in _BEFORE_HOUR:
        return None
    at = found.token_of("hm")
    if at and found.line.glued(at - 1, at) and found.line.word(at - 1) not in ("(", '"'):
        return None
    spec = _spec(int(figures[:2]), int(figures[2:]), "", zone, figures)
    return None if spec is None else found.draft("TIME", spec, mod=_mod(found))


def _hour(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    return {"noon": 12, "midnight": 0}.get(text, HOURS.get(text))


def _spoken(found: Found) -> Draft | None:
    """ "half past two", "ten to three", "twenty minutes past noon"."""
    hour = _hour(found["h"])
    told = found["p"].replace(" - ", "-")
    step = PAST_OR_TO.get(told) or (int(told) if told.isdigit() else None)
    if hour is None or step is None or not 0 <= hour <= 12 or step > 59:
        return None
    sure = found["minutes"] or found["p"].endswith(("quarter", "half")) or found["dir"] == "past"
    timed = found["about"] or found.before() in _BEFORE_HOUR - {
        "from",
        "between",
        "and",
        "to",
        ",",
        "for",
    }
    if not sure and (not timed or _noun_follows(found)):
        return None
    if sure and found["dir"] == "to" and _noun_follows(found):
        return None
    minutes = hour % 12 * 60 + (step if found["dir"] == "past" else -step)
    half = {"noon": "pm", "midnight": "am"}.get(found["h"])
    minutes %= HALF_DAY
    if half == "pm" and found["dir"] == "past":
        minutes += HALF_DAY
    return found.draft("TIME", Spec(clock=minutes, half=half), mod=_mod(found))


def _half_hour(found: Found) -> Draft:
    return found.draft("TIME", Spec(clock=HOURS[found["h"]] % 12 * 60 + 30))


def _oclock(found: Found) -> Draft | None:
    hour = _hour(found["h"])
    if hour is None or not 1 <= hour <= 12:
        return None
    return found.draft("TIME", Spec(clock=hour % 12 * 60), mod=_mod(found))


def _bare_hour(found: Found) -> Draft | None:
    """ "at nine", "by ten": an hour where no noun follows the number."""
    hour = _hour(found["h"])
    if hour is None or not 1 <= hour <= 12 or _noun_follows(found):
        return None
    after = found.after()
    if (
        found.line.word(found.last) in ("-", "/", "%", ".", ",", ":")
        and found.line.word(found.last + 1).isdigit()
        and found.line.glued(found.last - 1, found.last + 1)
    ):
        return None
    following = found.line.word(found.last + 1)
    if after in ("to", "or", "and") and following[:1].isdigit():
        return None
    if after == "to" and following in HOURS and found.before() == "by":
        return None  # "carried by nine to seven": votes
    if (
        found["h"].isdigit()
        and after
        and after not in ".,;:!?)\"'"
        and after not in _CLOSED
        and not (found.line.tag(found.last).startswith(("V", "RB", "IN", "PRP", "DT", "NNP")))
    ):
        return None
    draft = found.draft("TIME", Spec(clock=hour % 12 * 60), mod=_mod(found))
    draft.first = found.token_of("about") if found["about"] else found.token_of("h")
    draft.marks = frozenset(("bare hour",))
    return draft


def _noun_follows(found: Found) -> bool:
    tag, after = found.line.tag(found.last), found.after()
    if after in _MEASURED:
        return True
    if after in ("-",):
        return found.line.glued(found.last - 1, found.last)
    if after == "of":
        return True
    if tag:
        return tag.startswith(("NN", "JJ", "CD", "$", "POS")) and not (
            tag == "NNP" and found.before() == "at"
        )
    return after.isalpha() and after not in _CLOSED and found.line.words[found.last].islower()


def _fixed(found: Found) -> Draft | None:
    name = found["f"]
    if found.line.word(found.first - 1) == "high" or (
        found.line.words[found.token_of("f")][0].isupper()
        and (found.line.tag(found.token_of("f")) == "NNP")
    ):
        return None  # "High Noon", "Midnight Express"
    clock = 24 * 60 if name == "midnight" else HALF_DAY
    return found.draft("TIME", Spec(clock=clock, half="pm"), mod=_mod(found))


_ABOUT = rf"(?:(?P<about>{ABOUT}) )?"
_H = r"(?P<h>[01]?\d|2[0-4])"
RULES = (
    Rule.of(
        "clock with am or pm",
        rf"{_ABOUT}(?P<h>\d{{1,2}})(?: (?P<sep>[:.]) (?P<m>[0-5]\d)(?: : [0-5]\d)?)?"
        rf" {_AP}{_ZONE}",
        _figures,
    ),
    Rule.of(
        "clock",
        rf"{_ABOUT}{_H} (?P<sep>[:.]) (?P<m>[0-5]\d)(?: : [0-5]\d)?(?P<ap>(?!))?"
        rf"(?: (?:hours|hrs|h))?{_ZONE}",
        _figures,
    ),
    Rule.of(
        "clock range",
        rf"(?P<h1>\d{{1,2}})(?: [:.] (?P<m1>[0-5]\d))? (?:-|to|and|until|till)"
        rf" (?P<h>\d{{1,2}})(?: [:.] (?P<m>[0-5]\d))? {_AP}{_ZONE}",
        _am_or_pm_range,
    ),
    Rule.of(
        "military time",
        rf"{_ABOUT}(?P<hm>(?:[01]\d|2[0-3])[0-5]\d) (?P<z>hours|hrs|h|{_ZONE_NAME})",
        _military,
    ),
    Rule.of("military time", rf"{_ABOUT}(?P<hm>0\d[0-5]\d)(?P<z>(?!))?", _military),
    Rule.of(
        "spoken time",
        rf"{_ABOUT}(?P<p>{alternation(PAST_OR_TO).replace('-', ' - ')}|\d{{1,2}})"
        rf"(?: (?P<minutes>minutes))? (?P<dir>past|to) (?P<h>{HOUR_WORD}|noon|midnight"
        rf"|\d{{1,2}})(?: o'clock)?",
        _spoken,
    ),
    Rule.of("half hour", rf"(?<=\bat )half (?P<h>{HOUR_WORD})", _half_hour),
    Rule.of("o'clock", rf"{_ABOUT}(?P<h>{HOUR_WORD}|\d{{1,2}}) o ?' ?clock", _oclock),
    Rule.of(
        "hour",
        r"(?:(?<=\bat )|(?<=\bby )|(?<=\buntil )|(?<=\btill )|(?<=\bbefore )|(?<=\bafter )"
        r"|(?<=\btowards )|(?<=\bsince )|(?<=\bpast )|(?<=\bfrom ))(?:(?P<about>about"
        rf"|around|exactly|nearly|almost) )?(?P<h>{HOUR_WORD}|\d{{1,2}})",
        _bare_hour,
    ),
    Rule.of("hour", rf"(?P<about>about|around) (?P<h>{HOUR_WORD})", _bare_hour),
    Rule.of(
        "hour",
        rf"(?P<h>{HOUR_WORD}|\d{{1,2}})(?P<about>(?!))?(?= (?:in the (?:morning|afternoon|evening)"
        r"|at night|(?:that|this) (?:morning|night|evening|afternoon)|tonight)(?!\S))",
        _bare_hour,
    ),
    Rule.of("noon or midnight", rf"{_ABOUT}(?P<f>noon|midday|midnight)", _fixed),
)
