"""Arrays on disk: one safetensors file each, written as a stream, read as a memory map.

The file is a JSON header of fixed size and the raw numbers, so nothing is ever loaded by running
it, and a file of any size opens at once. The length is known only at the end of a merge, so the
header is written last; ``numpy.lib.format.open_memmap`` would need it first.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import DamagedFile

__all__ = ["ArrayCard", "ArrayWriter", "read_array", "write_array"]

_HEADER = 256  # bytes kept for the header
_TYPES = {"U32": np.uint32, "U64": np.uint64, "I64": np.int64, "F32": np.float32}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}
_CHUNK = 1 << 22  # bytes hashed at once


@dataclass(frozen=True, slots=True)
class ArrayCard:
    """File, type, length and checksum of a finished array: enough to refuse a damaged one."""

    file: str
    type: str
    length: int
    sha256: str  # of the numbers, without the header

    def to_row(self) -> dict[str, Any]:
        return asdict(self)


class ArrayWriter:
    """Appends numbers to a file; ``close`` writes the header and returns the card."""

    def __init__(self, path: Path, kind: type[np.generic]) -> None:
        self.path = path
        self.kind = np.dtype(kind)
        self.length = 0
        self._digest = hashlib.sha256()
        self._stream = path.open("wb")
        self._stream.write(bytes(_HEADER))

    def add(self, values: NDArray[Any]) -> None:
        data = np.ascontiguousarray(values, dtype=self.kind)
        raw = data.view(np.uint8).data
        self._stream.write(raw)
        self._digest.update(raw)
        self.length += data.size

    def close(self) -> ArrayCard:
        size = self.length * self.kind.itemsize
        name = _NAMES[self.kind]
        tensor = {"dtype": name, "shape": [self.length], "data_offsets": [0, size]}
        header = json.dumps({"data": tensor}).encode().ljust(_HEADER - 8)
        self._stream.seek(0)
        self._stream.write(struct.pack("<Q", len(header)) + header)
        self._stream.flush()
        os.fsync(self._stream.fileno())  # a manifest must not outlive the arrays it lists
        self._stream.close()
        return ArrayCard(self.path.name, name, self.length, self._digest.hexdigest())


def write_array(path: Path, *pieces: NDArray[Any]) -> ArrayCard:
    """Write arrays of one type, one after the other, as one file."""
    writer = ArrayWriter(path, pieces[0].dtype.type)
    for values in pieces:
        writer.add(values)
    return writer.close()


def read_array(folder: Path, card: ArrayCard, *, verify: bool = True) -> NDArray[Any]:
    """Memory-map an array after comparing its size and, with ``verify``, its checksum."""
    path = folder / card.file
    kind = np.dtype(_TYPES[card.type])
    expected = _HEADER + card.length * kind.itemsize
    try:
        size = path.stat().st_size
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror}); build it again") from error
    if size != expected:
        how = "truncated" if size < expected else "longer than it was written"
        raise DamagedFile(f"{path}: {how}: {size} bytes, not {expected}; build it again")
    if card.length == 0:
        return np.zeros(0, dtype=kind)
    values: NDArray[Any] = np.memmap(
        path, dtype=kind, mode="r", offset=_HEADER, shape=(card.length,)
    )
    if verify:
        digest = hashlib.sha256()
        flat = values.view(np.uint8)
        for start in range(0, len(flat), _CHUNK):
            digest.update(flat[start : start + _CHUNK].data)
        if digest.hexdigest() != card.sha256:
            raise DamagedFile(f"{path}: altered since it was written; build it again")
    return values
