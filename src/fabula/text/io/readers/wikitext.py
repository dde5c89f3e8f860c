"""Wikitext to paragraphs: what a reader of the article reads as running text.

Blocks that are not prose (templates, tables, references, files, formulas) go first, in one pass
that takes linear time on any input. mwparserfromhell then strips what is left, a paragraph at a
time and only where there is markup; on a whole article it would spend most of its time on
templates and tables that are thrown away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["categories_of", "paragraphs_of_wikitext"]

_RAW = "ref|math|gallery|timeline|syntaxhighlight|source|score|imagemap|templatestyles|chem|graph"
_TOKEN = re.compile(
    rf"<!--|<(?:{_RAW})\b[^<>]*>|\{{\{{|\}}\}}|\[\[|\]\]"
    r"|^[ \t:*#]*\{\||^[ \t]*\|\}(?!\})",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSES = {"}}": "{{", "|}": "{|", "]]": "[["}
_MEDIA = re.compile(r"\[\[\s*:?\s*(?:file|image|media|category)\s*:", re.IGNORECASE)
_CATEGORY = re.compile(r"\[\[[ _]*category[ _]*:[ _]*([^\[\]|\n]+)", re.IGNORECASE)
_HEADING = re.compile(r"(={1,6})(.+?)={1,6}\s*")
_LANGUAGE_LINK = re.compile(r"\[\[[a-z][a-z-]{1,11}:[^\[\]]*\]\]")
_MAGIC = re.compile(r"__[A-Z]+__")
_QUOTES = re.compile(r"'{2,5}")
_MARKUP = re.compile(r"[\[<&{]|//")
_BREAK = re.compile(r"<br\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]+\b[^<>]*>", re.IGNORECASE)
_EMPTY = re.compile(r" ?\([ ,;:]*\)| (?=[,.;])")  # what a template or reference leaves behind
_MAX_PARSED = 16_000  # characters; no paragraph of an article comes near
_APPENDIX = frozenset(
    {
        "bibliography",
        "citations",
        "external links",
        "footnotes",
        "further reading",
        "gallery",
        "notes",
        "notes and references",
        "references",
        "see also",
        "sources",
    }
)


def categories_of(text: str) -> list[str]:
    """The names in ``[[Category:...]]``, in order, each once."""
    names = (name.replace("_", " ").strip() for name in _CATEGORY.findall(text))
    return list(dict.fromkeys(name for name in names if name))


def paragraphs_of_wikitext(text: str) -> list[str]:
    """Paragraphs and list items; headings are left out, and so are sections such as References."""
    stripped = (_strip(block) for block in _blocks(_without_blocks(text)))
    return [paragraph for paragraph in stripped if paragraph]


def _without_blocks(text: str) -> str:
    """The text without the spans of ``_spans``."""
    kept, position = [], 0
    for start, end in sorted(_spans(text)):
        if start >= position:
            kept.append(text[position:start])
        position = max(position, end)
    kept.append(text[position:])
    return "".join(kept)


def _spans(text: str) -> list[tuple[int, int]]:
    """The spans of blocks without prose, and of unmatched brackets; linear time on any input."""
    spans: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    depth = {"{{": 0, "{|": 0, "[[": 0}
    unclosed: set[str] = set()
    resume = 0
    for match in _TOKEN.finditer(text):
        start, end, token = match.start(), match.end(), match[0].lstrip(" \t:*#")
        if start < resume:
            continue
        if token.startswith("<"):
            resume = _raw_end(text, token, end, unclosed)
            spans.append((start, resume))
        elif token in depth:
            opened.append((token, end - 2))
            depth[token] += 1
        elif not depth[_CLOSES[token]]:
            spans.append((start, end))
        else:
            while (inner := opened.pop())[0] != _CLOSES[token]:
                depth[inner[0]] -= 1
                spans.append((inner[1], inner[1] + 2))
            kind, begin = inner
            depth[kind] -= 1
            if kind != "[[" or _MEDIA.match(text, begin):
                spans.append((begin, end))
    spans.extend((begin, begin + 2) for _, begin in opened)
    return spans


def _raw_end(text: str, tag: str, end: int, unclosed: set[str]) -> int:
    """Where a comment or an element whose content is not wikitext ends."""
    if tag.endswith("/>"):
        return end
    close = "-->" if tag == "<!--" else f"</{tag[1:].split()[0].rstrip('>')}"
    if close in unclosed:
        return end
    closing = text.find(close, end)
    closing = text.find(">", closing) if closing >= 0 else closing
    if closing < 0:
        unclosed.add(close)  # searched once: a search at every opening would be quadratic
        return end
    return closing + 1


def _blocks(text: str) -> Iterator[str]:
    lines: list[str] = []
    hidden = 0  # the level of the appendix we are in
    for line in [*text.split("\n"), ""]:
        heading = _HEADING.fullmatch(line) if line.startswith("=") else None
        if heading:
            level = len(heading[1])
            if not hidden or level <= hidden:
                hidden = level if heading[2].strip().lower() in _APPENDIX else 0
        item = line.lstrip("*#:; \t")
        listed = line[:1] in ("*", "#", ":", ";")
        if (heading or listed or not item) and lines:
            yield "\n".join(lines)
            lines = []
        if heading or hidden or not item or item[0] in "|!":
            continue
        if listed:
            yield item
        else:
            lines.append(line)


def _strip(block: str) -> str:
    text = _MAGIC.sub("", _QUOTES.sub("", _LANGUAGE_LINK.sub("", block)))
    if _MARKUP.search(text):
        import mwparserfromhell

        text = _TAG.sub("", _BREAK.sub(" ", text))  # tags left open cost the parser hours
        if len(text) < _MAX_PARSED:
            text = mwparserfromhell.parse(text, skip_style_tags=True).strip_code(collapse=False)
    lines = (_EMPTY.sub("", " ".join(line.split())) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
