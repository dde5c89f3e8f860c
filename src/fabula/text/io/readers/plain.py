"""Plain text: a file is one document, its paragraphs are set apart by blank lines."""

from __future__ import annotations

from fabula.text.io.documents import Options, one_document, paragraphs_of, with_encoding
from fabula.text.io.streams import read_decoded
from fabula.types import Document

__all__ = ["read"]


@one_document
def read(path: str, options: Options) -> Document:
    """Every paragraph as it stands, with the line it begins on."""
    text, encoding = read_decoded(path, options.encoding)
    paragraphs = paragraphs_of(text)
    return Document(
        id=options.name(path),
        paragraphs=tuple(paragraph for _, paragraph in paragraphs),
        source=path,
        lines=tuple(before + 1 for before, _ in paragraphs),
        extra=with_encoding(encoding),
    )
