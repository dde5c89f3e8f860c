"""Values of an assembly: contradictions, gaps, changes, and the assembly itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fabula.assembly.account.timeline import TimelineEntry
from fabula.assembly.query import QueryAnswer
from fabula.types import Aside, Narrative

__all__ = ["Assembly", "Change", "Contradiction", "Gap", "Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction: what the sentence at ``position`` of ``story`` says."""

    story: int
    position: int
    value: str
    speaker: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences that cannot both be true. ``weight`` below 1 is the probability of that; from
    1.7 it is the summed IDF of the words that both share. ``accepted``: the user said so."""

    kind: str  # number, date, time, place, outcome
    about: str
    sides: tuple[Side, Side]
    weight: float
    relation: str = "conflict"  # conflict, update, scope, attributed
    accepted: bool = False

    @property
    def probability(self) -> float | None:
        """That both cannot be true; None where words were compared and no chance is known."""
        return self.weight if self.weight < 1 else None


@dataclass(frozen=True, slots=True)
class Gap:
    """A guess: ``event`` usually happens between the sentences at two positions of a story."""

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
    """The stories recovered from a pile, with contradictions, gaps, timeline and notes.

    ``changes`` is None without an earlier answer, ``found`` None without a query. ``base``: the
    sentence ids of each story before any correction, the ``stories`` of a corrections file.
    ``numbers``: numbers of stories with probabilities, likeliest first, where it was to be found.
    ``aside``: text of the files that is no part of the telling, with the file's name.
    """

    stories: tuple[Narrative, ...]
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    gaps: tuple[Gap, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    changes: tuple[Change, ...] | None = None
    found: QueryAnswer | None = None
    base: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    numbers: tuple[tuple[int, float], ...] = ()
    aside: tuple[tuple[str, Aside], ...] = ()
