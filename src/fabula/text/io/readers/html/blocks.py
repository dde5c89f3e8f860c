"""The blocks of an HTML tree: text between the edges of block elements, in order, with its line.

Scripts, styles and the head hold no text for a reader and give none. Everything else does: which
blocks are boilerplate is decided by who reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fabula.text.io.readers.html.source_lines import SourceLines

__all__ = ["Block", "blocks_of", "parse"]

_UNREAD = re.compile(r"head|math|noframes|object|script|select|style|svg|template")
_INLINE = re.compile(
    r"a|abbr|acronym|b|bdi|bdo|big|br|button|cite|code|data|del|dfn|em|font|i|img|input|ins|kbd|"
    r"label|mark|nobr|o:p|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
_CONTAINER = re.compile(
    r"<(/?)(?:address|article|aside|blockquote|center|details|div|dl|fieldset|figure|footer|header|"
    r"main|menu|nav|ol|pre|section|ul)\b",
    re.IGNORECASE,
)
_MAX_DEPTH = 5000  # containers open at once: the parser's time grows with the square
_SPACES = re.compile(r"[ \t\r\n\f\xa0]+")
_BREAK = "\v"  # stands for <br> while a block is collected


@dataclass(frozen=True, slots=True)
class Block:
    """Text between two block edges; ``<br>`` is a line end in it, and an empty one a blank line.

    ``lines`` has the source line of each row. ``marks`` are those that ``blocks_of`` was told to
    give to the elements around it; ``linked`` counts the characters inside links; ``tag`` is the
    innermost block element.
    """

    text: str
    lines: tuple[int, ...]
    tag: str
    marks: tuple[str, ...] = ()
    linked: int = 0
    row: int = 0  # names the row of a table that it is a cell of

    @property
    def line(self) -> int:
        return self.lines[0]


def parse(html: str) -> Any:
    """The tree of a page, if it does not nest without end."""
    from selectolax.lexbor import LexborHTMLParser

    edges = _CONTAINER.findall(html)
    if len(edges) - 2 * edges.count("/") > _MAX_DEPTH:
        raise ValueError("too many elements are left open")
    return LexborHTMLParser(html)


def blocks_of(
    tree: Any, source: str, mark: Callable[[Any], str] = lambda node: ""
) -> Iterator[Block]:
    """The blocks of a tree, walked without recursion: pages may nest deeply.

    ``mark`` names an element that matters to the caller, or gives nothing.
    """
    collected, lines = _Collected(), SourceLines(source)
    node = tree.body
    root = node.mem_id if node else 0  # comparing nodes would compare their HTML
    around: list[tuple[str, str]] = []  # tag and mark of the open elements
    while node is not None:
        descend = False
        if node.is_text_node:
            collected.add(node.text_content or "", {tag for tag, _ in around[-6:]})
        elif node.is_element_node and not _UNREAD.fullmatch(node.tag):
            descend = True
            yield from collected.edge(node.tag, around, lines)
            collected.row += node.tag == "tr"
            if node.tag == "br":
                collected.parts.append(_BREAK)
            around.append((node.tag, mark(node)))
        following = node.first_child if descend else None
        if descend and following is None:
            yield from collected.edge(node.tag, around, lines)
            around.pop()
        while following is None and node.mem_id != root:
            following = node.next
            if following is None:
                node = node.parent
                if node.is_element_node and around:
                    yield from collected.edge(node.tag, around, lines)
                    around.pop()
        node = following
    yield from collected.edge("body", around, lines)


class _Collected:
    """The text since the last block edge."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.linked = 0
        self.row = 0

    def add(self, text: str, around: set[str]) -> None:
        self.parts.append(text.replace("\n", _BREAK) if "pre" in around else text)
        if "a" in around:
            self.linked += len(_SPACES.sub(" ", text).strip())

    def edge(self, tag: str, around: list[tuple[str, str]], lines: SourceLines) -> Iterator[Block]:
        """At the start or end of a block element, the text collected so far as a block."""
        if _INLINE.fullmatch(tag):
            return
        raw = "".join(self.parts)
        rows = [row.strip() for row in _SPACES.sub(" ", raw).strip(f" {_BREAK}").split(_BREAK)]
        if rows != [""] or _BREAK in raw or "\xa0" in raw:
            block = next((name for name, _ in reversed(around) if not _INLINE.fullmatch(name)), "")
            marks = tuple(mark for _, mark in around if mark)
            found = tuple(lines.find(row) for row in rows)
            row = self.row if block in ("td", "th") else 0
            yield Block("\n".join(rows), found, block, marks, self.linked, row)
        self.parts.clear()
        self.linked = 0
