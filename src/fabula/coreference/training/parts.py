"""What the resolver learns from: GAP development and LitBank, parsed, one part in eight kept back.

LitBank books whose place in the file is divisible by five are for reporting, and not read here.
Of the others every eighth book, and of GAP every eighth text, are kept back for calibration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fabula.coreference.formats.read import read_passages
from fabula.coreference.items import Passage
from fabula.coreference.parsing import parse_passages
from fabula.coreference.training.examples import (
    Anaphor,
    cluster_anaphors,
    gap_anaphor,
    learn_genders,
    learn_nouns,
)
from fabula.text.coref.learned.network import Scorer
from fabula.text.parse.parsed import Parsed

__all__ = ["TrainingParts", "label_parts", "read_parts"]

KEPT_BACK = 8


@dataclass(slots=True)
class TrainingParts:
    """Parses, genders of first names, kinds of nouns, and the labelled anaphors of every text."""

    gap: list[Passage]
    gap_parses: list[Parsed]
    books: list[Passage]
    book_parses: list[Parsed]
    genders: dict[str, float]
    nouns: dict[str, float]
    gap_anaphors: list[Anaphor | None]
    book_anaphors: list[list[Anaphor]]

    def gap_texts(self, *, kept: bool) -> list[tuple[Parsed, list[Anaphor]]]:
        """Each text with its anaphor; a text in eight is kept back."""
        known = [
            (parsed, [anaphor])
            for parsed, anaphor in zip(self.gap_parses, self.gap_anaphors, strict=True)
            if anaphor is not None
        ]
        return [text for i, text in enumerate(known) if (i % KEPT_BACK == 0) == kept]

    def book_texts(self, *, kept: bool) -> list[tuple[Parsed, list[Anaphor]]]:
        known = zip(self.book_parses, self.book_anaphors, strict=True)
        return [text for i, text in enumerate(known) if (i % KEPT_BACK == 0) == kept]

    def link(self, scorers: Sequence[Scorer]) -> None:
        """Link the earlier pronouns of GAP anew: text i by the scorer i modulo their number."""
        self.gap_anaphors = [
            gap_anaphor(passage, parsed, self.genders, scorers[i % len(scorers)])
            for i, (passage, parsed) in enumerate(zip(self.gap, self.gap_parses, strict=True))
        ]


def read_parts(data: Path) -> TrainingParts:
    """Read and parse the files in the folder ``data``; earlier pronouns are linked by salience."""
    gap = list(read_passages(data / "gap-development.tsv.xz"))
    books = [
        book
        for place, book in enumerate(read_passages(data / "litbank_coref.conll.xz"))
        if place % 5
    ]
    return label_parts(gap, parse_passages(gap), books, parse_passages(books))


def label_parts(
    gap: list[Passage], gap_parses: list[Parsed], books: list[Passage], book_parses: list[Parsed]
) -> TrainingParts:
    """The anaphors of parsed passages and books."""
    genders = learn_genders(gap, list(zip(books, book_parses, strict=True)))
    return TrainingParts(
        gap,
        gap_parses,
        books,
        book_parses,
        genders,
        learn_nouns(list(zip(books, book_parses, strict=True))),
        [gap_anaphor(p, q, genders) for p, q in zip(gap, gap_parses, strict=True)],
        [list(cluster_anaphors(p, q, genders)) for p, q in zip(books, book_parses, strict=True)],
    )
