"""Mails that are only known because others quote them: documents in, the same and those out.

Whoever saved the last mail of a thread holds the whole thread, as quotes. A quoted mail that is not
itself among the documents is told as one, with who wrote it and when as the quote says.
"""

from __future__ import annotations

import logging
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

from fabula.text.io.readers.mail.message import quoted_documents
from fabula.types import Document

__all__ = ["with_quoted"]

_log = logging.getLogger("fabula.text.io")
_WORD = re.compile(r"\w+")
_SIZE = 5  # words in a shingle
_KEPT = 4  # one of so many shingles is remembered
_KNOWN = 0.5  # of a quote's shingles: it is the quote of a document that is here
_MOST = 20_000  # mails; in more, quotes stay aside
_DEEPEST = 40


def with_quoted(documents: Iterable[Document]) -> Iterator[Document]:
    """The documents as they come, then the mails that only quotes tell of, the outermost first."""
    seen: set[int] = set()
    quoting: list[Document] = []
    mails = 0
    for document in documents:
        if "thread" in document.extra or "forwarded_by" in document.extra:
            mails += 1
            if mails <= _MOST:
                seen.update(_shingles(document.text))
                if document.extra.get("quotes"):
                    quoting.append(_lean(document))
        yield document
    if mails > _MOST:
        _log.info("%d mails: quoted mails are set aside, whether known or not", mails)
        return
    for document in quoting:
        yield from _missing(document, seen, 0)


def _lean(document: Document) -> Document:
    """A document without what is not needed to find its quotes."""
    quotes = tuple(part for part in document.aside if part.kind == "quote")
    return replace(document, paragraphs=(), lines=(), aside=quotes)


def _missing(document: Document, seen: set[int], depth: int) -> Iterator[Document]:
    for found in quoted_documents(document):
        shingles = _shingles(found.text)
        known = sum(shingle in seen for shingle in shingles)
        if known <= _KNOWN * len(shingles) or not shingles:
            if shingles or len(found.text.split()) > 2:
                yield found
            seen.update(shingles)
        if depth < _DEEPEST:
            yield from _missing(found, seen, depth + 1)


def _shingles(text: str) -> list[int]:
    """Hashes of runs of words: of a paragraph one in ``_KEPT``, or the lowest if none is kept."""
    kept = []
    for line in re.split(r"\n\s*\n", text.lower()):
        words = _WORD.findall(line)
        runs = [" ".join(words[at : at + _SIZE]) for at in range(max(1, len(words) - _SIZE + 1))]
        hashes = [zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in runs if run]
        kept += [value for value in hashes if value % _KEPT == 0] or sorted(hashes)[:1]
    return kept
