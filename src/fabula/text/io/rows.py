"""Rows of JSONL, JSON, CSV, TSV and Parquet files, one at a time, with the line of each."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from fabula.errors import InputError
from fabula.text.io.limits import check_unpacked
from fabula.text.io.remote import is_url, open_remote
from fabula.text.io.streams import (
    LIMIT,
    Skips,
    foreign,
    iter_lines,
    iter_text,
    open_bytes,
    skip,
)

__all__ = ["csv_rows", "json_rows", "jsonl_rows", "parquet_rows", "tsv_rows"]

Rows = Iterator[tuple[int, dict[str, Any]]]

_MAX_CELL = 16 << 20  # characters; the csv module holds a cell at four bytes each
_CHUNK = 1 << 20
_SPACE = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number; write null")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"the key {twice!r} occurs twice")
    return mapping


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_finite
)


def _checked(value: Any, source: str) -> dict[str, Any]:
    """The parsed value, if it is an object that can be written again as UTF-8."""
    if not isinstance(value, dict):
        raise ValueError(f"an object {{...}} was expected, and a {type(value).__name__} came")
    if _SURROGATE.search(source):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("a \\u escape is half of a surrogate pair") from error
    return value


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg} at column {error.colno}"
    if "integer string conversion" in str(error):
        return "an integer has too many digits"
    return str(error)


def jsonl_rows(path: str, encoding: str, lenient: Skips | None) -> Rows:
    """One object a line; blank lines are passed over."""
    for number, line in iter_lines(path, encoding=encoding, lenient=lenient):
        if not line or line.isspace():
            continue
        try:
            row = _checked(_DECODER.decode(line), line)
        except (ValueError, RecursionError) as error:
            skip(InputError(_reason(error), path=path, line=number), lenient)
        else:
            yield number, row


def json_rows(path: str, encoding: str, lenient: Skips | None) -> Rows:
    """The objects of an array, or concatenated objects, streamed.

    Malformed JSON stops the reading even when lenient: nothing says where the next object begins.
    """
    for number, value, source in _json_values(path, encoding):
        try:
            row = _checked(value, source)
        except ValueError as error:
            skip(InputError(str(error), path=path, line=number), lenient)
        else:
            yield number, row


def _json_values(path: str, encoding: str) -> Iterator[tuple[int, Any, str]]:
    pieces = iter_text(path, encoding)
    text, position, line, ended = "", 0, 1, False

    def read_more() -> None:
        # Doubles the buffer: an object is tried at doubling lengths, so in linear time.
        nonlocal text, position, ended
        wanted, parts = max(len(text) - position, 1), [text[position:]]
        while wanted > 0 and not ended:
            part = next(pieces, None)
            ended = part is None
            parts.append(part or "")
            wanted -= len(parts[-1])
        text, position = "".join(parts), 0

    def peek() -> str:
        """The next character that is not space; empty at the end."""
        nonlocal position, line
        while True:
            end = _SPACE.match(text, position).end()  # type: ignore[union-attr]
            line += text.count("\n", position, end)
            position = end
            if position < len(text) or ended:
                return text[position : position + 1]
            read_more()

    is_array = peek() == "["
    position += is_array
    first = True
    while (character := peek()) and not (is_array and character == "]"):
        if is_array and not first:
            if character != ",":
                raise InputError("not JSON: expecting ',' or ']'", path=path, line=line)
            position += 1
            peek()
        first = False
        while True:
            try:
                value, end = _DECODER.raw_decode(text, position)
                if end < len(text) or ended:  # else a number might go on in the next piece
                    break
            except json.JSONDecodeError as error:
                if ended or len(text) - position > LIMIT:
                    error_line = line + text.count("\n", position, error.pos)
                    raise InputError(
                        f"not JSON: {error.msg}", path=path, line=error_line
                    ) from error
            except (ValueError, RecursionError) as error:
                raise InputError(_reason(error), path=path, line=line) from error
            read_more()
        source = text[position:end]
        yield line, value, source
        line += source.count("\n")
        position = end
    if is_array:
        position += 1
        if not character or peek():
            problem = (
                "not JSON: the array is not closed" if not character else "text after the array"
            )
            raise InputError(problem, path=path, line=line)


def csv_rows(path: str, encoding: str, lenient: Skips | None, delimiter: str = ",") -> Rows:
    """Rows under a header; the line is the one on which the row begins."""
    # For the whole process, so never lower than it was.
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_CELL))
    first_line = 0

    def lines() -> Iterator[str]:
        nonlocal first_line
        for number, line in iter_lines(path, encoding=encoding, lenient=lenient):
            first_line = first_line or number
            yield line + "\n"

    reader = csv.reader(lines(), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        first_line = 0
        problem = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"not {'CSV' if delimiter == ',' else 'TSV'}: {error}"
        else:
            if not cells:
                continue
            if header is None:
                header = cells
                twice = [name for name, count in Counter(header).items() if count > 1]
                if twice:
                    raise InputError(
                        f"the column {twice[0]!r} occurs twice; rename one",
                        path=path,
                        line=first_line,
                    )
                continue
            if len(cells) == len(header):
                yield first_line, dict(zip(header, cells, strict=True))
                continue
            problem = f"the row has {len(cells)} cells and the header {len(header)}"
        skip(InputError(problem, path=path, line=first_line), lenient if header else None)


def tsv_rows(path: str, encoding: str, lenient: Skips | None) -> Rows:
    """Rows of a tab-separated file under a header, each with the line on which it begins."""
    return csv_rows(path, encoding, lenient, "\t")


def parquet_rows(path: str, encoding: str, lenient: Skips | None) -> Rows:
    """Rows in batches; the line is the row's number."""
    with open_bytes(path):
        pass  # raises an InputError if the path cannot be opened
    with foreign(path, "Parquet"):
        import pyarrow.parquet as parquet

        number, given = 0, 0
        source: Any = open_remote(path) if is_url(path) else path
        with parquet.ParquetFile(source, buffer_size=_CHUNK, pre_buffer=False) as file:
            size = _check_chunks(file.metadata, path)
            names = _text_columns(file.schema_arrow)
        source = open_remote(path) if is_url(path) else path
        # Repeated text stays a number into its dictionary until its row comes.
        with parquet.ParquetFile(
            source, buffer_size=_CHUNK, pre_buffer=False, read_dictionary=names
        ) as file:
            for batch in file.iter_batches(batch_size=256, use_threads=False):
                unpacked = _unpacked_size(batch)
                given += unpacked
                check_unpacked(size, given, path)
                step = 1 if unpacked > _CHUNK * 16 else len(batch)
                for start in range(0, len(batch), step):
                    for row in batch.slice(start, step).to_pylist(maps_as_pydicts="strict"):
                        number += 1
                        yield number, row


def _check_chunks(metadata: Any, path: str) -> int:
    """The compressed size of a file's columns, if none unpacks further than text can."""
    total = 0
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(column)
            check_unpacked(chunk.total_compressed_size, chunk.total_uncompressed_size, path)
            total += chunk.total_compressed_size
    return total


def _text_columns(schema: Any) -> list[str]:
    import pyarrow as pa

    return [field.name for field in schema if field.type in (pa.string(), pa.large_string())]


def _unpacked_size(batch: Any) -> int:
    """The bytes of a batch's rows, repeated text counted each time; at least 16 a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    total = 16 * len(batch)
    for column in batch.columns:
        if pa.types.is_dictionary(column.type):
            lengths = pc.binary_length(column.dictionary).take(column.indices)
            total += pc.sum(lengths).as_py() or 0
        else:
            total += column.nbytes
    return total
