"""May two claims be told of one thing? Two claims of a kind in, yes or no out, by their anchors."""

from __future__ import annotations

from fabula.assembly.facts.anchors import Anchor
from fabula.assembly.facts.claims import Claim
from fabula.text.coref.agreement import FEMALE, FEMALE_NAMES, MALE, MALE_NAMES
from fabula.text.lexicon import words
from fabula.text.temporal.calendar_days import CalendarDay
from fabula.text.temporal.lexicon import TIME_UNITS

__all__ = ["PEOPLE", "comparable"]

PEOPLE = words(
    """people person man woman victim passenger resident worker soldier student child officer
    civilian casualty employee member demonstrator protester survivor patient boy girl villager
    migrant guest visitor tourist inhabitant pupil miner sailor skier driver guard prisoner
    refugee fan spectator customer shopper rider player family adult youth teenager firefighter
    rescuer other"""
)
_MEASURES = frozenset(("%", "$", "£", "€", "¥", "year old", *TIME_UNITS))
_DISTANCES = words("mile kilometre kilometer km metre meter foot yard league block")
_OF_A_PART = words(
    """other others another more additional further remaining rest half each every per average
    including among season annual annually"""
)
_MALE = MALE | MALE_NAMES
_OF_ONE_GENDER = _MALE | FEMALE | FEMALE_NAMES


def comparable(first: Claim, second: Claim, is_near: bool) -> bool:
    """Whether both may be told of one thing.

    Times and days: of verbs of one class, or in near sentences. Amounts: of one counted thing, and
    of one fate.
    """
    a, b = first.anchor, second.anchor
    one, other = first.unit, second.unit
    if "year old" in (one, other):
        return one == other and _may_be_one_person(a, b, is_near)
    if first.kind in ("time", "date"):
        if a.steps != b.steps:
            return False  # the first and the last of a sequence
        if a.predicate != b.predicate and a.kinds and b.kinds and not a.kinds & b.kinds:
            return False  # it left at nine and arrived at ten
        if a.arguments and b.arguments and not (a.words & b.words) - set(a.predicate.split()):
            return False  # two shops opened
        if _is_bare_year(first) or _is_bare_year(second):
            return a.predicate == b.predicate
    if first.kind == "place" and _of_others(a, b):
        return False  # Ann left her coat in the hall, Bob in the kitchen
    if first.kind != "number":
        return is_near or a.predicate == b.predicate or bool(a.kinds & b.kinds)
    if a.fates and b.fates and not a.fates & b.fates:
        return False
    if _OF_A_PART & (a.partial ^ b.partial):
        return False
    if _of_others(a, b):
        return False  # what one team offered is not what another did
    if first.unit in _DISTANCES and a.landmarks and b.landmarks and not a.landmarks & b.landmarks:
        return False  # three miles from one town, seventy-five from another
    if any(claim.bound and claim.anchor.negated for claim in (first, second)):
        return False  # "none for more than eight years"
    if one == other:
        return bool(one) or is_near or a.predicate == b.predicate
    if not one or not other:  # "nine of us"
        return (is_near or bool(a.kinds & b.kinds)) and not {one, other} & _MEASURES
    return one in PEOPLE and other in PEOPLE


def _of_others(a: Anchor, b: Anchor) -> bool:
    """Whether both have named actors, and no name of one stands in the other's clause."""
    return bool(a.actors and b.actors) and not a.actors & b.names and not b.actors & a.names


def _may_be_one_person(a: Anchor, b: Anchor, is_near: bool) -> bool:
    """By a shared name; where one is not named, by gender and fate, in near sentences."""
    if a.names and b.names:
        return bool(a.names & b.names)
    one, other = ({w in _MALE for w in told.words & _OF_ONE_GENDER} for told in (a, b))
    return is_near and bool(a.fates & b.fates) and not (one and other and not one & other)


def _is_bare_year(claim: Claim) -> bool:
    day = claim.value
    return isinstance(day, CalendarDay) and day.month is None and day.weekday is None
