"""Records: rows of JSONL, JSON, CSV, TSV and Parquet files, read strictly and written whole.

Reading holds one row at a time whatever the size of the file. It stops at the first row that is
wrong, naming file and line, unless the caller passes a ``Skips`` to collect such rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.core.files import atomic, write_text
from fabula.errors import InputError, UsageError
from fabula.text.io import rows as _rows
from fabula.text.io.streams import COMPRESSED, Skips, iter_lines, open_bytes, split_name

__all__ = [
    "Record",
    "Skips",
    "iter_lines",
    "meta_path",
    "open_bytes",
    "read_records",
    "write_records",
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
    _, suffix, packed = split_name(name)
    if kind is not None:
        suffix = f".{kind}"
    elif name == "-":
        suffix = ".jsonl"
    if suffix not in _READERS or (suffix == ".parquet" and packed):
        allowed, packs = ", ".join(_READERS), ", ".join(COMPRESSED)
        problem = f"not a table fabula knows; allowed: {allowed}; all but Parquet also {packs}"
        raise InputError(problem, path=name)
    for line, data in _READERS[suffix](name, encoding, lenient):
        yield Record(line, data)


def meta_path(path: str | PathLike[str]) -> Path:
    """Where a built file says how it was made.

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
    _, suffix, packed = split_name(path)
    if suffix in (".jsonl", ".ndjson"):
        write = _write_jsonl
    elif suffix == ".parquet" and not packed:
        write = _write_parquet
    else:
        packs = ", ".join(f".jsonl{pack}" for pack in COMPRESSED)
        raise UsageError(f"{path}: cannot write this kind of file; use .jsonl, {packs} or .parquet")
    try:
        with atomic(path) as beside:
            count = write(beside, rows)
        if meta is not None:
            text = json.dumps(meta, ensure_ascii=False, indent=2, allow_nan=False)
            write_text(meta_path(path), text + "\n")
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror or error})", path=path) from error
    return count


def _write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    with _open_packed(path) as stream:
        for count, row in enumerate(rows, start=1):
            try:
                line = json.dumps(dict(row), ensure_ascii=False, allow_nan=False).encode()
            except (TypeError, ValueError, RecursionError) as error:
                raise UsageError(f"row {count} cannot be written as JSON: {error}") from error
            stream.write(line + b"\n")
    return count


@contextmanager
def _open_packed(path: Path) -> Iterator[Any]:
    """To write through the compression of the suffix, without name or time in the bytes."""
    packed = path.suffix.lower()
    with path.open("wb") as raw:
        if packed == ".gz":
            import gzip

            with gzip.GzipFile("", "wb", 6, raw, mtime=0) as stream:
                yield stream
        elif packed == ".bz2":
            import bz2

            with bz2.open(raw, "wb") as stream:
                yield stream
        elif packed == ".xz":
            import lzma

            with lzma.open(raw, "wb") as stream:
                yield stream
        elif packed == ".zst":
            import pyarrow as pa

            with pa.CompressedOutputStream(raw, "zstd") as stream:
                yield stream
        else:
            yield raw


def _write_parquet(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    tables, pending = [pa.table({})], iter(rows)
    try:
        while batch := list(islice(pending, _BATCH)):
            names = dict.fromkeys(name for row in batch for name in row)
            columns = {name: _column([row.get(name) for row in batch]) for name in names}
            tables.append(pa.table(columns))
        table = pa.concat_tables(tables, promote_options="permissive")
        parquet.write_table(table, path, compression="zstd")
    except (pa.ArrowException, TypeError, OverflowError, UnicodeError) as error:
        problem = str(error).split("\n")[0]
        raise UsageError(f"the rows cannot be written as Parquet columns: {problem}") from error
    return int(table.num_rows)


def _column(values: list[Any]) -> Any:
    """An Arrow array. A mapping by number is a Parquet map, one by name is a struct.

    A struct would give every row the keys of all the others, and none at all cannot be stored:
    an empty mapping is null.
    """
    import pyarrow as pa

    filled = [value if value or not isinstance(value, Mapping) else None for value in values]
    mappings = [value for value in filled if isinstance(value, Mapping)]
    if mappings and all(str(key).isdigit() for mapping in mappings for key in mapping):
        inner = pa.infer_type([item for mapping in mappings for item in mapping.values()])
        pairs = [value and [(str(key), item) for key, item in value.items()] for value in filled]
        return pa.array(pairs, pa.map_(pa.string(), inner))
    return pa.array(filled)
