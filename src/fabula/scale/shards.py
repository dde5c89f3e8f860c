"""A folder of numbered shards, on a disk or anywhere fsspec reaches.

A shard is a Parquet file and, beside it, a small JSON marker that is written last: what has no
marker was never finished and is made again, so a killed run loses the shards in flight at most.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fabula.errors import DamagedFile, MissingPart

__all__ = ["Shards"]


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one step: ``folder`` is a path or a URL such as ``s3://bucket/chains``."""

    folder: str

    def write(self, number: int, rows: Iterable[Mapping[str, Any]], **facts: Any) -> dict[str, Any]:
        """Write a shard, then its marker; returns the marker."""
        files = self._files()
        files.makedirs(self.folder, exist_ok=True)
        kept = [json.dumps(row, ensure_ascii=False) for row in rows]
        table = pa.table({"row": pa.array(kept, pa.string())})
        buffer = pa.BufferOutputStream()
        pq.write_table(table, buffer, compression="zstd")
        data = buffer.getvalue().to_pybytes()
        self._put(files, data, self._path(number, "parquet"))
        marker = {**facts, "rows": len(kept), "bytes": len(data)}
        self._put(files, json.dumps(marker).encode(), self._path(number, "json"))
        return marker

    def read(self, number: int) -> Iterator[Any]:
        """The rows of a finished shard."""
        marker, files = self.marker(number), self._files()
        path = self._path(number, "parquet")
        if marker is None or not files.exists(path) or files.size(path) != marker["bytes"]:
            raise DamagedFile(f"{path} is not what was written; remove the folder and run again")
        table = pq.read_table(pa.BufferReader(files.cat_file(path)))
        for row in table.column("row").to_pylist():
            yield json.loads(row)

    def marker(self, number: int) -> dict[str, Any] | None:
        """What the marker of a shard says, or None when the shard is not done."""
        files, path = self._files(), self._path(number, "json")
        if not files.exists(path):
            return None
        try:
            found: dict[str, Any] = json.loads(files.cat_file(path))
        except ValueError as error:
            raise DamagedFile(f"{path} is no marker ({error})") from error
        return found

    def done(self) -> list[int]:
        """The numbers of the finished shards."""
        files = self._files()
        if not files.exists(self.folder):
            return []
        names = [Path(str(path)).name for path in files.ls(self.folder, detail=False)]
        return sorted(
            int(name.removesuffix(".json"))
            for name in names
            if name.endswith(".json") and name.removesuffix(".json").isdecimal()
        )

    def _path(self, number: int, kind: str) -> str:
        return f"{self.folder.rstrip('/')}/{number:06d}.{kind}"

    def _put(self, files: Any, data: bytes, path: str) -> None:
        """Whole or not at all: an object store is so by itself, a disk by renaming."""
        if "file" in (files.protocol if isinstance(files.protocol, tuple) else (files.protocol,)):
            from fabula.files import atomic

            with atomic(Path(path.removeprefix("file://"))) as beside:
                beside.write_bytes(data)
        else:
            files.pipe_file(path, data)

    def _files(self) -> Any:
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise MissingPart("fsspec", 'pip install "fabula[scale]"') from error
        return url_to_fs(self.folder)[0]
