"""Plain text: a file is one document, its paragraphs are set apart by blank lines."""

from __future__ import annotations

from fabula.text.io.documents import Options, one_document, paragraphs_of, with_encoding
from fabula.text.io.opening import read_opening
from fabula.text.io.streams import read_decoded
from fabula.types import Document

__all__ = ["read"]


@one_document
def read(path: str, options: Options) -> Document:
    """Every paragraph as it stands, with the line it begins on; headline and dateline apart."""
    text, encoding = read_decoded(path, options.encoding)
    opening = read_opening([(before + 1, part) for before, part in paragraphs_of(text)])
    date_from = "dateline" if opening.date else None
    return Document(
        id=options.name(path),
        paragraphs=tuple(paragraph for _, paragraph in opening.paragraphs),
        title=opening.title,
        date=opening.date,
        source=path,
        lines=tuple(line for line, _ in opening.paragraphs),
        extra=with_encoding(encoding, **opening.extra, date_from=date_from),
        aside=tuple(opening.aside),
    )
