"""Documents that are rows of a JSONL, JSON, CSV, TSV or Parquet file."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fabula.errors import InputError, UsageError
from fabula.text.io.documents import Options, paragraphs_of
from fabula.text.io.encodings import AUTO
from fabula.text.io.records import read_records
from fabula.text.io.streams import sniff, split_name
from fabula.types import Document

__all__ = ["as_date", "document_of", "read"]

FIELDS = ("id", "paragraphs", "text", "title", "date", "category", "source")
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ].*)?)?)?", re.ASCII | re.DOTALL)


def read(path: str, options: Options) -> Iterator[Document]:
    """One document a row; a row without text is a mistake."""
    for field in options.columns:
        if field not in FIELDS:
            raise UsageError(f"columns: {field!r} is not a field; allowed: {', '.join(FIELDS)}")
    kind = options.kind or split_name(path)[1]
    separated = kind.endswith(("csv", "tsv"))
    # JSON is UTF-8 by its standard; a table comes out of a spreadsheet in any encoding.
    encoding = "utf-8" if options.encoding == AUTO and not separated else options.encoding
    records = read_records(path, lenient=options.lenient, encoding=encoding, kind=options.kind)
    detected = sniff(path) if encoding == AUTO else encoding
    named = {} if detected == "utf-8" else {"encoding": detected}
    # An object may leave out what it has not; a table has every column in every row.
    tabular = separated or kind.endswith("parquet")
    for record in records:
        try:
            document = document_of(record.data, path, record.line, options, tabular)
            yield replace(document, extra={**named, **document.extra}) if named else document
        except InputError as error:
            options.skip(error)


def document_of(
    row: Mapping[str, Any], path: str, line: int, options: Options, tabular: bool = False
) -> Document:
    """A document from a row; what is not ours is kept in ``extra``."""
    column = {field: options.columns.get(field, field) for field in FIELDS}

    def fail(problem: str) -> InputError:
        return InputError(problem, path=path, line=line)

    def plain(field: str) -> str | None:
        value = row.get(column[field])
        if isinstance(value, bool) or not isinstance(value, str | int | None):
            raise fail(f"{column[field]!r} must be a string, and {value!r:.60} came")
        return str(value) if value not in (None, "") else None

    for field, name in options.columns.items():
        if name not in row and (tabular or field in ("id", "paragraphs", "text")):
            raise fail(f"no column {name!r} (for {field!r}); present: {', '.join(row)}")
    paragraphs = row.get(column["paragraphs"])
    if paragraphs is None:
        paragraphs = row.get(column["text"])
    if paragraphs is None:
        wanted = f"{column['paragraphs']!r} or {column['text']!r}"
        present = ", ".join(map(str, row)) or "nothing"
        raise fail(f"no text: the row needs {wanted}; present: {present}")
    if isinstance(paragraphs, str):
        paragraphs = [paragraph for _, paragraph in paragraphs_of(paragraphs)]
    if not isinstance(paragraphs, list) or not all(isinstance(part, str) for part in paragraphs):
        raise fail(f"{column['paragraphs']!r} must be a list of strings, or text")
    paragraphs = [part for part in paragraphs if part.strip()]
    if not paragraphs:
        raise fail("the text is empty")
    try:
        date = as_date(row.get(column["date"]))
    except ValueError as error:
        raise fail(f"{column['date']!r}: {error}") from error
    source = plain("source")
    ours = set(column.values())
    return Document(
        id=plain("id") or f"{options.name(path)}:{line}",
        paragraphs=tuple(paragraphs),
        title=plain("title"),
        date=date,
        category=plain("category"),
        source=source or path,
        line=1 if source else line,
        extra={name: value for name, value in row.items() if name not in ours},
    )


def as_date(value: Any) -> str | None:
    """``YYYY[-MM[-DD]]`` of what came; a time of day is dropped.

    >>> as_date("1994-07-01T12:00:00Z"), as_date(1994), as_date("")
    ('1994-07-01', '1994', None)
    """
    if value is None or value == "":
        return None
    if isinstance(value, datetime.date):  # a datetime is one too
        return value.isoformat()[:10]
    match = None if isinstance(value, bool) else _DATE.fullmatch(str(value).strip())
    if not match:
        raise ValueError(f"a date is YYYY, YYYY-MM or YYYY-MM-DD, and {value!r:.40} came")
    try:
        datetime.date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError as error:
        raise ValueError(f"{value!r:.40} is not in the calendar ({error})") from error
    return "-".join(part for part in match.groups() if part)
