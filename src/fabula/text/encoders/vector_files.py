"""Readers of word vector files, as a stream of words and vectors.

``.bin`` is word2vec's binary form, ``.json`` is wink's, all else is text: word2vec's text form and
fastText's ``.vec`` start with a line of two whole numbers, GloVe's does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from fabula.core.safety.checked_json import parse_json
from fabula.errors import InputError
from fabula.text.io.streams import open_bytes, split_name

__all__ = ["Row", "read_vectors"]

Row = tuple[str, NDArray[np.float32]]

_COUNTS = re.compile(rb"(\d+) +(\d+)\s*")
_FASTTEXT = (793712314).to_bytes(4, "little")
_CHUNK_BYTES = 1 << 20
_WINK_ENTRY = re.compile(rb'\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*\[([^\]]*)\]')
_WINK_START = re.compile(rb'"vectors"\s*:\s*\{')
_WINK_DIMENSIONS = re.compile(rb'"dimensions"\s*:\s*(\d+)')


def read_vectors(path: str | PathLike[str]) -> Iterator[Row]:
    """Each word and its vector, in the order of the file; all vectors have the same dimension."""
    suffix = split_name(path)[1]
    read_rows = {".bin": _binary, ".json": _wink}.get(suffix, _text)
    dimension = None
    with open_bytes(path) as stream:
        for line, word, vector in read_rows(stream, path):
            if dimension is None:
                dimension = len(vector)
            problem = None
            if len(vector) != dimension or not dimension:
                problem = f"{word!r} has {len(vector)} numbers, and the words before it {dimension}"
            elif not np.isfinite(vector).all():
                problem = f"{word!r} has a number that is not finite"
            if problem:
                raise InputError(problem, path=path, line=line)
            yield word, vector
    if dimension is None:
        raise InputError("holds no word vectors", path=path)


_Rows = Iterator[tuple[int | None, str, NDArray[np.float32]]]


def _text(stream: BinaryIO, path: str | PathLike[str]) -> _Rows:
    dimension = 0
    for line, data in enumerate(stream, 1):
        if line == 1 and (counts := _COUNTS.fullmatch(data)):
            dimension = int(counts[2])
            continue
        # A few words of the large GloVe files hold spaces, so the numbers are counted from the end.
        dimension = dimension or len(data.split()) - 1
        fields = data.rstrip().rsplit(b" ", dimension)
        try:
            word = fields[0].decode("utf-8")
            vector = np.array(list(map(float, fields[1:])), dtype=np.float32)
        except ValueError as error:
            raise InputError(
                f"not a word and its numbers ({error})", path=path, line=line
            ) from error
        if len(vector) != dimension:
            problem = f"expected a word and {dimension} numbers, found {len(fields)} fields"
            raise InputError(problem, path=path, line=line)
        yield line, word, vector


def _binary(stream: BinaryIO, path: str | PathLike[str]) -> _Rows:
    header = stream.readline(100)
    counts = _COUNTS.fullmatch(header)
    if not counts:
        hint = "; this is fastText's, use its .vec file" if header.startswith(_FASTTEXT) else ""
        raise InputError(f"is not word2vec's binary form{hint}", path=path)
    size = 4 * int(counts[2])
    for number in range(int(counts[1])):
        word = bytearray()
        while (byte := stream.read(1)) not in (b" ", b""):
            word += byte
        data = stream.read(size)
        if len(data) < size:
            raise InputError(
                f"ends in the vector of word {number + 1} of {counts[1].decode()}", path=path
            )
        yield None, word.decode("utf-8", "replace").lstrip("\n"), np.frombuffer(data, dtype="<f4")


def _wink(stream: BinaryIO, path: str | PathLike[str]) -> _Rows:
    """``{"dimensions": 100, ..., "vectors": {"the": [...], ...}, ...}``, streamed.

    wink appends two numbers to each vector, its length and its row, which are dropped.
    """
    buffer = b""
    while not (start := _WINK_START.search(buffer)):
        chunk = stream.read(_CHUNK_BYTES)
        if not chunk:
            raise InputError("has no object 'vectors': not wink's word vectors", path=path)
        buffer += chunk
    dimensions = _WINK_DIMENSIONS.search(buffer)
    dimension = int(dimensions[1]) if dimensions else None
    position = start.end()
    while True:
        entry = _WINK_ENTRY.match(buffer, position)
        if entry:
            position = entry.end()
            try:
                word = parse_json(entry[1])
                vector = np.array(list(map(float, entry[2].split(b","))), dtype=np.float32)
            except ValueError as error:
                raise InputError(f"not a word and its numbers ({error})", path=path) from error
            yield None, word, vector[:dimension]
        elif buffer[position:].lstrip().startswith(b"}"):
            return
        else:
            chunk = stream.read(_CHUNK_BYTES)
            if not chunk:
                raise InputError("the object 'vectors' is damaged or ends too early", path=path)
            buffer, position = buffer[position:] + chunk, 0
