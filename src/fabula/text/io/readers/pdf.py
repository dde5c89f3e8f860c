"""PDF: the text of the pages, as far as the file holds text. Needs the ``office`` extra."""

from __future__ import annotations

import io
import warnings

from fabula.errors import InputError, MissingPart
from fabula.text.io.documents import Options, one_document, paragraphs_of
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Document

__all__ = ["read"]


@one_document
def read(path: str, options: Options) -> Document:
    """Paragraphs end at blank lines and pages; a scanned page has no text to give."""
    try:
        import pypdf
    except ImportError as error:
        raise MissingPart("the PDF reader", 'pip install "fabula[office]"') from error
    data = read_bytes(path)
    with foreign(path, "PDF"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # damage that can be repaired is no news
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("the PDF is encrypted; store it without a password", path=path)
        pages = [page.extract_text() for page in reader.pages]
        title = reader.metadata.title if reader.metadata else None
    paragraphs = [paragraph for page in pages for _, paragraph in paragraphs_of(page)]
    if not paragraphs:
        raise InputError("the PDF holds no text; is it a scan? Run OCR first", path=path)
    return Document(
        id=options.name(path),
        paragraphs=tuple(paragraphs),
        title=" ".join(str(title or "").split()) or None,
        source=path,
        extra={"pages": len(pages)},
    )
