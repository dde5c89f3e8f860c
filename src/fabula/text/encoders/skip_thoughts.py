"""Skip-thought vectors (Kiros et al. 2015), from the files their authors published.

A folder with ``dictionary.txt``, ``utable.npy``, ``btable.npy``, ``uni_skip.npz`` and
``bi_skip.npz``. The ``.npz.pkl`` files beside them are never read: all sizes are in the arrays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import DamagedFile, MissingPart, UsageError

__all__ = ["SkipThoughts", "skip_thoughts_encoder"]

Floats = NDArray[np.float32]
FILES = ("dictionary.txt", "utable.npy", "btable.npy", "uni_skip.npz", "bi_skip.npz")
_HOME = "http://www.cs.toronto.edu/~rkiros/models/"
_UNKNOWN = "UNK"
# The Penn Treebank's tokens, as NLTK's word_tokenize makes them for plain sentences.
_TOKEN = re.compile(
    r"\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b|\w+(?:[-.]\w+)*|\.\.\.|[^\w\s]",
    re.IGNORECASE,
)


class SkipThoughts:
    """combine-skip: the uni-skip vector and the two of bi-skip, each part of unit length.

    Every part is the last state of a GRU over the words; the last one reads them backwards. Words
    outside the dictionary are ``UNK``.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder = folder

    def encode(self, sentences: Sequence[str], /) -> Floats:
        """One row a sentence: uni-skip, then bi-skip forwards and backwards."""
        if isinstance(sentences, str):
            raise UsageError("encode takes a list of strings; this is one string")
        if not hasattr(self, "parts_"):
            self._load()
        known = self.dictionary_
        words = [
            [known.get(token, known[_UNKNOWN]) for token in _TOKEN.findall(sentence)]
            for sentence in sentences
        ]
        uni, forwards, backwards = (np.zeros((len(words), g.size), np.float32) for g in self.parts_)
        for length in sorted({len(some) for some in words} - {0}):
            places = [i for i, some in enumerate(words) if len(some) == length]
            rows = np.array([words[i] for i in places])
            uni[places] = self.parts_[0].read(self.tables_[0][rows])
            both = self.tables_[1][rows]
            forwards[places] = self.parts_[1].read(both)
            backwards[places] = self.parts_[2].read(both[:, ::-1])
        return np.hstack([_unit(uni), _unit(np.hstack([forwards, backwards]))])

    def _load(self) -> None:
        folder = Path(self.folder)
        missing = [name for name in FILES if not (folder / name).is_file()]
        if missing:
            fetch = " ".join(f"{_HOME}{name}" for name in missing)
            raise MissingPart(f"skip-thoughts ({folder} lacks {', '.join(missing)})", fetch)
        try:
            words = (folder / "dictionary.txt").read_text(encoding="utf-8").split("\n")
            self.dictionary_ = {word.strip(): i for i, word in enumerate(words) if word.strip()}
            self.tables_ = [
                np.load(folder / name, mmap_mode="r", allow_pickle=False) for name in FILES[1:3]
            ]
            parts = []
            for name, prefix in (("uni", "encoder"), ("bi", "encoder"), ("bi", "encoder_r")):
                with np.load(folder / f"{name}_skip.npz", allow_pickle=False) as arrays:
                    parts.append(_Gru(arrays, prefix))
            if any(len(table) < len(self.dictionary_) for table in self.tables_):
                raise ValueError("the dictionary has more words than a table has rows")
            if _UNKNOWN not in self.dictionary_:
                raise ValueError(f"the dictionary has no word {_UNKNOWN}")
            self.parts_ = parts
        except (OSError, KeyError, ValueError) as error:
            raise DamagedFile(f"{folder}: not the published skip-thoughts: {error}") from error


class _Gru:
    """A gated recurrent unit with the published names: W, U and b of the gates, Wx, Ux, bx."""

    def __init__(self, arrays: Mapping[str, Any], prefix: str) -> None:
        names = ("W", "U", "b", "Wx", "Ux", "bx")
        self.weights = [np.asarray(arrays[f"{prefix}_{name}"], np.float32) for name in names]
        self.size = self.weights[4].shape[0]

    def read(self, words: Floats) -> Floats:
        """The last state after words (sentences, length, dimension)."""
        w, u, b, wx, ux, bx = self.weights
        state = np.zeros((len(words), self.size), np.float32)
        for step in range(words.shape[1]):
            word = words[:, step]
            gates = 1.0 / (1.0 + np.exp(-(word @ w + state @ u + b)))
            reset, update = gates[:, : self.size], gates[:, self.size :]
            new = np.tanh(reset * (state @ ux) + word @ wx + bx)
            state = update * state + (1.0 - update) * new
        return state


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), dtype=np.float32)


def skip_thoughts_encoder(path: str | None = None) -> SkipThoughts:
    """The encoder ``skip-thoughts``, from ``path`` or the folder ``$FABULA_SKIP_THOUGHTS``."""
    chosen = path or os.environ.get("FABULA_SKIP_THOUGHTS")
    if not chosen:
        fetch = f"curl -O {_HOME}{{{','.join(FILES)}}}; export FABULA_SKIP_THOUGHTS=THAT_FOLDER"
        raise MissingPart("skip-thoughts (its authors publish the files)", fetch)
    return SkipThoughts(chosen)
