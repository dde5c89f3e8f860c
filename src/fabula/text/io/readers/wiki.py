"""MediaWiki XML dumps, one page at a time: the articles, without redirects and other pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from fabula.errors import InputError
from fabula.text.io.documents import Options
from fabula.text.io.readers.wikitext import categories_of, paragraphs_of_wikitext
from fabula.text.io.streams import LIMIT, open_bytes
from fabula.types import Document

__all__ = ["read"]

_CHUNK = 64 << 10
_TOKEN = 1 << 20  # bytes; expat looks at an unfinished tag anew with every chunk
_FIELDS = frozenset({"title", "ns", "id", "timestamp", "text"})


@dataclass(slots=True)
class _Page:
    line: int
    redirect: bool = False
    fields: dict[str, str] = field(default_factory=dict)


def read(path: str, options: Options) -> Iterator[Document]:
    """Articles of namespace 0; one that is left without text is passed over.

    The categories are in ``extra["categories"]``, the first is the category. The date of the last
    revision is not the article's own and stands in ``extra["revised"]``.
    """
    for page in _pages(path):
        text = page.fields.get("text", "")
        if page.redirect or page.fields.get("ns", "0") != "0" or text[:9].upper() == "#REDIRECT":
            continue
        paragraphs = paragraphs_of_wikitext(text)
        if not paragraphs:
            options.pass_over("the page holds no text", path, page.line)
            continue
        categories = categories_of(text)
        yield Document(
            id=page.fields.get("id") or f"{options.name(path)}:{page.line}",
            paragraphs=tuple(paragraphs),
            title=page.fields.get("title") or None,
            category=categories[0] if categories else None,
            source=path,
            line=page.line,
            extra={"categories": categories, "revised": page.fields.get("timestamp")},
        )


def _pages(path: str) -> Iterator[_Page]:
    handler = _Handler(path)
    fed = 0
    with open_bytes(path) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            fed += len(chunk)
            try:
                handler.parser.Parse(chunk, not chunk)
            except (expat.ExpatError, LookupError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
                line = getattr(error, "lineno", None) or handler.parser.CurrentLineNumber
                problem = f"not well-formed XML ({error}); is the dump cut?"
                raise InputError(problem, path=path, line=line) from error
            yield from handler.pages
            handler.pages.clear()
            if not chunk:
                return
            if fed - handler.parser.CurrentByteIndex > _TOKEN + _CHUNK:
                raise handler.failure(f"a tag of more than {_TOKEN >> 20} MB")


class _Handler:
    """Gathers pages from expat's events, so that no tree is ever built."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.pages: list[_Page] = []
        self.page: _Page | None = None
        self.stack: list[str] = []
        self.parts: list[str] | None = None
        self.size = 0
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        # Entities can be made to grow without end, and a dump has no use for any.
        self.parser.StartDoctypeDeclHandler = self.doctype

    def failure(self, problem: str) -> InputError:
        return InputError(problem, path=self.path, line=self.parser.CurrentLineNumber)

    def doctype(self, *declaration: Any) -> None:
        raise self.failure("a DOCTYPE is not allowed in a dump")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.stack and tag != "mediawiki":
            raise self.failure(f"not a MediaWiki dump: it begins with <{tag[:40]}>")
        self.stack.append(tag)
        if len(self.stack) > 100:
            raise self.failure("elements are nested too deeply for a dump")
        if tag == "page":
            self.page = _Page(self.parser.CurrentLineNumber)
        elif tag == "redirect" and self.page:
            self.page.redirect = True
        elif tag in _FIELDS and self.page:
            self.parts, self.size = [], 0

    def characters(self, data: str) -> None:
        if self.parts is not None:
            self.parts.append(data)
            self.size += len(data)
            if self.size > LIMIT:
                raise self.failure(f"a page of more than {LIMIT >> 20} MB")

    def end(self, tag: str) -> None:
        self.stack.pop()
        if tag == "page" and self.page:
            self.pages.append(self.page)
            self.page = None
        elif self.parts is not None and self.page:
            # The page's own id comes first, then those of its revision and of the contributor.
            if tag != "id" or self.stack[-1] == "page":
                self.page.fields[tag] = "".join(self.parts)
            self.parts = None
