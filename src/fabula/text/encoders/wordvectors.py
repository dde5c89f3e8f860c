"""Word vectors, opened at once after the first time, and sentences as the mean of their words.

The first opening converts the file to a matrix that is mapped into memory, in fabula's cache.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.core.build_once import built
from fabula.core.files import cache_folder, fingerprint
from fabula.core.progress import track
from fabula.core.safety.checked_json import parse_json
from fabula.errors import DamagedFile, InputError, UsageError
from fabula.text import resources
from fabula.text.encoders.vector_files import read_vectors

__all__ = ["Average", "AveragedWords", "WordVectors", "glove_encoder"]

Floats = NDArray[np.float32]

# As in the corpora the vectors were learnt from: "don't" is "do" and "n't". No punctuation.
_TOKEN = re.compile(
    r"\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\w+(?:-\w+)*", re.IGNORECASE
)


class Average(NamedTuple):
    """The mean vector of the words in vocabulary (zero if none), and their number."""

    vector: Floats
    known: int


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Word vectors: a row number for each word, and the matrix.

    ``lower`` says that the vocabulary is lower-case; ``duplicates`` counts words that occurred in
    the file again (the first occurrence is used).
    """

    rows: dict[str, int]
    matrix: Floats
    lower: bool = False
    duplicates: int = 0

    @classmethod
    def open(cls, path: str | PathLike[str]) -> WordVectors:
        """Open a file of vectors (see ``vector_files`` for the formats), or a converted folder."""
        source = Path(path)
        if (source / "words.json").is_file():
            return cls._load(source)
        try:
            stat = source.stat()
        except OSError as error:
            raise InputError(f"cannot be opened ({error.strerror})", path=path) from error
        identity = [str(source.resolve()), str(stat.st_size), str(stat.st_mtime_ns), "1"]
        target = cache_folder() / "vectors" / fingerprint(identity)
        return cls._load(built(target, lambda folder: _convert(source, folder)))

    @classmethod
    def _load(cls, folder: Path) -> WordVectors:
        try:
            stored = parse_json((folder / "words.json").read_text(encoding="utf-8"))
            words, lower, duplicates = stored["words"], stored["lower"], stored["duplicates"]
            matrix = np.load(folder / "matrix.npy", mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, KeyError) as error:
            raise DamagedFile(f"{folder}: {error}; delete this folder and try again") from error
        if len(words) != len(matrix):
            raise DamagedFile(f"{folder}: words and rows differ; delete this folder and try again")
        rows = dict(zip(words, range(len(words)), strict=True))
        return cls(rows, matrix, lower, duplicates)

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, word: object) -> bool:
        return word in self.rows

    def vector(self, word: str) -> Floats:
        """The vector of a word; ``KeyError`` if it is not in vocabulary."""
        return np.asarray(self.matrix[self.rows[word]])

    def average(self, tokens: Iterable[str]) -> Average:
        """The mean vector of the tokens in vocabulary."""
        rows = [self.rows[token] for token in tokens if token in self.rows]
        if not rows:
            return Average(np.zeros(self.dimension, dtype=np.float32), 0)
        return Average(self.matrix[rows].mean(axis=0, dtype=np.float32), len(rows))


def _convert(source: Path, folder: Path) -> None:
    """Write ``matrix.npy`` and ``words.json``, one row at a time."""
    words: dict[str, None] = {}
    duplicates = dimension = 0
    with (folder / "matrix.npy").open("wb") as out:
        for word, vector in track(read_vectors(source), f"converting {source.name}"):
            if not words:
                dimension = len(vector)
                _write_header(out, 0, dimension)
            if word in words:
                duplicates += 1
                continue
            words[word] = None
            out.write(vector.astype("<f4").tobytes())
        out.seek(0)
        _write_header(out, len(words), dimension)  # numpy leaves room for the number of rows
    capitals = sum(word != word.lower() for word in words)
    stored = {"lower": capitals * 100 < len(words), "duplicates": duplicates, "words": list(words)}
    (folder / "words.json").write_text(json.dumps(stored), encoding="utf-8")


def _write_header(out: BinaryIO, rows: int, dimension: int) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)}
    np.lib.format.write_array_header_1_0(out, header)


class AveragedWords:
    """A sentence encoder: the mean of the word vectors, without punctuation.

    >>> animals = WordVectors({"cat": 0, "dog": 1}, np.eye(2, dtype=np.float32), lower=True)
    >>> AveragedWords(animals).encode(["The cat, the DOG."])
    array([[0.5, 0.5]], dtype=float32)
    """

    def __init__(self, vectors: WordVectors) -> None:
        self.vectors = vectors

    def encode(self, sentences: Sequence[str], /) -> Floats:
        """One row a sentence, float32; zero if no word is in vocabulary."""
        if isinstance(sentences, str):
            raise UsageError("encode takes a list of strings; this is one string")
        rows = np.zeros((len(sentences), self.vectors.dimension), dtype=np.float32)
        for row, sentence in zip(rows, sentences, strict=True):
            row[:] = self.vectors.average(self.tokens(sentence)).vector
        return rows

    def tokens(self, sentence: str) -> list[str]:
        """The words of a sentence, cased as the vocabulary; unknown hyphenated words are split."""
        text = sentence.replace("’", "'")
        tokens: list[str] = []
        for token in _TOKEN.findall(text.lower() if self.vectors.lower else text):
            whole = token in self.vectors or "-" not in token
            tokens.extend([token] if whole else token.split("-"))
        return tokens


def glove_encoder(path: str | None = None) -> AveragedWords:
    """Averaged word vectors from ``path``, else from ``$FABULA_GLOVE``, else the packaged GloVe."""
    chosen = path or os.environ.get("FABULA_GLOVE") or resources.locate("glove")
    return AveragedWords(WordVectors.open(chosen))
