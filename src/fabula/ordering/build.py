"""From documents to shuffled texts."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import islice

from fabula.errors import UsageError
from fabula.ordering.items import Text
from fabula.progress import track
from fabula.text.sentences import split_sentences
from fabula.types import Document

__all__ = ["LEVELS", "build_texts", "shuffle"]

LEVELS = ("sentence", "paragraph")


def build_texts(
    documents: Iterable[Document],
    *,
    level: str = "sentence",
    window: tuple[int, int] | None = None,
    openings: bool = False,
    seed: int = 0,
) -> Iterator[Text]:
    """One text a document, or one for each window of (least, most) consecutive units.

    With ``openings`` only the first window of each document is taken. Texts of one unit cannot
    be ordered and are left out.
    """
    if level not in LEVELS:
        raise UsageError(f"level must be one of {', '.join(LEVELS)}; not {level!r}")
    if window is not None and not 2 <= window[0] <= window[1]:
        raise UsageError(f"a window holds 2 units or more, from least to most; not {window}")
    for document in track(documents, "building texts"):
        units = _units(document, level)
        rng = random.Random(f"{seed} {document.id}")
        pieces = _windows(units, window, rng)
        for part, piece in enumerate(islice(pieces, 1) if openings else pieces):
            if len(piece) > 1:
                name = document.id if window is None else f"{document.id}#{part}"
                yield shuffle(name, piece, rng)


def _units(document: Document, level: str) -> list[str]:
    if level == "paragraph":
        return [" ".join(paragraph.split()) for paragraph in document.paragraphs]
    return [" ".join(sentence.text.split()) for sentence in split_sentences(document)]


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
