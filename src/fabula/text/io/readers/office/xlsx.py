"""Spreadsheets (.xlsx): rows that are documents, as in a CSV file, or a document for each sheet.

Needs the ``office`` extra. The "line" is the number of the row.
"""

from __future__ import annotations

import datetime
import io
import warnings
from collections.abc import Iterator
from typing import Any

from fabula.errors import InputError, MissingPart
from fabula.text.io.documents import Options, whole_or_skipped
from fabula.text.io.limits import open_zip
from fabula.text.io.readers.table import document_of
from fabula.text.io.streams import foreign, read_bytes
from fabula.types import Document

__all__ = ["read"]

_TEXT = ("text", "paragraphs")


def read(path: str, options: Options) -> Iterator[Document]:
    """A sheet with a column ``text`` is a table of documents; of others, a row is a paragraph."""
    try:
        import openpyxl
    except ImportError as error:
        raise MissingPart("the reader of spreadsheets", 'pip install "fabula[office]"') from error

    def documents() -> Iterator[Document]:
        data = read_bytes(path)
        sheets: list[tuple[str, list[tuple[int, list[str]]]]] = []
        with foreign(path, "a spreadsheet"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and extensions that hold no text
            with open_zip(data, path):
                pass
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                rows = enumerate(sheet.iter_rows(values_only=True), 1)
                filled = [(number, [_cell(v) for v in row]) for number, row in rows if any(row)]
                sheets.append((sheet.title, filled))
            book.close()
        for title, filled in sheets:
            yield from _sheet(path, options, title, filled)

    yield from whole_or_skipped(path, options, documents())


def _cell(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else " ".join(str(value).split())


def _sheet(
    path: str, options: Options, title: str, rows: list[tuple[int, list[str]]]
) -> Iterator[Document]:
    columns = {options.columns.get(field, field) for field in _TEXT}
    header = rows[0][1] if rows else []
    if columns & set(header):
        for number, cells in rows[1:]:
            row = {name: cell for name, cell in zip(header, cells, strict=False) if name and cell}
            try:
                yield document_of(row, path, number, options)
            except InputError as error:
                options.skip(error)
        return
    paragraphs = [(n, " | ".join(cell for cell in cells if cell)) for n, cells in rows]
    if paragraphs:
        yield Document(
            id=f"{options.name(path)}:{title}",
            paragraphs=tuple(text for _, text in paragraphs),
            title=title,
            source=path,
            lines=tuple(number for number, _ in paragraphs),
        )
