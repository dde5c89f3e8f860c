"""Web pages: their text without navigation, banners and notices, which are set aside.

The headline is the title; date, author, site and address come from the page's metadata. Lines are
those of the HTML source on which a paragraph begins.
"""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from fabula.text.io.documents import Options, one_document, with_encoding
from fabula.text.io.encodings import AUTO, decode_auto
from fabula.text.io.opening import read_opening
from fabula.text.io.readers.html.blocks import Block, blocks_of, parse
from fabula.text.io.readers.html.boilerplate import kinds_of, mark
from fabula.text.io.readers.html.metadata import page_metadata
from fabula.text.io.streams import decode, foreign, read_bytes
from fabula.types import Aside, Document

__all__ = ["page_parts", "read"]

_log = logging.getLogger(__name__)

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_HEADING = re.compile(r"h[1-6]")
_LIMIT = 16 << 20
_CELL = 80  # characters: longer ones are the columns of a page, not of a table


@one_document
def read(path: str, options: Options) -> Document:
    """A page; a heading that repeats the title is left out."""
    data = read_bytes(path, _LIMIT)
    text, encoding = _decoded(data, path, options.encoding)
    with foreign(path, "HTML"):
        tree = parse(text)
        found = page_metadata(tree)
        title, date = found.pop("title", None), found.pop("date", None)
        blocks = list(blocks_of(tree, text, mark))
        paragraphs, asides = page_parts(blocks, title)
    opening = read_opening(paragraphs, headline=False)
    date_from = "metadata" if date else "dateline" if opening.date else None
    headings = {block.text for block in blocks if _HEADING.fullmatch(block.tag)}
    return Document(
        id=options.name(path),
        paragraphs=tuple(text for _, text in opening.paragraphs),
        title=title,
        date=date or opening.date,
        source=path,
        lines=tuple(line for line, _ in opening.paragraphs),
        extra=with_encoding(
            encoding,
            **{**opening.extra, **found},
            headings=[text for _, text in opening.paragraphs if text in headings],
            date_from=date_from,
        ),
        aside=(*asides, *opening.aside),
    )


def page_parts(
    blocks: Sequence[Block], title: str | None
) -> tuple[list[tuple[int, str]], list[Aside]]:
    """The paragraphs of a page with their lines, and what is set aside."""
    kept = [block for block in blocks if block.text]
    marked = list(zip(kinds_of(kept), kept, strict=True))
    paragraphs: list[tuple[int, str]] = []
    asides: list[Aside] = []
    for kind, group in groupby(marked, key=lambda pair: pair[0]):
        members = [block for _, block in group if block.text != title]
        if not members:
            continue
        if kind:
            text = "\n".join(block.text for block in members)
            asides.append(Aside(kind, text, members[0].line))
        else:
            paragraphs.extend(_paragraphs(members))
    return paragraphs, asides


def _paragraphs(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """A paragraph a block, a row of a table, and a row of text where ``<br>`` ends whole units."""
    for row, cells in groupby(blocks, key=lambda block: block.row):
        members = list(cells)
        if row and len(members) > 1 and all(len(block.text) <= _CELL for block in members):
            yield members[0].line, " | ".join(" ".join(block.text.split()) for block in members)
            continue
        for block in members:
            yield from _rows(block)


def _rows(block: Block) -> Iterator[tuple[int, str]]:
    rows = list(zip(block.lines, block.text.split("\n"), strict=True))
    for filled, group in groupby(rows, key=lambda row: bool(row[1])):
        part = list(group)
        if not filled:
            continue
        if any(text[0].islower() for _, text in part[1:]):
            yield part[0][0], " ".join(text for _, text in part)
        else:
            yield from part


def _decoded(data: bytes, path: str, requested: str) -> tuple[str, str]:
    """The text in the requested encoding, else the one the page declares, else what is detected."""
    if requested == AUTO and (charset := _CHARSET.search(data, 0, 4096)):
        try:
            name = codecs.lookup(charset[1].decode("ascii")).name
            return data.decode(name).removeprefix("\ufeff"), name
        except (LookupError, UnicodeError) as error:
            _log.info("%s: not of the encoding it declares (%s); it is guessed", path, error)
    if requested == AUTO:
        text, requested = decode_auto(data, path)
        return text.removeprefix("\ufeff"), requested
    return decode(data, path, 1, requested), requested
