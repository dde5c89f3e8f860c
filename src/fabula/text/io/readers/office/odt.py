"""OpenDocument texts (.odt): paragraphs, headings, list items and rows of tables in order.

Headers, footers, notes and comments are set aside. The "line" of a paragraph is its number, a row
of a table counting as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from fabula.text.io.documents import Options, one_document
from fabula.text.io.limits import open_zip
from fabula.text.io.readers.office.xml import (
    day_of,
    local,
    office_document,
    parse_member,
    rows_of,
    text_of,
)
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Aside, Document

__all__ = ["read"]

_NOTES = ("note", "annotation")
_UNREAD = (*_NOTES, "tracked-changes", "forms", "sequence-decls", "note-citation", "index-title")
_DEEPEST = 60
_HEADING = "heading"  # of what style ever


@one_document
def read(path: str, options: Options) -> Document:
    """The running text; date and title from the metadata."""
    data = read_bytes(path)
    with foreign(path, "an OpenDocument text"), open_zip(data, path) as archive:
        content = parse_member(archive, "content.xml")
        if content is None:
            raise ValueError("there is no content.xml")
        meta = parse_member(archive, "meta.xml")
        styles = parse_member(archive, "styles.xml")
        body = next((e for e in content.iter() if local(e) == "body"), content)
        found = list(_content(body))
        notes = [note for note in body.iter() if local(note) in _NOTES]
        asides = [Aside("note", text) for note in notes for _, text in _content(note)]
        for element in styles.iter() if styles is not None else ():
            if (kind := local(element)) in ("header", "footer"):
                asides += [Aside(kind, text) for _, text in _content(element)]
    title = text_of(meta, "title")
    date = day_of(text_of(meta, "creation-date") or text_of(meta, "date"))
    paragraphs: list[tuple[int, str]] = []
    headings: list[str] = []
    for number, (style, text) in enumerate(found, 1):
        first = style == _HEADING and not (title or paragraphs)
        if first or (style == "Title" and (not title or title == text)):
            title = " ".join(text.split())
        else:
            rows = list(rows_of(number, text))
            headings += [row for _, row in rows if style == _HEADING]
            paragraphs.extend(rows)
    return office_document(
        path,
        options,
        paragraphs,
        asides,
        title=title,
        author=text_of(meta, "initial-creator"),
        created=date,
        headings=headings,
    )


def _content(element: Element, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Style and text of paragraphs and rows, in order."""
    for child in element:
        name = local(child)
        if name in ("p", "h"):
            style = next((v for k, v in child.attrib.items() if k.endswith("style-name")), "")
            style = _HEADING if name == "h" and style != "Title" else style
            if text := "".join(_runs(child)).strip():
                yield style, text
            yield from _content(child, depth + 1)  # a text box is inside its paragraph
        elif name == "table-row":
            cells = (" ".join(t for _, t in _content(cell, depth + 1)) for cell in child)
            if text := " | ".join(cell for cell in cells if cell):
                yield "", text
        elif name not in _UNREAD and depth < _DEEPEST:
            yield from _content(child, depth + 1)


def _runs(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        name = local(child)
        if name == "line-break":
            yield "\n"
        elif name in ("tab", "s"):
            yield " "
        elif name not in (*_UNREAD, "frame", "custom-shape"):
            yield from _runs(child)
        yield child.tail or ""
