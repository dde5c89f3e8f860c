"""The folder of an assembled corpus: what is in it, written and read.

``corpus.json`` (written last: without it the folder is unfinished), ``stories.parquet``,
``documents.parquet``, ``index.html``, ``report.json``, ``changes.json`` after an update, and
``index/`` with the arrays from which new documents are linked, whose checksums ``corpus.json`` has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from fabula.core.files import atomic, make_folder, sha256_of, write_text
from fabula.core.safety.checked_json import parse_checked, parse_json, with_checksum
from fabula.errors import InputError, UsageError
from fabula.types import Document

__all__ = [
    "INDEX",
    "check_index",
    "check_target",
    "documents_of",
    "is_corpus",
    "iterate_documents",
    "load_array",
    "read_column",
    "read_marker",
    "read_report",
    "read_stories",
    "save_array",
    "vectors_of",
    "write_documents",
    "write_marker",
    "write_stories",
]

MARKER, DOCUMENTS, STORIES = "corpus.json", "documents.parquet", "stories.parquet"
INDEX = "index"
FILES = {MARKER, DOCUMENTS, STORIES, "index.html", "report.json", "changes.json", INDEX}
_REPORTED = {"distinct", "copies", "skipped", "seconds"}  # what the page says of a run
_FORMAT = 1
_ROWS = 2_000  # a row group

_DOCUMENT = pa.schema(
    [
        ("number", pa.int64()), ("story", pa.int64()), ("id", pa.string()),
        ("source", pa.string()), ("line", pa.int64()), ("date", pa.string()),
        ("title", pa.string()), ("copy_of", pa.int64()), ("unit", pa.int64()),
        ("lead", pa.string()), ("names", pa.string()), ("document", pa.string()),
    ]
)  # fmt: skip
_STORY = pa.schema(
    [
        ("story", pa.int64()), ("title", pa.string()), ("documents", pa.int64()),
        ("copies", pa.int64()), ("first_date", pa.string()), ("last_date", pa.string()),
        ("sources", pa.list_(pa.string())), ("source_count", pa.int64()),
        ("names", pa.list_(pa.string())), ("lead", pa.string()), ("central", pa.int64()),
    ]
)  # fmt: skip


def is_corpus(path: str | Path) -> bool:
    """Whether a path is the folder of an assembled corpus."""
    return (Path(path) / MARKER).is_file()


def check_target(folder: Path, work: Path) -> None:
    """Raise unless the folder is new, empty, or of a run that was stopped: its work is there.

    A run may be stopped after its last file, before its work is removed; given again, it ends.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"-o {folder}: is a file; a corpus becomes a folder")
    names = {path.name for path in folder.iterdir()}
    if MARKER in names and not work.is_dir():
        raise UsageError(
            f"-o {folder}: holds an assembled corpus; name another folder, and with "
            f"--previous {folder} its stories keep their numbers"
        )
    strange = sorted(name for name in names - FILES if not name.startswith(".writing-"))
    if strange or (names and not work.is_dir()):
        raise UsageError(f"-o {folder}: holds other files; name a folder that is new or empty")


def write_marker(folder: Path, facts: Mapping[str, Any]) -> None:
    """Mark the folder complete, with the checksums of its index."""
    files = sorted(path for path in (folder / INDEX).iterdir() if path.name[0] != ".")
    sums = {path.name: sha256_of(path) for path in files}
    text = json.dumps(with_checksum({"format": _FORMAT, **facts, "index": sums}), indent=1)
    write_text(folder / MARKER, text + "\n")


def read_marker(folder: str | Path) -> dict[str, Any]:
    """What ``corpus.json`` says; an error if the folder is no finished corpus of this format."""
    path = Path(folder) / MARKER
    try:
        marker = parse_checked(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"is no folder of an assembled corpus ({error})", path=folder) from error
    if marker.get("format") != _FORMAT:
        raise InputError("is a corpus of another version of fabula; assemble it anew", path=folder)
    return marker


def check_index(folder: Path) -> None:
    """Raise if a file of the index is not the one that was written.

    Its arrays are only mapped into memory, so that a damaged one would change stories silently.
    """
    for name, expected in read_marker(folder).get("index", {}).items():
        path = folder / INDEX / name
        try:
            same = sha256_of(path) == expected
        except OSError as error:
            raise _damaged(path, error) from error
        if not same:
            raise _damaged(path, "changed since it was written")


def write_documents(folder: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write ``documents.parquet`` from rows, a group at a time."""
    _write(folder / DOCUMENTS, _DOCUMENT, rows)


def write_stories(folder: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the table of stories."""
    _write(folder / STORIES, _STORY, rows)


def _write(path: Path, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
    make_folder(path.parent)
    with atomic(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as file:
        block: list[Mapping[str, Any]] = []
        for row in rows:
            block.append(row)
            if len(block) == _ROWS:
                file.write_table(pa.Table.from_pylist(block, schema))
                block = []
        file.write_table(pa.Table.from_pylist(block, schema))


def read_stories(folder: str | Path) -> list[dict[str, Any]]:
    """The rows of ``stories.parquet``."""
    return list(_table(folder, STORIES).to_pylist())


def read_report(folder: str | Path) -> dict[str, Any]:
    """``report.json``: the run in numbers."""
    path = Path(folder) / "report.json"
    try:
        report = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error})", path=path) from error
    if not isinstance(report, dict) or not report.keys() >= _REPORTED:
        raise InputError("is no report of a corpus", path=path)
    return report


def read_column(folder: str | Path, *names: str) -> Any:
    """Columns of ``documents.parquet``, as a table."""
    return _table(folder, DOCUMENTS, list(names))


def iterate_documents(folder: str | Path, without: str = "") -> Iterator[dict[str, Any]]:
    """The rows of ``documents.parquet``, a group at a time, all columns but one."""
    columns = [name for name in _DOCUMENT.names if name != without]
    with _open(folder, DOCUMENTS) as file:
        for batch in file.iter_batches(batch_size=_ROWS, columns=columns):
            yield from batch.to_pylist()


def documents_of(folder: str | Path, story: int) -> tuple[list[Document], list[int]]:
    """The documents of one story in the order they were read, and their rows in the index.

    Near copies of others are left out.
    """
    read_marker(folder)
    with _open(folder, DOCUMENTS) as file:
        found = []
        for group in range(file.num_row_groups):
            stories = np.asarray(file.read_row_group(group, ["story"]).column("story"))
            at = np.flatnonzero(stories == story)
            if len(at):
                wanted = ["number", "copy_of", "unit", "document"]
                found += file.read_row_group(group, wanted).take(at).to_pylist()
    if not found:
        raise UsageError(f"{folder} has no story {story}; {STORIES} and index.html list them")
    rows = [row for row in sorted(found, key=lambda row: row["number"]) if row["copy_of"] is None]
    documents = [Document.from_row(parse_json(row["document"])) for row in rows]
    return documents, [row["unit"] for row in rows]


def save_array(folder: Path, name: str, array: NDArray[Any]) -> None:
    """Write one array of the index."""
    make_folder(folder)
    with atomic(folder / f"{name}.npy") as temporary, temporary.open("wb") as file:
        np.save(file, array, allow_pickle=False)


def load_array(folder: Path, name: str) -> Any:
    """An array of the index, mapped into memory; an error if it is damaged."""
    path = folder / f"{name}.npy"
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _damaged(path, error) from error


def vectors_of(folder: str | Path, rows: Sequence[int]) -> NDArray[np.float32]:
    """The vectors of some rows of the index."""
    vectors = load_array(Path(folder) / INDEX, "vectors")
    if vectors.ndim != 2 or len(vectors) <= max(rows, default=0):
        raise _damaged(Path(folder) / INDEX / "vectors.npy", f"its shape is {vectors.shape}")
    return np.asarray(vectors[list(rows)], np.float32)


def _damaged(path: Path, why: object) -> InputError:
    return InputError(f"cannot be read ({why}); assemble the corpus anew", path=path)


def _table(folder: str | Path, name: str, columns: list[str] | None = None) -> Any:
    with _open(folder, name) as file:
        return file.read(columns=columns)


@contextmanager
def _open(folder: str | Path, name: str) -> Iterator[Any]:
    """A Parquet file; what is wrong with it while it is read is an ``InputError``."""
    path = Path(folder) / name
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (OSError, ValueError, pa.ArrowException) as error:
        raise InputError(f"cannot be read ({error})", path=path) from error
