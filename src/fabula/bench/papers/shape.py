"""Declare a paper: its corpora, settings, and tables with the published numbers.

A paper's file is a declaration made of these; ``runner`` runs it and ``render`` shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from fabula.bench.papers.work import Work

__all__ = ["Need", "Paper", "Row", "Setting", "Table", "TableResult"]


@dataclass(frozen=True, slots=True)
class Need:
    """A corpus the paper used, passed as ``--corpus ROLE=PATH``.

    ``standin`` names packaged text used instead under ``--quick``; where it is empty, the rows of
    this corpus are left out.
    """

    role: str
    what: str
    standin: str = ""


class Setting(NamedTuple):
    """A number or word the run depends on: the paper's, that of ``--quick``, that of the tests."""

    full: Any
    quick: Any
    tiny: Any
    what: str


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a table: ``labels`` say which, ``why`` names reasons for a difference."""

    labels: tuple[str, ...]
    published: float | str | None
    ours: float | str | None
    low: float | None = None
    high: float | None = None
    why: tuple[str, ...] = ()
    digits: int = 3

    @property
    def difference(self) -> float | None:
        """Ours minus the paper's, if both are numbers."""
        if isinstance(self.published, str | None) or isinstance(self.ours, str | None):
            return None
        return self.ours - self.published

    @property
    def inside(self) -> bool:
        """Whether the published number lies in our interval."""
        if isinstance(self.published, str | None) or self.low is None or self.high is None:
            return False
        return self.low <= self.published <= self.high

    @classmethod
    def of(
        cls,
        labels: tuple[str, ...],
        published: float | str | None,
        metric: Mapping[str, float],
        *,
        scale: float = 1.0,
        why: tuple[str, ...] = (),
        digits: int = 3,
    ) -> Row:
        """A row from ``{"value", "low", "high"}``; ``scale`` 100 turns shares into per cent."""
        value, low, high = (float(metric[part]) * scale for part in ("value", "low", "high"))
        if math.isnan(value):
            return cls(labels, published, None, why=why, digits=digits)
        return cls(labels, published, value, low, high, why, digits)


@dataclass(frozen=True, slots=True)
class TableResult:
    """Measured rows, notes and figures (SVG by name) of one table."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A table or figure of a paper.

    ``columns`` name the labels of its rows. ``readings`` say what the paper leaves open and how
    it is read here. ``run`` is None where it cannot be run by anybody; ``missing`` says why.
    ``base`` are reasons that hold for every row; ``uses`` the settings it depends on, if not all.
    """

    title: str
    columns: tuple[str, ...]
    needs: tuple[str, ...]
    run: Callable[[Work], TableResult] | None
    readings: tuple[str, ...] = ()
    missing: str = ""
    base: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """``reasons`` explain, by name, why our numbers may differ; rows refer to them."""

    title: str
    cite: str
    needs: tuple[Need, ...]
    settings: Mapping[str, Setting]
    tables: Mapping[str, Table]
    reasons: Mapping[str, str] = field(default_factory=dict)
