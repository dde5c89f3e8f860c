"""Plain text: a file is one document, its paragraphs are set apart by blank lines."""

from __future__ import annotations

from fabula.text.io.documents import Options, one_document, paragraphs_of, with_encoding
from fabula.text.io.opening import read_opening
from fabula.text.io.readers.letter import without_salutation
from fabula.text.io.streams import read_decoded
from fabula.types import Document

__all__ = ["read"]


@one_document
def read(path: str, options: Options) -> Document:
    """Every paragraph as it stands, with the line it begins on; headline, dateline and
    what opens and closes a letter apart."""
    text, encoding = read_decoded(path, options.encoding)
    opening = read_opening([(before + 1, part) for before, part in paragraphs_of(text)])
    paragraphs, letter = without_salutation(opening.paragraphs)
    date_from = "dateline" if opening.date else None
    return Document(
        id=options.name(path),
        paragraphs=tuple(paragraph for _, paragraph in paragraphs),
        title=None if letter else opening.title,
        date=opening.date,
        source=path,
        lines=tuple(line for line, _ in paragraphs),
        extra=with_encoding(encoding, **opening.extra, date_from=date_from),
        aside=(*opening.aside, *letter),
    )
