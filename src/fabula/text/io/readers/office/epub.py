"""E-books (.epub): the chapters in reading order, as one document.

The "line" of a paragraph is its number in the book.
"""

from __future__ import annotations

import posixpath
import urllib.parse
import zipfile

from fabula.text.io.documents import Options, one_document, with_encoding
from fabula.text.io.encodings import decode_auto
from fabula.text.io.limits import open_zip
from fabula.text.io.readers.html.blocks import blocks_of, parse
from fabula.text.io.readers.html.boilerplate import mark
from fabula.text.io.readers.html.page import page_parts
from fabula.text.io.readers.office.xml import day_of, local, parse_member, text_of
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Aside, Document

__all__ = ["read"]


@one_document
def read(path: str, options: Options) -> Document:
    """All chapters of the spine; title, author and date from the package file."""
    data = read_bytes(path)
    paragraphs: list[str] = []
    asides: list[Aside] = []
    with foreign(path, "an EPUB"), open_zip(data, path) as archive:
        name, chapters = _spine(archive)
        package = parse_member(archive, name)
        for chapter in chapters:
            text, _ = decode_auto(archive.read(chapter), path)
            kept, aside = page_parts(list(blocks_of(parse(text), text, mark)), None)
            asides += [Aside(part.kind, part.text, len(paragraphs) + 1) for part in aside]
            paragraphs += [paragraph for _, paragraph in kept]
    date = day_of(text_of(package, "date"))
    return Document(
        id=options.name(path),
        paragraphs=tuple(paragraphs),
        title=text_of(package, "title"),
        date=date,
        source=path,
        lines=tuple(range(1, len(paragraphs) + 1)),
        extra=with_encoding(
            "utf-8", byline=text_of(package, "creator"), date_from="metadata" if date else None
        ),
        aside=tuple(asides),
    )


def _spine(archive: zipfile.ZipFile) -> tuple[str, list[str]]:
    """The name of the package file, and the chapters' names in reading order."""
    container = parse_member(archive, "META-INF/container.xml")
    elements = [] if container is None else list(container.iter())
    root = next((e.get("full-path") for e in elements if local(e) == "rootfile"), None)
    package = parse_member(archive, root) if root else None
    if root is None or package is None:
        raise ValueError("there is no package file")
    items = {e.get("id"): e.get("href") for e in package.iter() if local(e) == "item"}
    order = [items.get(e.get("idref")) for e in package.iter() if local(e) == "itemref"]
    folder, names = posixpath.dirname(root), set(archive.namelist())
    paths = [posixpath.join(folder, urllib.parse.unquote(href)) for href in order if href]
    return root, [name for name in map(posixpath.normpath, paths) if name in names]
