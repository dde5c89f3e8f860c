"""Values of an assembly: contradictions, changes, and the assembly itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.answer import Answer
from fabula.assembly.account.timeline import TimelineEntry, Undated
from fabula.assembly.query import QueryAnswer
from fabula.types import Aside, Narrative

__all__ = ["Assembly", "Change", "Contradiction", "Side"]

_RENDER = "fabula.assembly.render"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a contradiction: what the sentence at ``position`` of ``story`` says, by whom,
    and the date of publication of its document (ISO), where known."""

    story: int
    position: int
    value: str
    speaker: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two sentences that cannot both be true; ``weight`` is the probability of that.
    ``accepted``: the user said so."""

    kind: str  # number, date, time, place, outcome
    about: str
    sides: tuple[Side, Side]
    weight: float
    relation: str = "conflict"  # conflict, update, scope, attributed
    accepted: bool = False

    @property
    def probability(self) -> float:
        """That both cannot be true."""
        return self.weight

    @property
    def heading(self) -> str:
        """What it is about, what kind of difference it is and how likely, for a person."""
        sure = "accepted" if self.accepted else f"{self.weight:.0%}"
        return f"{self.kind}: {self.about} ({self.relation}, {sure})"


@dataclass(frozen=True, slots=True)
class Change:
    """A sentence that is new (``was`` is None), gone (``now`` is None) or in another story."""

    text: str
    was: int | None
    now: int | None


@dataclass(frozen=True, slots=True)
class Assembly(Answer):
    """The stories recovered from a pile, with contradictions, timeline and notes.

    ``changes`` is None without an earlier answer, ``found`` None without a query. ``base``: the
    sentence ids of each story before any correction, the ``stories`` of a corrections file.
    ``numbers``: numbers of stories with probabilities, likeliest first, where it was to be found.
    ``aside``: text of the files that is no part of the telling, with the file's name.
    ``undated``: documents and sentences that are not on the timeline.
    """

    stories: tuple[Narrative, ...]
    notes: tuple[str, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    timeline: tuple[TimelineEntry, ...] = ()
    changes: tuple[Change, ...] | None = None
    found: QueryAnswer | None = None
    base: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    numbers: tuple[tuple[int, float], ...] = ()
    aside: tuple[tuple[str, Aside], ...] = ()
    undated: Undated = field(default_factory=Undated)

    # The renderers are above the types, so they are named and not imported.
    def to_dict(self) -> dict[str, Any]:
        """The assembly as JSON of docs/assemble.schema.json."""
        data: dict[str, Any] = import_module(f"{_RENDER}.formats").to_json(self)
        return data

    def save(self, path: str | PathLike[str]) -> Path:
        """Write a file in the format of its suffix, as ``fabula assemble -o`` does."""
        written: Path = import_module(f"{_RENDER}.files").write_assembly(self, path)
        return written

    def _rows(self) -> Iterable[Mapping[str, Any]]:
        rows: Iterable[Mapping[str, Any]] = import_module(f"{_RENDER}.notebook").rows(self)
        return rows

    def _repr_html_(self) -> str:
        return str(import_module(f"{_RENDER}.notebook").to_notebook(self))
