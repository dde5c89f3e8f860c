"""A folder of numbered shards, on a disk or anywhere fsspec reaches.

A shard is a Parquet file and, beside it, a small JSON marker that is written last: what has no
marker was never finished and is made again, so a killed run loses the shards in flight at most.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fabula.errors import DamagedFile
from fabula.scale.storage import Place

__all__ = ["Shards", "is_shards"]

_ALL = "all.json"
_AT_ONCE = 1000  # markers asked for together: an object store answers many as fast as one


@dataclass(frozen=True, slots=True)
class Shards:
    """The shards of one step: ``folder`` is a path or a URL such as ``s3://bucket/chains``."""

    folder: str

    def write(self, number: int, rows: Iterable[Mapping[str, Any]], **facts: Any) -> dict[str, Any]:
        """Write a shard, then its marker; returns the marker."""
        kept = [json.dumps(row, ensure_ascii=False) for row in rows]
        table = pa.table({"row": pa.array(kept, pa.string())})
        buffer = pa.BufferOutputStream()
        pq.write_table(table, buffer, compression="zstd")
        data = buffer.getvalue().to_pybytes()
        self.place.put(_name(number, "parquet"), data)
        marker = {**facts, "rows": len(kept), "bytes": len(data)}
        self.place.put(_name(number, "json"), json.dumps(marker).encode())
        return marker

    def read(self, number: int) -> Iterator[Any]:
        """The rows of a finished shard."""
        marker, name = self.marker(number), _name(number, "parquet")
        data = self.place.get(name)
        if marker is None or data is None or len(data) != marker["bytes"]:
            problem = f"{self.place}/{name} is not what was written"
            raise DamagedFile(f"{problem}; remove the folder and run again")
        for row in pq.read_table(pa.BufferReader(data)).column("row").to_pylist():
            yield json.loads(row)

    def rows(self) -> Iterator[Any]:
        """The rows of all shards, in order."""
        for number in self.done():
            yield from self.read(number)

    def marker(self, number: int) -> dict[str, Any] | None:
        """What the marker of a shard says, or None when the shard is not done."""
        return self._json(_name(number, "json"))

    def markers(self, numbers: Sequence[int]) -> Iterator[dict[str, Any]]:
        """The markers of finished shards."""
        for at in range(0, len(numbers), _AT_ONCE):
            names = [_name(number, "json") for number in numbers[at : at + _AT_ONCE]]
            for name, data in zip(names, self.place.get_many(names), strict=True):
                yield self._parsed(name, data)

    def done(self) -> list[int]:
        """The numbers of the finished shards."""
        names = (
            name.removesuffix(".json") for name in self.place.names() if name.endswith(".json")
        )
        return sorted(int(name) for name in names if name.isdecimal())

    def close(self, **facts: Any) -> None:
        """Say that there will be no more shards, and what is to be remembered of them."""
        self.place.put(_ALL, json.dumps(facts).encode())

    def closed(self) -> dict[str, Any] | None:
        """What was said when the last shard was written; None before that."""
        return self._json(_ALL)

    @property
    def place(self) -> Place:
        return Place(self.folder)

    def _json(self, name: str) -> dict[str, Any] | None:
        data = self.place.get(name)
        return None if data is None else self._parsed(name, data)

    def _parsed(self, name: str, data: bytes) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads(data)
        except ValueError as error:
            raise DamagedFile(f"{self.place}/{name} is no marker ({error})") from error
        return found


def _name(number: int, kind: str) -> str:
    return f"{number:06d}.{kind}"


def is_shards(path: str) -> bool:
    """Whether a path or URL is a folder of finished shards; told by its name, then looked at."""
    if not str(path).rstrip("/").endswith(".shards"):
        return False
    return "://" in str(path) or (Path(path) / _ALL).is_file()
