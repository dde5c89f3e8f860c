"""Markdown: the prose without its markup. Code blocks, tables, images and HTML are left out."""

from __future__ import annotations

import re
from typing import Any

from fabula.text.io.documents import Options, one_document, with_encoding
from fabula.text.io.streams import read_decoded
from fabula.types import Document

__all__ = ["read"]

_LIMIT = 16 << 20
_LONG = 20_000  # characters; inline parsing may take quadratic time, so longer blocks stay raw
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:(?!---[ \t]*\r?$).*\n)*---[ \t]*(?=\r?$)", re.M)


@one_document
def read(path: str, options: Options) -> Document:
    """The first heading, when it comes first, is the title; a later one is a paragraph.

    So is each list item. Line breaks stay where they are, so that lines can be counted.
    """
    text, encoding = read_decoded(path, options.encoding, _LIMIT)
    text = _FRONT_MATTER.sub(_blanked, text)
    title, paragraphs = None, list[tuple[int, str]]()
    for heading, line, prose in _blocks(text):
        if heading and title is None and not paragraphs:
            title = prose
        else:
            paragraphs.append((line, prose))
    return Document(
        id=options.name(path),
        paragraphs=tuple(prose for _, prose in paragraphs),
        title=title,
        source=path,
        lines=tuple(line for line, _ in paragraphs),
        extra=with_encoding(encoding),
    )


def _blanked(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _blocks(text: str) -> list[tuple[bool, int, str]]:
    from markdown_it import MarkdownIt

    parser, inline = MarkdownIt("commonmark").enable("table"), MarkdownIt("commonmark")
    parser.core.ruler.disable("inline")
    references: dict[str, Any] = {}
    blocks, in_table, heading = [], False, False
    for token in parser.parse(text, references):
        if token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        elif token.type in ("heading_open", "paragraph_open"):
            heading = token.type == "heading_open"
        elif token.type == "inline" and token.map and not in_table:
            prose = token.content
            if len(prose) <= _LONG:
                prose = _prose(inline.parseInline(prose, references)[0].children or [])
            if prose := prose.strip():
                blocks.append((heading, token.map[0] + 1, prose))
    return blocks


def _prose(tokens: list[Any]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append("\n")
    return "".join(parts)
