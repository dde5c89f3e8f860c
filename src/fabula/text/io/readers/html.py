"""HTML pages: the text of their blocks, without scripts, navigation and forms."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Any

from fabula.text.io.documents import Options, one_document, with_encoding
from fabula.text.io.encodings import AUTO, decode_auto
from fabula.text.io.readers.table import as_date
from fabula.text.io.streams import decode, foreign, read_bytes
from fabula.types import Document

__all__ = ["blocks_of", "read"]

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_DROPPED = re.compile(
    r"aside|button|footer|form|head|iframe|math|nav|noscript|script|select|style|svg|template"
)
_INLINE = re.compile(
    r"a|abbr|acronym|b|bdi|bdo|big|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|q|s|"
    r"samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
_CONTAINER = re.compile(
    r"<(/?)(?:address|article|aside|blockquote|center|details|div|dl|fieldset|figure|footer|header|"
    r"main|menu|nav|ol|pre|section|ul)\b",
    re.IGNORECASE,
)
_MAX_DEPTH = 5000  # containers open at once: the parser's time grows with the square
_LIMIT = 16 << 20
_DATES = (
    ('meta[property="article:published_time"]', "content"),
    ('meta[itemprop="datePublished"]', "content"),
    ('meta[name="date"]', "content"),
    ('meta[name="DC.date"]', "content"),
    ("time[datetime]", "datetime"),
)


@one_document
def read(path: str, options: Options) -> Document:
    """Title and date from the head; a heading that repeats the title is left out."""
    data = read_bytes(path, _LIMIT)
    text, encoding = _decoded(data, path, options.encoding)
    with foreign(path, "HTML"):
        tree = _parse(text)
        node = tree.css_first("title") or tree.css_first("h1")
        title = " ".join(node.text().split()) if node else ""
        return Document(
            id=options.name(path),
            paragraphs=tuple(block for block in _blocks(tree) if block != title),
            title=title or None,
            date=_date(tree),
            source=path,
            extra=with_encoding(encoding),
        )


def blocks_of(html: str) -> list[str]:
    """The text blocks of a page, in order."""
    return list(_blocks(_parse(html)))


def _parse(html: str) -> Any:
    from selectolax.lexbor import LexborHTMLParser

    edges = _CONTAINER.findall(html)
    if len(edges) - 2 * edges.count("/") > _MAX_DEPTH:
        raise ValueError("too many elements are left open")
    return LexborHTMLParser(html)


def _decoded(data: bytes, path: str, requested: str) -> tuple[str, str]:
    """The text in the requested encoding, else the one the page declares, else what is detected."""
    if requested == AUTO and (charset := _CHARSET.search(data, 0, 4096)):
        try:
            name = codecs.lookup(charset[1].decode("ascii")).name
            return data.decode(name).removeprefix("\ufeff"), name
        except (LookupError, UnicodeError):
            pass  # unknown, or not true
    if requested == AUTO:
        text, requested = decode_auto(data, path)
        return text.removeprefix("\ufeff"), requested
    return decode(data, path, 1, requested), requested


def _blocks(tree: Any) -> Iterator[str]:
    """The text blocks of the tree, walked without recursion: pages may nest deeply."""
    parts: list[str] = []
    node = tree.body
    root = node.mem_id if node else 0  # comparing nodes would compare their HTML
    while node is not None:
        descend = False
        if node.is_text_node:
            parts.append(node.text_content or "")
        elif node.is_element_node and not _DROPPED.fullmatch(node.tag):
            descend = True
            yield from _edge(node.tag, parts)
        following = node.first_child if descend else None
        while following is None and node.mem_id != root:
            if node.is_element_node:
                yield from _edge(node.tag, parts)
            following = node.next
            if following is None:
                node = node.parent
        node = following
    yield from _edge("body", parts)


def _edge(tag: str, parts: list[str]) -> Iterator[str]:
    """At the start or end of a block element, the text collected so far as a block."""
    if tag == "br":
        parts.append(" ")
    if not _INLINE.fullmatch(tag):
        block = " ".join("".join(parts).split())
        parts.clear()
        if block:
            yield block


def _date(tree: Any) -> str | None:
    for selector, attribute in _DATES:
        node = tree.css_first(selector)
        try:
            if node is not None and (date := as_date(node.attributes.get(attribute))):
                return date
        except ValueError:
            continue  # not an ISO date
    return None
