"""CoNLL-2012: a token a line, entities as brackets in the last column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike

from fabula.coreference.items import Passage, Span
from fabula.errors import InputError
from fabula.text.io.streams import iter_lines

__all__ = ["read_conll"]

_BEGIN = re.compile(r"#begin document \(?(.*?)\)?(?:;\s*part\s*(\d+))?\s*$")
_WORD_COLUMN = 3


@dataclass(slots=True)
class _Document:
    """A document while its lines are read."""

    id: str
    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    entities: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    opened: dict[str, list[int]] = field(default_factory=dict)
    fresh: bool = True  # the next token begins a sentence

    def passage(self) -> Passage:
        tokens: list[Span] = []
        at = 0
        for word in self.words:
            tokens.append((at, at + len(word)))
            at += len(word) + 1
        clusters = tuple(
            tuple((tokens[first][0], tokens[last][1]) for first, last in sorted(spans))
            for spans in self.entities.values()
        )
        text = " ".join(self.words)
        return Passage(self.id, text, tuple(tokens), tuple(self.starts), clusters=clusters)


def read_conll(path: str | PathLike[str]) -> Iterator[Passage]:
    """Stream the documents of a CoNLL file; the text is the words with a space between them."""
    document: _Document | None = None
    number = 0
    for number, raw in iter_lines(path):
        line = raw.rstrip("\r\n")
        if line.startswith("#begin"):
            found = _BEGIN.match(line)
            name, part = found.groups() if found else (line, None)
            document = _Document(f"{name}/{part}" if part and part.strip("0") else name)
        elif line.startswith("#end"):
            if document is None:
                raise InputError("a document ends that never began", path=path, line=number)
            yield _finished(document, path, number)
            document = None
        elif line.startswith("#"):
            continue
        elif not line.strip():
            if document is not None:
                document.fresh = True
        elif document is None:
            raise InputError("a token stands before '#begin document'", path=path, line=number)
        else:
            try:
                _add_token(document, line)
            except ValueError as error:
                raise InputError(str(error), path=path, line=number) from error
    if document is not None:
        yield _finished(document, path, number)


def _finished(document: _Document, path: str | PathLike[str], line: int) -> Passage:
    still_open = [name for name, starts in document.opened.items() if starts]
    if still_open:
        raise InputError(
            f"{document.id}: the entity {still_open[0]} is opened and never closed",
            path=path,
            line=line,
        )
    return document.passage()


def _add_token(document: _Document, line: str) -> None:
    columns = line.split("\t") if "\t" in line else line.split()
    if len(columns) <= _WORD_COLUMN + 1:
        raise ValueError(f"a token line has {len(columns)} columns; CoNLL has at least 5")
    token = len(document.words)
    if document.fresh:
        document.starts.append(token)
        document.fresh = False
    document.words.append(columns[_WORD_COLUMN])
    for mark in columns[-1].strip().split("|"):
        name = mark.strip("()")
        if not name or name in ("_", "-", "*"):
            continue
        if mark.startswith("("):
            document.opened.setdefault(name, []).append(token)
        if mark.endswith(")"):
            if not document.opened.get(name):
                raise ValueError(f"the entity {name} is closed and was never opened")
            first = document.opened[name].pop()
            document.entities.setdefault(name, []).append((first, token))
