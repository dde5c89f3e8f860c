"""A folder of numbered shards, local or on any fsspec file system.

A shard is a Parquet file and a small JSON marker that is written last: a shard without a marker is
unfinished and is computed again, so a killed run loses at most the shards in flight.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fabula.core.safety.checked_json import parse_checked, parse_json, with_checksum
from fabula.errors import DamagedFile
from fabula.scale.storage import StorageFolder

__all__ = ["Shards", "is_shards"]

_log = logging.getLogger(__name__)

_ALL = "all.json"
_AT_ONCE = 1000  # markers per request: an object store returns many as fast as one


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one step: ``folder`` is a path or a URL such as ``s3://bucket/chains``."""

    folder: str

    def write(self, number: int, rows: Iterable[Mapping[str, Any]], **facts: Any) -> dict[str, Any]:
        """Write a shard, then its marker; returns the marker."""
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        table = pa.table({"row": pa.array(lines, pa.string())})
        buffer = pa.BufferOutputStream()
        pq.write_table(table, buffer, compression="zstd")
        data = buffer.getvalue().to_pybytes()
        self.storage.put(_name(number, "parquet"), data)
        digest = hashlib.sha256(data).hexdigest()
        marker = {**facts, "rows": len(lines), "bytes": len(data), "data": digest}
        self.storage.put(_name(number, "json"), json.dumps(with_checksum(marker)).encode())
        return marker

    def read(self, number: int) -> Iterator[Any]:
        """The rows of a finished shard."""
        marker, name = self.marker(number), _name(number, "parquet")
        data = self.storage.get(name)
        if marker is None or data is None or hashlib.sha256(data).hexdigest() != marker["data"]:
            problem = f"{self.storage}/{name} is not what was written"
            raise DamagedFile(f"{problem}; remove the folder and run again")
        for row in pq.read_table(pa.BufferReader(data)).column("row").to_pylist():
            yield parse_json(row)

    def rows(self) -> Iterator[Any]:
        """The rows of all shards, in order."""
        for number in self.done():
            yield from self.read(number)

    def marker(self, number: int) -> dict[str, Any] | None:
        """The marker of a shard, or None if the shard is unfinished."""
        return self._json(_name(number, "json"))

    def markers(self, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The markers of finished shards."""
        for start in range(0, len(numbers), _AT_ONCE):
            names = [_name(number, "json") for number in numbers[start : start + _AT_ONCE]]
            for name, data in zip(names, self.storage.get_many(names), strict=True):
                yield self._parsed(name, data)

    def done(self) -> list[int]:
        """The numbers of the finished shards."""
        names = (
            name.removesuffix(".json") for name in self.storage.names() if name.endswith(".json")
        )
        return sorted(int(name) for name in names if name.isdecimal())

    def close(self, **facts: Any) -> None:
        """Mark the folder complete, storing ``facts`` about it."""
        self.storage.put(_ALL, json.dumps(with_checksum(facts)).encode())

    def closed(self) -> dict[str, Any] | None:
        """The facts stored by ``close``; None if the folder is incomplete."""
        return self._json(_ALL)

    def remove(self) -> bool:
        """Remove the shards and their markers, and the folder if nothing else is in it.

        A file that no marker vouches for is somebody else's and stays.
        """
        for number in self.done():
            try:
                marker = self.marker(number)
            except DamagedFile as error:
                _log.info("shard %d stays: %s", number, error)
                continue
            if marker is not None and {"rows", "bytes"} <= marker.keys():
                self.storage.delete(_name(number, kind) for kind in ("parquet", "try", "json"))
        try:
            if "shards" in (self.closed() or {}):
                self.storage.delete([_ALL])
        except DamagedFile as error:
            _log.info("the summary stays: %s", error)
        self.storage.tidy()
        return self.storage.remove_empty()

    @property
    def storage(self) -> StorageFolder:
        return StorageFolder(self.folder)

    def _json(self, name: str) -> dict[str, Any] | None:
        data = self.storage.get(name)
        return None if data is None else self._parsed(name, data)

    def _parsed(self, name: str, data: bytes) -> dict[str, Any]:
        try:
            return parse_checked(data)
        except ValueError as error:
            problem = f"{self.storage}/{name} is no marker ({error})"
            raise DamagedFile(f"{problem}; remove the folder and run again") from error


def _name(number: int, kind: str) -> str:
    return f"{number:06d}.{kind}"


def is_shards(path: str) -> bool:
    """Whether a path is a complete ``.shards`` folder; of a URL only the name is checked."""
    if not str(path).rstrip("/").endswith(".shards"):
        return False
    return "://" in str(path) or (Path(path) / _ALL).is_file()
