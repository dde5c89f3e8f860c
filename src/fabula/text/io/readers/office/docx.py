"""Word documents (.docx): paragraphs, list items and rows of tables in the order of the page.

Headers, footers, notes and comments are set aside; what was deleted is not read. The "line" of a
paragraph is its number, a row of a table counting as one.
"""

from __future__ import annotations

import re
import zipfile
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

_UNREAD = ("del", "moveFrom", "Fallback", "instrText", "txbxContent", "pPr", "rPr")
# The author and the minute of python-docx's template, which its documents keep unless told.
_TEMPLATE_AUTHOR = "python-docx"
_TEMPLATE_CREATED = "2013-12-23T23:15:00Z"
_DEEPEST = 40


@one_document
def read(path: str, options: Options) -> Document:
    """The running text with tables row by row; date and title from the core properties."""
    data = read_bytes(path)
    with foreign(path, "a Word document"), open_zip(data, path) as archive:
        body = parse_member(archive, "word/document.xml")
        if body is None:
            raise ValueError("there is no word/document.xml")
        styles = _styles(archive)
        core = parse_member(archive, "docProps/core.xml")
        found = list(_content(body))
        asides = list(_asides(archive))
    title = text_of(core, "title")
    author, created = text_of(core, "creator"), text_of(core, "created")
    author = None if author == _TEMPLATE_AUTHOR else author
    date = None if created == _TEMPLATE_CREATED else day_of(created)
    paragraphs: list[tuple[int, str]] = []
    headings: list[str] = []
    for number, (style, text) in enumerate(found, 1):
        name = styles.get(style, style).lower()
        heading = name.startswith("heading")
        first = heading and not (title or paragraphs)
        if first or (name == "title" and (not title or title == text)):
            title = " ".join(text.split())
        elif name == "caption":
            asides.append(Aside("caption", text, number))
        else:
            rows = list(rows_of(number, text))
            headings += [row for _, row in rows if heading]
            paragraphs.extend(rows)
    return office_document(
        path,
        options,
        paragraphs,
        asides,
        title=title,
        author=author,
        created=date,
        headings=headings,
    )


def _styles(archive: zipfile.ZipFile) -> dict[str, str]:
    """The names of the styles by their ids, which are in the writer's language."""
    names = {}
    root = parse_member(archive, "word/styles.xml")
    for style in root if root is not None else ():
        name = next((child for child in style if local(child) == "name"), None)
        if local(style) == "style" and name is not None:
            names[_attribute(style, "styleId")] = _attribute(name, "val")
    return names


def _attribute(element: Element, name: str) -> str:
    return next((v for key, v in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _content(element: Element, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Style and text of paragraphs and rows, in order."""
    for child in element:
        name = local(child)
        if name == "p":
            yield from _paragraph(child, depth)
        elif name == "tr":
            if text := " | ".join(cell for cell in _cells(child) if cell):
                yield "", text
        elif name not in _UNREAD and depth < _DEEPEST:
            yield from _content(child, depth + 1)


def _cells(row: Element) -> Iterator[str]:
    for cell in row:
        if local(cell) == "tc":
            yield " ".join(" ".join(text.split()) for _, text in _content(cell))
        elif local(cell) in ("sdt", "sdtContent", "ins"):
            yield from _cells(cell)


def _paragraph(paragraph: Element, depth: int) -> Iterator[tuple[str, str]]:
    style = next((_attribute(e, "val") for e in paragraph.iter() if local(e) == "pStyle"), "")
    text = "".join(_runs(paragraph)).strip()
    if text:
        yield style, text
    if depth < _DEEPEST:
        for box in paragraph.iter():
            # Word writes a text box twice; the second is a fallback for old programs.
            if local(box) == "Choice":
                for inner in box.iter():
                    if local(inner) == "txbxContent":
                        yield from _content(inner, depth + 1)


def _runs(element: Element) -> Iterator[str]:
    for child in element:
        name = local(child)
        if name == "t":
            yield child.text or ""
        elif name == "tab":
            yield "\t"
        elif name in ("br", "cr"):
            yield "\n"
        elif name == "noBreakHyphen":
            yield "-"
        elif name not in _UNREAD:
            yield from _runs(child)


def _asides(archive: zipfile.ZipFile) -> Iterator[Aside]:
    """Headers, footers, notes and comments, each text once."""
    seen = set()
    for name in sorted(archive.namelist()):
        match = re.fullmatch(r"word/(header|footer|footnotes|endnotes|comments)\d*\.xml", name)
        root = parse_member(archive, name) if match else None
        if match is None or root is None:
            continue
        kind = match[1] if match[1] in ("header", "footer") else "note"
        for _, text in _content(root):
            if (kind, text) not in seen and re.search(r"\w", text):
                seen.add((kind, text))
                yield Aside(kind, text)
