"""Markdown: the prose without its markup, tables row by row; code, HTML and captions aside."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from fabula.errors import InputError
from fabula.text.io.documents import Options, one_document, with_encoding
from fabula.text.io.opening import read_opening
from fabula.text.io.readers.table import as_date
from fabula.text.io.streams import read_decoded
from fabula.types import Aside, Document

__all__ = ["read"]

_LIMIT = 16 << 20
_MOST_LINES = 200_000  # the parser holds a kilobyte for a line, and for a cell of a table
_MOST_BARS = 400_000
_LONG = 20_000  # characters; inline parsing may take quadratic time, so longer blocks stay raw
_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(?:(?!---[ \t]*\r?$).*\n)*---[ \t]*(?=\r?$)", re.M)
_FIELD = re.compile(r"^(title|date|author):[ \t]*[\"']?(.+?)[\"']?[ \t]*$", re.I | re.M)


class _Block(NamedTuple):
    kind: str  # "" is prose, "heading" a heading, else that of an aside
    line: int
    text: str


@one_document
def read(path: str, options: Options) -> Document:
    """The first heading, when it comes first, is the title; a later one is a paragraph.

    So is each list item. Line breaks stay where they are, so that lines can be counted. Title,
    date and author of the front matter count.
    """
    text, encoding = read_decoded(path, options.encoding, _LIMIT)
    if text.count("\n") > _MOST_LINES or text.count("|") > _MOST_BARS:
        problem = (
            f"holds more than {_MOST_LINES:,} lines of Markdown, or {_MOST_BARS:,} bars; split it"
        )
        raise InputError(problem, path=path)
    front = _FRONT_MATTER.match(text)
    fields = {name.lower(): value for name, value in _FIELD.findall(front[0] if front else "")}
    asides = [Aside("header", front[0], 1)] if front else []
    title, paragraphs = fields.get("title"), list[tuple[int, str]]()
    headings: list[str] = []
    for block in _blocks(_FRONT_MATTER.sub(_blanked, text)):
        if block.kind == "heading" and not paragraphs and title in (None, block.text):
            title = block.text
        elif block.kind in ("", "heading"):
            paragraphs.append((block.line, block.text))
            headings += [block.text] if block.kind else []
        else:
            asides.append(Aside(block.kind, block.text, block.line))
    opening = read_opening(paragraphs, headline=False)
    date = _day(fields.get("date"))
    date_from = "metadata" if date else "dateline" if opening.date else None
    return Document(
        id=options.name(path),
        paragraphs=tuple(prose for _, prose in opening.paragraphs),
        title=title,
        date=date or opening.date,
        source=path,
        lines=tuple(line for line, _ in opening.paragraphs),
        extra=with_encoding(
            encoding,
            **{**opening.extra, **({"byline": fields["author"]} if "author" in fields else {})},
            headings=headings,
            date_from=date_from,
        ),
        aside=(*asides, *opening.aside),
    )


def _blanked(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _day(value: str | None) -> str | None:
    try:
        return as_date(value)
    except ValueError:
        return None


def _blocks(text: str) -> list[_Block]:
    from markdown_it import MarkdownIt

    parser, inline = MarkdownIt("commonmark").enable("table"), MarkdownIt("commonmark")
    parser.core.ruler.disable("inline")
    references: dict[str, Any] = {}
    blocks, kind = list[_Block](), ""
    row: list[str] | None = None
    line = 1
    for token in parser.parse(text, references):
        line = token.map[0] + 1 if token.map else line
        if token.type == "tr_open":
            row = []
        elif token.type == "tr_close" and row is not None:
            blocks.append(_Block("", line, " | ".join(cell for cell in row if cell)))
            row = None
        elif token.type in ("heading_open", "paragraph_open"):
            kind = "heading" if token.type == "heading_open" else ""
        elif token.type in ("fence", "code_block", "html_block"):
            blocks.append(_Block("markup", line, token.content.strip()))
        elif token.type == "inline":
            prose, captions = token.content, list[str]()
            if len(prose) <= _LONG:
                children = inline.parseInline(prose, references)[0].children or []
                prose, captions = (
                    _prose(children),
                    [t.content for t in children if t.type == "image"],
                )
            if row is not None:
                row.append(" ".join(prose.split()))
            else:
                blocks.append(_Block(kind, line, prose.strip()))
            blocks += [_Block("caption", line, caption) for caption in captions]
    return [block for block in blocks if block.text]


def _prose(tokens: list[Any]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("text", "code_inline"):
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append("\n")
    return "".join(parts)
