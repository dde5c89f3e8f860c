"""Records: rows of JSONL, JSON, CSV, TSV and Parquet files, read strictly and written whole.

Reading holds one row at a time whatever the size of the file. It stops at the first row that is
wrong, naming file and line, unless the caller passes a ``Skips`` to collect such rows.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from fabula.core.files import atomic, write_text
from fabula.errors import InputError, UsageError
from fabula.text.io import rows as _rows
from fabula.text.io.streams import COMPRESSED, Skips, iter_lines, open_bytes, split_name

__all__ = [
    "Record",
    "Skips",
    "items_of",
    "iter_lines",
    "meta_path",
    "open_bytes",
    "read_records",
    "write_records",
    "write_splits",
]

_READERS: dict[str, Callable[[str, str, Skips | None], _rows.Rows]] = {
    ".jsonl": _rows.jsonl_rows,
    ".ndjson": _rows.jsonl_rows,
    ".json": _rows.json_rows,
    ".csv": _rows.csv_rows,
    ".tsv": _rows.tsv_rows,
    ".parquet": _rows.parquet_rows,
}
_BATCH = 4096
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """One row and the line on which it begins (in Parquet, the number of the row)."""

    line: int
    data: dict[str, Any]


def read_records(
    path: str | PathLike[str],
    *,
    lenient: Skips | None = None,
    encoding: str = "utf-8",
    kind: str | None = None,
) -> Iterator[Record]:
    """The rows of a file, by its suffix; ``-`` is standard input as JSONL.

    ``kind`` (``"jsonl"``, ``"csv"`` ...) stands in for the suffix. JSON is taken by the letter:
    NaN, numbers beyond a float, a key given twice, and half a surrogate pair are errors.
    """
    name = str(path)
    _, suffix, compression = split_name(name)
    if kind is not None:
        suffix = f".{kind}"
    elif name == "-":
        suffix = ".jsonl"
    if suffix not in _READERS or (suffix == ".parquet" and compression):
        allowed, compressions = ", ".join(_READERS), ", ".join(COMPRESSED)
        problem = (
            f"not a table fabula knows; allowed: {allowed}; all but Parquet also {compressions}"
        )
        raise InputError(problem, path=name)
    for line, data in _READERS[suffix](name, encoding, lenient):
        yield Record(line, data)


def meta_path(path: str | PathLike[str]) -> Path:
    """The path of a built file's metadata.

    >>> meta_path("out/x.train.jsonl.gz").name
    'x.train.meta.json'
    """
    return Path(path).with_name(f"{split_name(path)[0]}.meta.json")


def write_records(
    path: str | PathLike[str],
    rows: Iterable[Mapping[str, Any]],
    *,
    meta: Mapping[str, Any] | None = None,
) -> int:
    """Write rows as JSONL or Parquet, by the suffix, whole or not at all; how many there were.

    Equal rows give equal bytes. JSONL streams; Parquet holds the rows as Arrow columns until the
    last is known, because only then is the type of each column.
    """
    _, suffix, compression = split_name(path)
    if suffix in (".jsonl", ".ndjson"):
        write = _write_jsonl
    elif suffix == ".parquet" and not compression:
        write = _write_parquet
    else:
        jsonl = ", ".join(f".jsonl{suffix}" for suffix in ("", *COMPRESSED))
        raise UsageError(f"{path}: cannot write this kind of file; use {jsonl} or .parquet")
    try:
        with atomic(path) as temporary:
            count = write(temporary, rows)
        if meta is not None:
            text = json.dumps(meta, ensure_ascii=False, indent=2, allow_nan=False)
            write_text(meta_path(path), text + "\n")
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", path=path) from error
    return count


def _write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    with _open_compressed(path) as stream:
        for count, row in enumerate(rows, start=1):
            try:
                line = json.dumps(dict(row), ensure_ascii=False, allow_nan=False).encode()
            except (TypeError, ValueError, RecursionError) as error:
                raise UsageError(f"row {count} cannot be written as JSON: {error}") from error
            stream.write(line + b"\n")
    return count


@contextmanager
def _open_compressed(path: Path) -> Iterator[Any]:
    """A stream to write to, compressed by the suffix, without file name or time in the bytes."""
    compression = path.suffix.lower()
    with path.open("wb") as raw:
        if compression == ".gz":
            import gzip

            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as stream:
                yield stream
        elif compression == ".bz2":
            import bz2

            with bz2.open(raw, "wb") as stream:
                yield stream
        elif compression == ".xz":
            import lzma

            with lzma.open(raw, "wb") as stream:
                yield stream
        elif compression == ".zst":
            import pyarrow as pa

            with pa.CompressedOutputStream(raw, "zstd") as stream:
                yield stream
        else:
            yield raw


def _write_parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    import pyarrow.parquet as parquet

    table = _table(rows)
    parquet.write_table(table, path, compression="zstd")
    return int(table.num_rows)


def write_splits(splits: Mapping[Path, Sequence[Mapping[str, Any]]]) -> None:
    """Write Parquet files whose columns have the same names and types in all of them.

    A mapping with numeric keys is a list of ``{"key", "value"}`` there: not every reader of Parquet
    knows its maps.
    """
    import pyarrow.parquet as parquet

    table = _table({key: _pairs(value) for key, value in row.items()}
                   for rows in splits.values() for row in rows)  # fmt: skip
    start = 0
    for path, rows in splits.items():
        try:
            with atomic(path) as temporary:
                parquet.write_table(table[start : start + len(rows)], temporary, compression="zstd")
        except OSError as error:
            raise InputError(f"cannot be written ({error.strerror or error})", path=path) from error
        start += len(rows)


def _pairs(value: Any) -> Any:
    if isinstance(value, Mapping) and value and all(str(key).isdigit() for key in value):
        return [{"key": str(key), "value": entry} for key, entry in value.items()]
    return value


def _table(rows: Iterable[Mapping[str, Any]]) -> Any:
    import pyarrow as pa

    tables, pending = [pa.table({})], iter(rows)
    try:
        while batch := list(islice(pending, _BATCH)):
            names = dict.fromkeys(name for row in batch for name in row)
            columns = {name: _column([row.get(name) for row in batch]) for name in names}
            tables.append(pa.table(columns))
        return pa.concat_tables(tables, promote_options="permissive")
    except (pa.ArrowException, TypeError, OverflowError, UnicodeError) as error:
        problem = str(error).split("\n")[0]
        raise UsageError(f"the rows cannot be written as Parquet columns: {problem}") from error


def _column(values: list[Any]) -> Any:
    """An Arrow array: mappings with numeric keys as a Parquet map, others as a struct.

    A struct gives every row the keys of all the others; an empty one cannot be stored and is null.
    """
    import pyarrow as pa

    non_empty = [value if value or not isinstance(value, Mapping) else None for value in values]
    mappings = [value for value in non_empty if isinstance(value, Mapping)]
    if mappings and all(str(key).isdigit() for mapping in mappings for key in mapping):
        inner = pa.infer_type([item for mapping in mappings for item in mapping.values()])
        pairs = [value and [(str(key), item) for key, item in value.items()] for value in non_empty]
        return pa.array(pairs, pa.map_(pa.string(), inner))
    return pa.array(non_empty)


def _rows_of(given: Any) -> list[Mapping[str, Any]] | None:
    """The rows of a table or of a list of mappings; None for anything else."""
    if hasattr(given, "to_dict") and hasattr(given, "itertuples"):  # pandas iterates over columns
        rows: list[Mapping[str, Any]] = given.to_dict("records")
        return rows
    if isinstance(given, Mapping):  # datasets.DatasetDict, or one row
        raise UsageError(f"one of {', '.join(map(str, given))} is to be chosen: items are a list")
    entries = given if isinstance(given, list) else list(given)
    return entries if entries and all(isinstance(e, Mapping) for e in entries) else None


def items_of(given: Any, read: Callable[[str], Iterable[T]]) -> Iterable[T]:
    """Items as they are; rows are read as those of a JSONL file, and a wrong one is named.

    >>> list(items_of([{"a": 1}], lambda path: [Path(path).read_text()]))
    ['{"a": 1}\\n']
    """
    if not hasattr(given, "itertuples") and not isinstance(given, Mapping):
        given = list(given)
    rows = _rows_of(given)
    return given if rows is None else _read_rows(rows, read)


def _read_rows(
    rows: Iterable[Mapping[str, Any]], read: Callable[[str], Iterable[T]]
) -> Iterator[T]:
    with tempfile.TemporaryDirectory(prefix="fabula-rows-") as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("w", encoding="utf-8") as stream:
            for number, row in enumerate(rows, 1):
                try:
                    line = json.dumps(dict(row), ensure_ascii=False, default=_plain)
                except (TypeError, ValueError) as error:
                    raise UsageError(f"row {number} is no row of values: {error}") from error
                stream.write(line + "\n")
        try:
            yield from read(str(path))
        except InputError as error:  # its file is gone when the caller reads of it
            raise InputError(error.problem, path="rows", line=error.line) from error


def _plain(value: Any) -> Any:
    """NumPy's arrays and numbers, which frames hold, as JSON values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no JSON value")
