"""Word documents (.docx). Needs the ``office`` extra."""

from __future__ import annotations

import io

from fabula.errors import MissingPart
from fabula.text.io.documents import Options, one_document
from fabula.text.io.limits import open_zip
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Document

__all__ = ["read"]


@one_document
def read(path: str, options: Options) -> Document:
    """The running text; tables, headers and notes are left out."""
    try:
        import docx
    except ImportError as error:
        raise MissingPart("the Word reader", 'pip install "fabula[office]"') from error
    data = read_bytes(path)
    with foreign(path, "a Word document"):
        with open_zip(data, path):
            pass
        document = docx.Document(io.BytesIO(data))
        styled = [(paragraph.style, paragraph.text.strip()) for paragraph in document.paragraphs]
        title = document.core_properties.title or ""
    for style, text in styled:
        if not title and style is not None and style.name == "Title":
            title = text
    return Document(
        id=options.name(path),
        paragraphs=tuple(text for _, text in styled if text and text != title),
        title=title or None,
        source=path,
    )
