"""A table of multiple-choice items in, items and counted flaws out: a bad row raises nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from os import PathLike
from typing import Any

import numpy as np

from fabula.audit.context import RowProblem
from fabula.endings.formats.columns import GOLD_AS, KNOWN, Columns
from fabula.endings.items import Ending
from fabula.errors import InputError, UsageError
from fabula.text.io.records import Record, read_records
from fabula.text.io.streams import split_name

__all__ = ["LIMIT", "Table", "guess_columns", "read_items", "read_table"]

LIMIT = 200_000  # items held; a longer file is sampled
_PEEK = 200
_NO_CONTEXT = "(no context)"
_FEW_VALUES = 50  # a column with more different values is not kept for slices
_CONTEXT = (
    "context", "question", "premise", "story", "passage", "article", "prompt", "ctx", "stem",
    "query", "goal", "sentence", "text",
)  # fmt: skip
_OPTIONS = ("options", "choices", "endings", "answers", "candidates", "alternatives")
_GOLD = (
    "gold", "label", "answer", "answerkey", "correct", "correct_answer", "target", "answer_idx",
    "correct_option", "answer_index", "gold_label",
)  # fmt: skip
_NUMBERED = re.compile(
    r"(?i)(option|choice|ending|answer|opt|sol|alternative|candidate)?[ _-]?([a-h]|\d)"
)


@dataclass(frozen=True, slots=True)
class Table:
    """The items of a file, its other columns, and the rows that are no items."""

    items: list[Ending]
    columns: dict[str, list[str]]
    problems: list[RowProblem]
    rows: int
    layout: Columns | None


def read_table(
    path: str | PathLike[str],
    columns: Columns | None = None,
    *,
    gold_as: str | None = None,
    slices: tuple[str, ...] = (),
    limit: int = LIMIT,
    seed: int = 0,
    encoding: str = "utf-8",
) -> Table:
    """Read a file row by row; of more than ``limit`` items a uniform sample of that size is kept.

    Columns that are not given are guessed from their names, how gold is written from its values.
    """
    keep = _Reservoir(limit, seed, slices)
    problems: list[RowProblem] = []
    layout: Columns | None = None
    rows = 0
    for row, used in _rows(path, columns, gold_as, encoding):
        rows, layout = rows + 1, used
        if isinstance(row, RowProblem):
            problems.append(row)
        else:
            keep.add(*row)
    if not rows:
        raise InputError("holds no rows", path=path)
    if not keep.seen:
        first = f"line {problems[0].line}: {problems[0].what}" if problems else "no rows"
        raise InputError(f"none of {rows:,} rows is an item ({first})", path=path)
    for name in slices:
        if name not in keep.values:
            columns_kept = ", ".join(keep.values) or "none"
            raise UsageError(
                f"--slice {name}: there is no such column with few values; {columns_kept}"
            )
    items, extra = keep.result()
    return Table(items, extra, problems, rows, layout)


def read_items(
    path: str | PathLike[str], columns: Columns | None = None, *, gold_as: str | None = None
) -> Iterator[Ending]:
    """The items of a file, one at a time; rows that are no items are skipped."""
    for row, _ in _rows(path, columns, gold_as, "utf-8"):
        if not isinstance(row, RowProblem):
            yield row[0]


def guess_columns(rows: list[dict[str, Any]], path: str | PathLike[str] = "") -> Columns:
    """The columns of context, options and gold, guessed from their names, and gold's notation."""
    first = rows[0]
    for known in KNOWN:
        if known.fits(first) and known != KNOWN[0]:
            return known
    lower = {str(name).casefold(): str(name) for name in first}
    lists = [lower[name] for name in _OPTIONS if name in lower and _listlike(first[lower[name]])]
    options = (lists[0],) if lists else _numbered(first)
    context = next((lower[name] for name in _CONTEXT if name in lower), None)
    gold = next(
        (lower[name] for name in _GOLD if name in lower and lower[name] not in options), None
    )
    if len(options) == 0:
        found = ", ".join(map(str, first)) or "none"
        raise InputError(
            f"which columns hold the options? Name them: --options COL,COL. There are: {found}",
            path=path or None,
        )
    layout = Columns(
        context=(context,) if context else (),
        options=options,
        gold=gold,
        id=next((lower[name] for name in ("id", "idx", "qid", "uid") if name in lower), None),
        relation=None,
    )
    return replace(layout, gold_as=_guess_gold(rows, layout))


def _guess_gold(rows: list[dict[str, Any]], layout: Columns) -> str:
    """The notation of gold that fits most rows: index, number, letter or text, in this order."""
    fits = dict.fromkeys(GOLD_AS, 0)
    for row in rows if layout.gold else []:
        value = str("" if row.get(layout.gold or "") is None else row[layout.gold or ""]).strip()
        options = _options_of(row, layout)
        digits = value.removesuffix(".0")
        fits["text"] += value in [str(option).strip() for option in options]
        fits["letter"] += len(value) == 1 and value.isalpha() and _letter(value) < len(options)
        if digits.isdecimal():
            fits["index"] += int(digits) < len(options)
            fits["number"] += 1 <= int(digits) <= len(options)
    return max(("index", "number", "letter", "text"), key=lambda kind: fits[kind])


def _letter(value: str) -> int:
    index = ord(value.upper()) - ord("A")
    return index if index >= 0 else 99


def _options_of(row: Mapping[str, Any], layout: Columns) -> list[Any]:
    if len(layout.options) > 1:
        return [row.get(name) for name in layout.options if row.get(name) not in (None, "")]
    value = _plain_list(row.get(layout.options[0])) if layout.options else None
    return value if isinstance(value, list) else []


class _Reservoir:
    """A uniform sample of at most ``limit`` items (Vitter's algorithm R), and their columns.

    Columns of more than 50 different values are dropped, unless they are ``wanted``.
    """

    def __init__(self, limit: int, seed: int, wanted: tuple[str, ...]) -> None:
        self.limit, self.wanted, self.seen = limit, wanted, 0
        self.rng = np.random.default_rng(seed)
        self.values: dict[str, set[str]] = {}  # of each column that is kept
        self.dropped: set[str] = set()
        self.kept: list[tuple[int, Ending, dict[str, str]]] = []

    def add(self, item: Ending, extra: dict[str, str]) -> None:
        for name, value in extra.items():
            if name in self.dropped:
                continue
            values = self.values.setdefault(name, set())
            values.add(value)
            if len(values) > _FEW_VALUES and name not in self.wanted:
                self.dropped.add(name)
                del self.values[name]
        entry = (self.seen, item, {k: v for k, v in extra.items() if k in self.values})
        self.seen += 1
        if len(self.kept) < self.limit:
            self.kept.append(entry)
        elif (replaced := int(self.rng.integers(0, self.seen))) < self.limit:
            self.kept[replaced] = entry

    def result(self) -> tuple[list[Ending], dict[str, list[str]]]:
        kept = sorted(self.kept, key=lambda entry: entry[0])
        columns = {name: [extra.get(name, "") for _, _, extra in kept] for name in self.values}
        return [item for _, item, _ in kept], columns


Read = tuple[Ending, dict[str, str]] | RowProblem


def _rows(
    path: str | PathLike[str], columns: Columns | None, gold_as: str | None, encoding: str
) -> Iterator[tuple[Read, Columns | None]]:
    if split_name(path)[1] == ".xml":
        from fabula.endings.formats.tables import read_rows

        for row in read_rows(path):
            if row.item is None:
                yield RowProblem(row.line, row.problem or "no item"), None
            else:
                extra = {"relation": row.item.relation} if row.item.relation else {}
                yield (row.item, extra), None
        return
    _refuse_repeated_columns(path)
    records = read_records(path, encoding=encoding)
    head = list(islice(records, _PEEK))
    if not head:
        return
    sample = [record.data for record in head]
    if columns is None:
        layout = guess_columns(sample, path)
    else:
        layout = _completed(columns, sample[0])
        _require(layout, sample[0], path)
        if not gold_as:
            layout = replace(layout, gold_as=_guess_gold(sample, layout))
    if gold_as:
        layout = replace(layout, gold_as=gold_as)
    for record in chain(head, records):
        yield _read(record, layout), layout


def _completed(columns: Columns, row: Mapping[str, Any]) -> Columns:
    """The columns, with those left at their default looked up under other usual names."""
    lower = {str(name).casefold(): str(name) for name in row if name not in columns.options}
    if columns.context == ("context",) and "context" not in row:
        context = next((lower[name] for name in _CONTEXT if name in lower), None)
        columns = replace(columns, context=(context,) if context else ())
    if columns.gold == "gold" and "gold" not in row:
        columns = replace(columns, gold=next((lower[n] for n in _GOLD if n in lower), None))
    return columns


def _require(columns: Columns, row: Mapping[str, Any], path: str | PathLike[str]) -> None:
    for name in (*columns.context, *columns.options, *([columns.gold] if columns.gold else [])):
        if name not in row and not (name == columns.gold == "gold"):
            found = ", ".join(map(str, row)) or "none"
            raise InputError(f"there is no column {name!r}; there are: {found}", path=path)


def _read(record: Record, layout: Columns) -> Read:
    row = dict(record.data)
    for name in (*layout.context, *layout.options):
        if name in row:
            row[name] = _plain_list(row[name])
    if not layout.context:
        layout, row = replace(layout, context=(_NO_CONTEXT,)), {**row, _NO_CONTEXT: ""}
    try:
        item = layout.ending(row, record.line)
    except ValueError as error:
        return RowProblem(record.line, str(error))
    used = {*layout.context, *layout.options, layout.gold, layout.id}
    extra = {
        str(name): str(value)[:60]
        for name, value in record.data.items()
        if name not in used and isinstance(value, str | int | bool | None)
    }
    return item, extra


def _plain_list(value: Any) -> Any:
    """Numbers as texts, and the {"label": [...], "text": [...]} of some data sets as a list."""
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        value = value["text"]
    if isinstance(value, list):
        return [
            entry["text"] if isinstance(entry, dict) and isinstance(entry.get("text"), str)
            else _text(entry)
            for entry in value
        ]  # fmt: skip
    return _text(value)


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def _listlike(value: Any) -> bool:
    found = _plain_list(value)
    return isinstance(found, list) or (isinstance(found, str) and found.lstrip().startswith("["))


def _numbered(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The longest series of columns such as A, B, C or choice1, choice2."""
    runs: dict[str, list[str]] = {}
    for name in row:
        match = _NUMBERED.fullmatch(str(name))
        if match:
            runs.setdefault((match[1] or "").casefold(), []).append(str(name))
    longest = max(runs.values(), key=len, default=[])
    return tuple(longest) if len(longest) > 1 else ()


def _refuse_repeated_columns(path: str | PathLike[str]) -> None:
    """Parquet allows two columns of one name; a row could then hold one of them only."""
    if split_name(path)[1] != ".parquet":
        return
    from fabula.text.io.streams import foreign, open_bytes

    with open_bytes(str(path)):
        pass
    with foreign(str(path), "Parquet"):
        import pyarrow.parquet as parquet

        names = parquet.read_schema(path).names
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"the column {twice!r} occurs twice; rename one", path=path)
