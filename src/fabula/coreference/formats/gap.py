"""GAP (Webster et al. 2018): a TSV of texts with a pronoun, two names, and which it means."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike

from fabula.coreference.items import Passage, Question, Span
from fabula.errors import InputError
from fabula.text.io.streams import iter_lines

__all__ = ["read_gap"]

_NEEDED = ("ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "B", "B-offset")
_GOLD = ("A-coref", "B-coref")
_TRUTH = {"true": True, "false": False}


def read_gap(path: str | PathLike[str]) -> Iterator[Passage]:
    """Stream the passages of a GAP file.

    The URL column, which names the page's topic and so nearly the answer, is never read. Without
    the answer columns the passages are blind.
    """
    header: list[str] | None = None
    for number, line in iter_lines(path):
        cells = line.rstrip("\r\n").split("\t")
        if header is None:
            header = cells
            missing = [name for name in _NEEDED if name not in header]
            if missing:
                raise InputError(f"the column {missing[0]!r} is missing", path=path, line=number)
            continue
        if not line.strip():
            continue
        if len(cells) != len(header):
            raise InputError(
                f"has {len(cells)} columns, the header {len(header)}", path=path, line=number
            )
        row = dict(zip(header, cells, strict=True))
        try:
            yield _passage(row)
        except ValueError as error:
            raise InputError(str(error), path=path, line=number) from error


def _passage(row: dict[str, str]) -> Passage:
    text = row["Text"]
    pronoun, *names = (_span(row, name) for name in ("Pronoun", "A", "B"))
    gold = None
    if all(name in row for name in _GOLD):
        values = [row[name].strip().lower() for name in _GOLD]
        if not all(value in _TRUTH for value in values):
            raise ValueError(f"A-coref and B-coref must be TRUE or FALSE; they are {values}")
        gold = tuple(_TRUTH[value] for value in values)
    return Passage(row["ID"], text, question=Question(pronoun, tuple(names), gold))


def _span(row: dict[str, str], name: str) -> Span:
    text, words, place = row["Text"], row[name], row[f"{name}-offset"]
    try:
        start = int(place)
    except ValueError:
        raise ValueError(f"{name}-offset must be a number; it is {place!r}") from None
    if not words or text[start : start + len(words)] != words:
        raise ValueError(f"{name} {words!r} does not stand at character {start} of the text")
    return start, start + len(words)
