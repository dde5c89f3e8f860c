"""Patterns of repeated times ("every day", "annual") and vague ones ("now", "recently")."""

from __future__ import annotations

from fabula.text.temporal.grammar.draft import Build, Draft, Found, Rule, Spec
from fabula.text.temporal.grammar.durations import duration_value
from fabula.text.temporal.grammar.fragments import CARDINAL, PART, UNIT, cardinal
from fabula.text.temporal.lexicon import PART_CODES, UNITS

__all__ = ["RULES"]

_ADJECTIVES = {
    "hourly": "PT1H", "daily": "P1D", "nightly": "P1D", "weekly": "P1W", "monthly": "P1M",
    "quarterly": "P1Q", "annual": "P1Y", "annually": "P1Y", "yearly": "P1Y", "biannual": "P6M",
    "biennial": "P2Y", "fortnightly": "P2W",
}  # fmt: skip
_PRESENT = (
    r"now|right now|currently|at present|presently|at the moment|at this time|nowadays|these days"
    r"|at this point"
)
_PAST = (
    r"recently|more recently|most recently|in the past|in recent (?:days|weeks|months|years)"
    r"|lately|of late"
)
_FUTURE = (
    r"in the future|in the near future|the future|the near future"
    r"|in the coming (?:days|weeks|months|years)"
)


def _every(found: Found) -> Draft:
    if found["part"]:
        value = f"XXXX-XX-XXT{PART_CODES[found['part']]}"
        return found.draft("SET", Spec(value=value), quant="EVERY")
    number = cardinal(found["n"]) if found["n"] else 1.0
    return found.draft(
        "SET", Spec(value=duration_value(number, UNITS[found["unit"]])), quant="EVERY"
    )


def _per(found: Found) -> Draft:
    freq = {"once": "1X", "twice": "2X"}.get(found["n"], "")
    return found.draft("SET", Spec(value=duration_value(1, UNITS[found["unit"]])), freq=freq)


def _adjective(found: Found) -> Draft | None:
    token = found.first
    if found.line.words[token][:1].isupper() and found.line.tag(token) == "NNP" and token:
        return None  # "the Daily News"
    return found.draft("SET", Spec(value=_ADJECTIVES[found["w"]]))


def _vague(value: str) -> Build:
    def build(found: Found) -> Draft | None:
        return found.draft("DATE", Spec(value=value))

    return build


RULES = (
    Rule.of(
        "every",
        rf"(?:every|each) (?:(?P<n>{CARDINAL}|other|few) )?(?:(?P<unit>{UNIT})"
        rf"|(?P<part>{PART}))",
        _every,
    ),
    Rule.of(
        "per",
        rf"(?P<n>once|twice|(?:{CARDINAL}) times) (?:an?|per|every|each) (?P<unit>{UNIT})",
        _per,
    ),
    Rule.of("per", rf"(?P<n>(?!))?per (?P<unit>{UNIT})", _per),
    Rule.of("repeated", rf"(?P<w>{'|'.join(_ADJECTIVES)})", _adjective),
    Rule.of("present", rf"(?:{_PRESENT})", _vague("PRESENT_REF")),
    Rule.of("past", rf"(?:{_PAST})", _vague("PAST_REF")),
    Rule.of("future", rf"(?:{_FUTURE})", _vague("FUTURE_REF")),
)
