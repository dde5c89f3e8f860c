"""Documents to shuffled texts as a step of ``fabula.scale``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fabula.ordering import build
from fabula.scale.worker import Step, Tally, timed
from fabula.types import Document

__all__ = ["TEXTS", "Made", "texts"]

TEXTS = "fabula.ordering.steps:texts"


@dataclass(frozen=True, slots=True)
class Made:
    """A text as a row, with the id and date of its document, by which it is split."""

    id: str
    date: str | None
    row: Mapping[str, Any]

    def to_row(self) -> dict[str, Any]:
        return dict(self.row)


def texts(
    *,
    level: str = "sentence",
    window: tuple[int, int] | None = None,
    openings: bool = False,
    seed: int = 0,
) -> Step:
    """A step from documents to texts; the shuffle is seeded by the document's id."""
    how: dict[str, Any] = {"level": level, "openings": openings, "seed": seed}
    how["window"] = None if window is None else tuple(window)

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        counted = build.Tally()
        for row in rows:
            document = Document.from_row(row)
            with timed(tally, "shuffle"):
                made = list(build.build_texts([document], **how, tally=counted))
            for text in made:
                yield {"id": document.id, "date": document.date, "row": text.to_row()}
        tally.add("single", counted.single)
        tally.add("joined", counted.joined)

    return step
