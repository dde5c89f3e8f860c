"""Documents to chains as a step: what a worker of ``fabula.scale`` does with a batch of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fabula.events.chains import read_events
from fabula.events.rules import Rules
from fabula.types import Document

__all__ = ["CHAINS", "chains"]

CHAINS = "fabula.events.steps:chains"


def chains(
    *, rules: Mapping[str, Any] | None = None, coref: str = "sieve", least: int = 2
) -> Callable[[list[dict[str, Any]]], Iterator[dict[str, Any]]]:
    """A step from documents to their chains."""
    chosen = Rules(**rules) if rules else None

    def step(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        documents = [Document.from_row(row) for row in rows]
        for found in read_events(documents, rules=chosen, coref=coref, least=least):
            for chain in found.chains:
                yield chain.to_row()

    return step
