"""What an assembly holds besides its stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabula.assembly.account.timeline import TimelineEntry
from fabula.assembly.query import QueryAnswer
from fabula.types import Narrative

__all__ = ["Assembly", "Change", "Contradiction", "Gap", "Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction: what the sentence at ``position`` of ``story`` says."""

    story: int
    position: int
    value: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences that cannot both be right, or (``weight`` below 1) likely cannot: ``weight``
    is then the chance that it is so, else it grows with how surely they speak of one thing."""

    kind: str  # number, date, time, place, outcome
    about: str
    sides: tuple[Side, Side]
    weight: float


@dataclass(frozen=True, slots=True)
class Gap:
    """A guess: ``event`` usually stands between the sentences at two positions of a story."""

    story: int
    after: int
    before: int
    actor: str
    event: str
    score: float


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence that is new (``was`` is None), gone (``now`` is None) or in another story."""

    text: str
    was: int | None
    now: int | None


@dataclass(frozen=True, slots=True)
class Assembly:
    """The stories found, and what should be known about them.

    ``changes`` is None when there was nothing before. ``base`` says which sentence ids were in
    which story before any correction: what a corrections file keeps as its ``stories``.
    """

    stories: tuple[Narrative, ...]
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    gaps: tuple[Gap, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    changes: tuple[Change, ...] | None = None
    found: QueryAnswer | None = None
    base: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
