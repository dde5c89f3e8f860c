"""PDF: the text of the pages, as far as the file holds text. Needs the ``office`` extra.

The "line" of a paragraph is the number of its page.
"""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fabula.errors import InputError, MissingPart
from fabula.text.io.documents import Options, one_document
from fabula.text.io.readers.office.pdf_layout import PlacedLine, paragraphs_of_pages
from fabula.text.io.readers.office.xml import office_document
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Document

__all__ = ["read"]

_log = logging.getLogger(__name__)


@one_document
def read(path: str, options: Options) -> Document:
    """Paragraphs by layout, running heads and page numbers aside; a scan has no text to give."""
    try:
        import pypdf
    except ImportError as error:
        raise MissingPart("the PDF reader", 'pip install "fabula[office]"') from error
    data = read_bytes(path)
    with foreign(path, "PDF"), _quiet():
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("the PDF is encrypted; store it without a password", path=path)
        pages = [_lines(page) for page in reader.pages]
        metadata = reader.metadata
        title = " ".join(str((metadata.title if metadata else None) or "").split())
        author = " ".join(str((metadata.author if metadata else None) or "").split())
        date = _created(metadata)
    paragraphs, asides = paragraphs_of_pages(pages)
    if not paragraphs:
        raise InputError("the PDF holds no text; is it a scan? Run OCR first", path=path)
    return office_document(
        path,
        options,
        [(page, text) for page, text in paragraphs if text != title or len(paragraphs) == 1],
        asides,
        title=title or None,
        author=author,
        created=date,
        pages=len(pages),
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Damage that pypdf can repair is no news."""
    log = logging.getLogger("pypdf")
    before = log.level
    log.setLevel(logging.CRITICAL + 1)  # its modules log under it, and take its level
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(before)


def _lines(page: Any) -> list[PlacedLine]:
    """The lines of a page in the order in which they were written."""
    lines: list[PlacedLine] = []
    parts: list[str] = []
    place = (0.0, 0.0)

    def end() -> None:
        text = " ".join("".join(parts).split())
        if text:
            lines.append(PlacedLine(text, *place))
        parts.clear()

    def visit(text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        nonlocal place
        if not text:
            return
        x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
        y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
        if parts and (abs(y - place[1]) > 2 or x < place[0] - 1):
            end()
        for number, row in enumerate(text.split("\n")):
            if number:
                end()
            if row.strip() and not "".join(parts).strip():
                place = (x, y)
            parts.append(row)

    page.extract_text(visitor_text=visit)
    end()
    return lines


def _created(metadata: Any) -> str | None:
    try:
        created = metadata.creation_date if metadata else None
    except ValueError as error:
        _log.info("the day a PDF was made cannot be read: %s", error)
        return None
    return created.date().isoformat() if created else None
