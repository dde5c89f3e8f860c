"""Papers, one a file: their tables as runs, their numbers beside ours.

A paper is a module with a ``PAPER``. Add its name here and it is known to ``fabula reproduce``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.errors import UnknownName, UsageError
from fabula.registry import Registry

__all__ = ["Paper", "Table", "papers", "reproduce"]

papers = Registry(
    "paper", {"event-cloze": "fabula.bench.papers.event_cloze:PAPER"}, "fabula.papers"
)


@dataclass(frozen=True, slots=True)
class Table:
    """One table or figure: rows of cells, with what a reader must know to compare them.

    ``figure`` is an SVG where the paper has a figure.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    figure: str | None = None


@dataclass(frozen=True, slots=True)
class Paper:
    """``tables`` maps a table's name to what makes it from the state ``prepare`` gives."""

    title: str
    prepare: Callable[[Sequence[str], bool, int], Any]  # corpus, quick, seed
    tables: Mapping[str, Callable[[Any], Table]] = field(default_factory=dict)
    corpus: str = ""  # what kind of corpus it wants


def reproduce(
    name: str, corpus: Sequence[str] = (), *, quick: bool = False, seed: int = 0
) -> dict[str, Table]:
    """The tables of a paper (``event-cloze``), or one of them (``event-cloze.table1``)."""
    which, _, wanted = name.partition(".")
    paper: Paper = papers.get(which)
    if wanted and wanted not in paper.tables:
        raise UnknownName(f"table of {which}", wanted, paper.tables)
    if not corpus:
        raise UsageError(f"{which} needs --corpus: {paper.corpus}")
    state = paper.prepare(corpus, quick, seed)
    chosen = [wanted] if wanted else list(paper.tables)
    return {table: paper.tables[table](state) for table in chosen}
