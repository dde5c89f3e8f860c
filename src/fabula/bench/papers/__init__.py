"""Papers, one a file: their tables as runs, their numbers beside ours.

A paper is a module with a ``PAPER`` (``shape``); its name stands in ``runner.papers``, or comes
from an entry point of the group ``fabula.papers``.
"""

from __future__ import annotations

from fabula.bench.papers.runner import Reproduced, papers, reproduce
from fabula.bench.papers.shape import Need, Paper, Row, Setting, Table, TableResult

__all__ = [
    "Need",
    "Paper",
    "Reproduced",
    "Row",
    "Setting",
    "Table",
    "TableResult",
    "papers",
    "reproduce",
]
