"""Documents to shuffled texts as a step of ``fabula.scale``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.ordering import build
from fabula.scale.worker import Step, Tally, timed
from fabula.types import Document

__all__ = ["TEXTS", "DocumentTexts", "texts"]

TEXTS = "fabula.ordering.steps:texts"


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """The texts of one document as rows, with its id and date, by which it is split."""

    id: str
    date: str | None
    texts: Sequence[Mapping[str, Any]]


def texts(
    *,
    level: str = "sentence",
    window: tuple[int, int] | None = None,
    openings: bool = False,
    seed: int = 0,
) -> Step:
    """A step from documents to the texts of each; the shuffle is seeded by the document's id."""
    how: dict[str, Any] = {"level": level, "openings": openings, "seed": seed}
    how["window"] = None if window is None else tuple(window)

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        for row in rows:
            document, counted = Document.from_row(row), build.Tally()
            with timed(tally, "shuffle"):
                made = [t.to_row() for t in build.build_texts([document], **how, tally=counted)]
            tally.add("single", counted.single)
            tally.add("joined", counted.joined)
            yield {"id": document.id, "date": document.date, "texts": made}

    return step
