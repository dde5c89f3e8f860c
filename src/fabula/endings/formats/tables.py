"""Tables of multiple-choice items, JSONL to Parquet and COPA's XML, read row by row."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike

from fabula.endings.formats.columns import Columns, Row, flaw, layout_of
from fabula.endings.formats.copa import read_copa
from fabula.endings.items import Ending
from fabula.errors import InputError, UsageError
from fabula.text.io.records import read_records
from fabula.text.io.streams import split_name

__all__ = ["read_endings", "read_rows"]


def read_endings(
    path: str | PathLike[str], columns: Columns | None = None, *, encoding: str = "utf-8"
) -> Iterator[Ending]:
    """Items from JSONL, JSON, CSV, TSV, Parquet or COPA's XML; the first wrong row stops it.

    Story Cloze, XStoryCloze, COPA, HellaSwag and PIQA tables are read as they are distributed, any
    other by its ``columns``. Items of a blind file have no gold.
    """
    for row in read_rows(path, columns, encoding=encoding):
        if row.item is None or row.problem is not None:
            raise InputError(row.problem or "no item", path=path, line=row.line)
        yield row.item


def read_rows(
    path: str | PathLike[str], columns: Columns | None = None, *, encoding: str = "utf-8"
) -> Iterator[Row]:
    """Every row with its item; a flaw is reported, not raised. COPA's XML is read too.

    Without ``columns`` they are those of the first layout in ``KNOWN`` that fits.
    """
    if split_name(path)[1] == ".xml":
        if columns is not None:
            raise UsageError(f"{path}: XML is read as COPA, whose columns have their names")
        yield from read_copa(path)
        return
    for record in read_records(path, encoding=encoding):
        layout = columns or layout_of(record.data)
        try:
            item = layout.ending(record.data, record.line)
        except ValueError as error:
            yield Row(record.line, record.data, None, str(error))
        else:
            yield Row(record.line, record.data, item, flaw(item))
