"""From documents to shuffled texts, with the cleaning of the ordering paper."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.ordering.items import Text
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document

__all__ = ["LEVELS", "Tally", "build_texts", "check_window", "join_lists", "shuffle"]

LEVELS = ("sentence", "paragraph")

# "1.", "(2)", "iv)", "b)", a bullet; but neither "A. Smith" nor "1989. It".
_LIST_ITEM = re.compile(
    r"\s*(?:[•◦▪▫‣⁃●○■□·*+–✓✔➢➤-]\s+|\(?\d{1,2}(?:\.\d{1,2})*[.)]\s+"
    r"|\((?:[A-Za-z]|[ivxIVX]{1,5})\)\s+|(?:[A-Za-z]|[ivxIVX]{2,5})\)\s+|[ivx]{1,5}\.\s+)"
)


@dataclass(slots=True)
class Tally:
    """Counts of the cleaning: texts of one unit left out, list items joined to their paragraph."""

    single: int = 0
    joined: int = 0

    def report(self) -> str:
        said = f"; {self.single} texts of one unit left out" if self.single else ""
        return said + (f"; {self.joined} list items joined" if self.joined else "")


def build_texts(
    documents: Iterable[Document],
    *,
    level: str = "sentence",
    window: tuple[int, int] | None = None,
    openings: bool = False,
    seed: int = 0,
    tally: Tally | None = None,
) -> Iterator[Text]:
    """One text a document, or one for each window of (least, most) consecutive units.

    With ``openings`` only the first window of each document is taken. Bullet points and numbered
    items belong to the paragraph before them. Texts of one unit cannot be ordered and are left out;
    ``tally`` counts both.
    """
    check_window(level, window)
    for document in track(documents, "building texts"):
        units = _units(document, level, tally)
        if len(units) == 1 and tally is not None:
            tally.single += 1
        rng = random.Random(f"{seed} {document.id}")
        pieces = _windows(units, window, rng)
        for part, piece in enumerate(islice(pieces, 1) if openings else pieces):
            if len(piece) > 1:
                name = document.id if window is None else f"{document.id}#{part}"
                yield shuffle(name, piece, rng)


def check_window(level: str, window: tuple[int, int] | None) -> None:
    """Refuse an unknown level or an empty window, before anything is read."""
    if level not in LEVELS:
        raise UsageError(f"level must be one of {', '.join(LEVELS)}; not {level!r}")
    if window is not None and not 2 <= window[0] <= window[1]:
        raise UsageError(f"a window holds 2 units or more, from least to most; not {window}")


def _units(document: Document, level: str, tally: Tally | None) -> list[str]:
    if level == "paragraph":
        joined = join_lists(document.paragraphs)
        if tally is not None:
            tally.joined += len(document.paragraphs) - len(joined)
        return joined
    return [" ".join(sentence.text.split()) for sentence in split_sentences(document)]


def join_lists(paragraphs: Sequence[str]) -> list[str]:
    """Paragraphs with bullet points and numbered items joined to the one before them.

    >>> join_lists(["We ask for:", "1. more light;", "2. less noise.", "That is all."])
    ['We ask for: 1. more light; 2. less noise.', 'That is all.']
    """
    joined: list[str] = []
    for paragraph in paragraphs:
        text = " ".join(paragraph.split())
        if joined and _LIST_ITEM.match(text):
            joined[-1] += f" {text}"
        else:
            joined.append(text)
    return joined


def _windows(
    units: list[str], window: tuple[int, int] | None, rng: random.Random
) -> Iterator[list[str]]:
    if window is None:
        yield units
        return
    at = 0
    while at < len(units):
        size = rng.randint(*window)
        if len(units) - at >= window[0]:
            yield units[at : at + size]
        at += size


def shuffle(name: str, units: list[str], rng: random.Random) -> Text:
    """A text in random order with its gold order."""
    order = list(range(len(units)))
    rng.shuffle(order)
    gold = sorted(range(len(units)), key=order.__getitem__)
    return Text(id=name, units=tuple(units[i] for i in order), gold=tuple(gold))
