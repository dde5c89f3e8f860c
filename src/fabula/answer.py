"""What every answer of a verb can do: be a dict, a pandas frame, and a table in a notebook."""

from __future__ import annotations

import dataclasses
import html
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from fabula.errors import MissingPart

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Answer", "AnswerList", "html_table", "without_nan"]

Row = Mapping[str, Any]
T = TypeVar("T")
_MOST_ROWS = 60  # of a table in a notebook
_LONGEST_CELL = 300  # characters


class Answer:
    """Mixin of answers: ``to_dict``, ``to_frame`` and the table a notebook shows.

    A class gives ``to_dict`` and ``_rows``, the rows of its frame; ``_columns`` are those of a
    frame without rows. ``_summary`` is a line above the table, ``_shown`` the table's rows where
    they are not the frame's.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values, shaped as the command of the same name prints it."""
        raise NotImplementedError

    def to_frame(self) -> DataFrame:
        """The answer as a pandas frame; pandas has to be installed."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise MissingPart("pandas", "pip install pandas") from error
        rows = [dict(row) for row in self._rows()]
        return DataFrame.from_records(rows) if rows else DataFrame(columns=list(self._columns()))

    def _rows(self) -> Iterable[Row]:
        raise NotImplementedError

    def _columns(self) -> Sequence[str]:
        return ()

    def _shown(self) -> Iterable[Row]:
        return self._rows()

    def _summary(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        """What a notebook shows; all text in it is escaped."""
        line = f"<p>{html.escape(self._summary())}</p>" if self._summary() else ""
        return f"<div>{line}{html_table(self._shown())}</div>"


class AnswerList(list[T], Answer):
    """A list of values as one answer: ``to_dict`` gives ``{name: [row, ...]}``.

    ``beside`` are columns that a value does not hold itself, such as the sentences it is about,
    one mapping a value; they are left out once values were added or removed. ``columns`` are those
    of the frame of an empty list.
    """

    def __init__(
        self,
        values: Iterable[T],
        name: str,
        beside: Iterable[Row] = (),
        columns: Iterable[str] = (),
    ) -> None:
        super().__init__(values)
        self.name = name
        self.beside = list(beside)
        self.columns = tuple(columns)

    def to_dict(self) -> dict[str, Any]:
        return {self.name: without_nan([dict(row) for row in self._dicts()])}

    def _columns(self) -> Sequence[str]:
        return self.columns

    def _dicts(self) -> Iterator[Row]:
        kept = len(self.beside) == len(self)
        for number, value in enumerate(self):
            yield {**(self.beside[number] if kept else {}), **_row(value)}

    def _rows(self) -> Iterator[Row]:
        return self._flat("_rows")

    def _shown(self) -> Iterator[Row]:
        return self._flat("_shown")

    def _flat(self, method: str) -> Iterator[Row]:
        """The rows of values that are answers themselves, else a row for each value."""
        for row, value in zip(self._dicts(), self, strict=True):
            yield from getattr(value, method)() if isinstance(value, Answer) else [row]

    def _summary(self) -> str:
        noun = self.name.removesuffix("s") if len(self) == 1 else self.name
        return f"{len(self):,} {noun}"


def _row(value: Any) -> Row:
    """A value as a mapping: by its ``to_dict`` or ``to_row``, else by its fields."""
    for method in ("to_dict", "to_row", "_asdict"):
        if hasattr(value, method):
            row: Row = getattr(value, method)()
            return row
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def html_table(rows: Iterable[Row]) -> str:
    """Rows as an HTML table, escaped; long cells and long tables are cut, and say so.

    >>> html_table([{"text": "<b>"}])
    '<table><thead><tr><th>text</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    iterator = iter(rows)
    shown = [dict(row) for row in islice(iterator, _MOST_ROWS)]
    if not shown:
        return "<p>nothing</p>"
    more = sum(1 for _ in iterator)
    columns = list(dict.fromkeys(name for row in shown for name in row))
    head = "".join(f"<th>{html.escape(str(name))}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in columns) + "</tr>"
        for row in shown
    )
    rest = f"<p>{more:,} more</p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if math.isfinite(value) else "–"
    if isinstance(value, Mapping):
        value = [f"{name}: {entry}" for name, entry in value.items()]
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    text = str(value)
    return html.escape(text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]} …")


def without_nan(value: Any) -> Any:
    """JSON has no "not a number": it is null there."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(entry) for entry in value]
    return value
