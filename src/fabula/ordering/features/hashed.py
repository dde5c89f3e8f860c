"""Hashed features of a pair of units (feature hashing, Weinberger et al. 2009).

They are antisymmetric: swapping the units flips every sign, so a linear model over them cannot
prefer the order in which a pair happens to be given.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from fabula.ordering.features.moment_signs import earlier
from fabula.text.lexicon import ANAPHORS
from fabula.text.temporal.expressions import moment_of

__all__ = ["BITS", "pair_matrix", "pair_scores"]

BITS = 18
_SIZE = 1 << BITS
_WORD = re.compile(r"[A-Za-z']+|\d+|[^\w\s]")


def _slot(feature: str) -> int:
    # crc32: the same on every machine and run
    return zlib.crc32(feature.encode("utf-8", "surrogatepass")) % _SIZE


def _unit_features(words: Sequence[str], raw: Sequence[str]) -> Counter[str]:
    """Features of one unit: its words, how it opens and closes, its length, its numbers."""
    found: Counter[str] = Counter(f"w:{word}" for word in set(words))
    found.update(f"2:{a} {b}" for a, b in set(pairwise(words)))
    found.update(f"o{i}:{word}" for i, word in enumerate(words[:3]))
    found.update([f"oo:{' '.join(words[:2])}", f"c:{' '.join(words[-3:])}"])
    found[f"len:{min(len(words) // 6, 8)}"] += 1
    found["digits" if any(word.isdigit() for word in words) else "no digits"] += 1
    found["names"] = sum(word[0].isupper() for word in raw[1:])
    found["pronouns"] = sum(word in ANAPHORS for word in words)
    return found


def _link_features(first: _Unit, second: _Unit) -> list[tuple[str, float]]:
    """Features of "first before second": times told, shared words and their articles."""
    links = [(f"time:{kind}", sign) for kind, sign in earlier(first.moment, second.moment).items()]
    shared = first.content & second.content
    if shared:
        # An entity is introduced at length or with "a", and mentioned again with "the".
        links.append(("longer first", float(len(first.words) > len(second.words))))
        for word in shared:
            for mark, unit in (("in first", first), ("in second", second)):
                before = unit.before.get(word, "")
                if before in ("a", "an", "the", "this", "that", "these", "those", "his", "her"):
                    links.append((f"{before} {mark}", 1.0))
    links.append((f"open:{first.opening}|{second.opening}", 1.0))
    if second.words and second.words[0] in ANAPHORS:
        links.append(("pronoun opens second", 1.0))
    return links


class _Unit:
    """A unit's words, the word before each, its time expression and its hashed features."""

    def __init__(self, text: str) -> None:
        raw = _WORD.findall(text)
        self.words = [word.lower() for word in raw]
        self.content = {w for w in self.words if len(w) > 3 and w not in ANAPHORS}
        self.before = {w: b for b, w in pairwise(self.words)}
        self.moment = moment_of(text)
        self.opening = self.words[0] if self.words else ""
        counts = _unit_features(self.words, raw)
        scale = 1.0 / np.sqrt(max(sum(v * v for v in counts.values()), 1.0))
        self.slots = np.array([_slot(f) for f in counts], dtype=np.int64)
        self.values = np.array([v * scale for v in counts.values()])


def pair_matrix(
    units: Sequence[str],
) -> tuple[sparse.csr_matrix, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """One row for each pair i < j of units ("i before j"), and the pairs."""
    read = [_Unit(unit) for unit in units]
    pairs = [(i, j) for i in range(len(read)) for j in range(i + 1, len(read))]
    columns, values, ends = [], [], [0]
    for i, j in pairs:
        one, two = read[i], read[j]
        forth, back = _link_features(one, two), _link_features(two, one)
        columns.append(one.slots)
        columns.append(two.slots)
        columns.append(np.array([_slot(f) for f, _ in forth + back], dtype=np.int64))
        values.append(one.values)
        values.append(-two.values)
        values.append(np.array([0.3 * v for _, v in forth] + [-0.3 * v for _, v in back]))
        ends.append(ends[-1] + len(one.slots) + len(two.slots) + len(forth) + len(back))
    shape = (len(pairs), _SIZE)
    if not pairs:
        return sparse.csr_matrix(shape), np.zeros((0, 2), dtype=np.int64)
    matrix = sparse.csr_matrix(
        (np.concatenate(values), np.concatenate(columns), np.array(ends)), shape=shape
    )
    return matrix, np.array(pairs, dtype=np.int64)


def pair_scores(units: Sequence[str], weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """n x n: ``pair_matrix @ weights`` for every pair, without the matrix; antisymmetric."""
    read = [_Unit(unit) for unit in units]
    alone = np.array([float(weights[unit.slots] @ unit.values) for unit in read])
    cached: dict[str, float] = {}

    def weight(feature: str) -> float:
        if feature not in cached:
            cached[feature] = float(weights[_slot(feature)])
        return cached[feature]

    links = np.zeros((len(read), len(read)))
    for i, one in enumerate(read):
        for j, two in enumerate(read):
            if i != j:
                links[i, j] = sum(weight(name) * value for name, value in _link_features(one, two))
    return np.asarray(alone[:, None] - alone[None, :] + 0.3 * (links - links.T))
