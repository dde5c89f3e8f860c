"""What office formats have in common: XML inside zip archives, and the document they become."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any
from xml.etree import ElementTree

from fabula.text.io.dates import date_in
from fabula.text.io.documents import Options, with_encoding
from fabula.text.io.opening import read_opening
from fabula.text.io.readers.table import as_date
from fabula.types import Aside, Document

__all__ = ["day_of", "local", "office_document", "parse_member", "rows_of", "text_of"]


def parse_member(archive: zipfile.ZipFile, name: str) -> ElementTree.Element | None:
    """The root of an archive's XML file; None where there is no such file."""
    try:
        data = archive.read(name)
    except KeyError:
        return None
    return ElementTree.fromstring(data)


def local(element: ElementTree.Element) -> str:
    """The name of an element or of nothing (a comment) without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def text_of(root: ElementTree.Element | None, name: str) -> str | None:
    """The text of the first element of a name, on one line."""
    for element in root.iter() if root is not None else ():
        if local(element) == name and (text := " ".join("".join(element.itertext()).split())):
            return text
    return None


# What programs write where nobody gave a title or a name, and names of files.
_NO_TITLE = re.compile(
    r"\W*(?:untitled|anonymous|unspecified|unknown|no title|(?:document|presentation|slide) ?\d*|"
    r"powerpoint presentation|microsoft \w+ - .*|\S+\.(?:docx?|odt|rtf|pdf|indd|pages|tex|txt))\W*",
    re.IGNORECASE,
)


def day_of(value: str | None) -> str | None:
    """The day of a date in metadata, whatever its form; None where there is none."""
    try:
        return as_date((value or "").strip())
    except ValueError:
        return date_in(value or "")


def rows_of(number: int, text: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of a text in which line breaks were set by hand.

    Rows that begin with a small letter go on with the row before; else each is a paragraph.
    """
    rows = [" ".join(row.split()) for row in text.split("\n")]
    for filled, group in groupby(rows, key=bool):
        part = list(group)
        if not filled:
            continue
        if any(row[0].islower() for row in part[1:]):
            part = [" ".join(part)]
        yield from ((number, row) for row in part)


def office_document(
    path: str,
    options: Options,
    paragraphs: Sequence[tuple[int, str]],
    asides: Sequence[Aside],
    *,
    title: str | None,
    author: str | None,
    created: str | None,
    **extra: Any,
) -> Document:
    """The document of an office file; a dateline in its text counts more than its properties."""
    title = None if title and _NO_TITLE.fullmatch(title) else title
    author = None if author and _NO_TITLE.fullmatch(author) else author
    opening = read_opening(paragraphs, headline=not title)
    found = {**opening.extra, **extra}
    found["byline"] = found.get("byline") or author
    found["date_from"] = "dateline" if opening.date else "metadata" if created else None
    return Document(
        id=options.name(path),
        paragraphs=tuple(text for _, text in opening.paragraphs),
        title=title or opening.title,
        date=opening.date or created,
        source=path,
        lines=tuple(number for number, _ in opening.paragraphs),
        extra=with_encoding("utf-8", **found),
        aside=(*asides, *opening.aside),
    )
