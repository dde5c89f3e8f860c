"""Duplicate items: exact, equal after normalisation (case, punctuation), and near duplicates.

Ids and the order of the options do not count. Near duplicates are found by MinHash (Broder 1997)
with banding: shingles are words and word bigrams, 64 hashes in 16 bands; items that share a band
are compared in full, and a Jaccard similarity of at least 0.8 makes a near duplicate. The work
grows with the number of items, not of pairs. Of like items, only those that ask the same and have
the same answer are duplicates (``item_pairs``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fabula.audit.stats.item_pairs import is_copy
from fabula.audit.stats.ngram_counts import hash_ngrams, mix64
from fabula.endings.items import Ending
from fabula.text.segment.treebank import plain

__all__ = ["NEAR", "Duplicate", "DuplicateIndex", "connected_groups", "jaccard"]

NEAR = 0.8
_BANDS, _ROWS = 16, 4
_BLOCK = 4096
_LONGEST = 20_000  # characters of a context that are compared

Hashes = NDArray[np.uint64]
Pairs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Item ``item`` of the index duplicates ``other``, at ``other_index`` if that is in it too."""

    item: int
    other: Ending
    kind: str  # "exact", "normalised" or "near"
    similarity: float = 1.0
    other_index: int = -1


class DuplicateIndex:
    """An index of items by MinHash bands, in which near duplicates are looked up."""

    def __init__(self, items: Sequence[Ending]) -> None:
        self.items = items
        self._exact: dict[int, list[int]] = {}
        self._normalised: dict[int, list[int]] = {}
        self._contexts: dict[int, int] = {}
        keys = [_item_keys(item) for item in items]
        self.keys = keys
        for index, (exact, normalised, context) in enumerate(keys):
            self._exact.setdefault(exact, []).append(index)
            self._normalised.setdefault(normalised, []).append(index)
            if context:
                self._contexts.setdefault(context, index)
        signatures, self._shingles, self._starts = self._read(items)
        self._signatures = signatures
        self._bands = [_band_keys(signatures, band) for band in range(_BANDS)]
        self._orders = [np.argsort(keys, kind="stable") for keys in self._bands]

    def inside(self) -> list[Duplicate]:
        """Each item that duplicates an earlier one, by the strictest kind that holds."""
        duplicates: dict[int, Duplicate] = {}
        for index, (exact, normalised, _) in enumerate(self.keys):
            for kind, items_by_key, key in (
                ("exact", self._exact, exact),
                ("normalised", self._normalised, normalised),
            ):
                first = items_by_key[key][0]
                if first != index:
                    duplicates[index] = Duplicate(index, self.items[first], kind, other_index=first)
                    break
        for first, second, similarity in self._near_inside():
            if second not in duplicates and is_copy(self.items[first], self.items[second]):
                duplicates[second] = Duplicate(second, self.items[first], "near", similarity, first)
        return [duplicates[index] for index in sorted(duplicates)]

    def repeated_contexts(self) -> int:
        """The number of items whose context an earlier item has with other options."""
        return sum(
            1
            for index, (_, normalised, context) in enumerate(self.keys)
            if context
            and self._contexts[context] != index
            and self.keys[self._contexts[context]][1] != normalised
        )

    def against(self, others: Iterable[Ending]) -> tuple[list[Duplicate], int, int]:
        """Duplicates among other items, how many share only the context, and how many were read.

        The others are read in blocks and not kept, so a file may be larger than memory.
        """
        duplicates: dict[int, Duplicate] = {}
        contexts: set[int] = set()
        ranks = {"exact": 0, "normalised": 1, "near": 2}
        read = 0
        stream = iter(others)
        while block := list(islice(stream, _BLOCK)):
            read += len(block)
            for duplicate in self._compare(block):
                earlier = duplicates.get(duplicate.item)
                if earlier is None or ranks[duplicate.kind] < ranks[earlier.kind]:
                    duplicates[duplicate.item] = duplicate
            for item in block:
                context = _item_keys(item)[2]
                if context in self._contexts:
                    contexts.add(context)
        for index in duplicates:
            contexts.discard(self.keys[index][2])
        same = sum(1 for _, _, context in self.keys if context in contexts)
        return [duplicates[index] for index in sorted(duplicates)], same, read

    def _compare(self, block: Sequence[Ending]) -> Iterator[Duplicate]:
        """Every item of the index that duplicates one of the block."""
        for item in block:
            exact, normalised, _ = _item_keys(item)
            for index in self._normalised.get(normalised, ()):
                same = self.keys[index][0] == exact
                yield Duplicate(index, item, "exact" if same else "normalised")
        if not len(self.items):
            return
        signatures, shingles, starts = self._read(block)
        pairs = []
        for band, order in enumerate(self._orders):
            keys_here = self._bands[band][order]
            wanted = _band_keys(signatures, band)
            at = np.searchsorted(keys_here, wanted)
            at[at == len(keys_here)] = 0
            hits = np.flatnonzero(keys_here[at] == wanted)
            pairs.append(np.column_stack([order[at[hits]], hits]))
        for ours, theirs in _similar_signatures(_unique(pairs), self._signatures, signatures):
            similarity = jaccard(
                self._shingles[self._starts[ours] : self._starts[ours + 1]],
                shingles[starts[theirs] : starts[theirs + 1]],
            )
            if similarity >= NEAR and is_copy(self.items[ours], block[theirs]):
                yield Duplicate(int(ours), block[theirs], "near", similarity)

    def _near_inside(self) -> Iterator[tuple[int, int, float]]:
        pairs = []
        for keys, order in zip(self._bands, self._orders, strict=True):
            sorted_keys = keys[order]
            new = np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])
            heads = order[np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))]
            # Each with the first of its bucket and with the one before it, not all pairs.
            follows = np.flatnonzero(~new)
            pairs.append(np.column_stack([heads[follows], order[follows]]))
            pairs.append(np.column_stack([order[follows - 1], order[follows]]))
        for first, second in _similar_signatures(
            _unique(pairs), self._signatures, self._signatures
        ):
            similarity = jaccard(
                self._shingles[self._starts[first] : self._starts[first + 1]],
                self._shingles[self._starts[second] : self._starts[second + 1]],
            )
            if similarity >= NEAR:
                yield min(first, second), max(first, second), similarity

    def _read(self, items: Sequence[Ending]) -> tuple[NDArray[np.uint32], Hashes, Pairs]:
        """MinHash signatures, sorted sets of shingles one after another, and where each starts."""
        signatures, sets, lengths = [], [], [0]
        for start in range(0, len(items), _BLOCK):
            block = items[start : start + _BLOCK]
            shingles, owners = self._shingle(block)
            order = np.lexsort((shingles, owners))
            shingles, owners = shingles[order], owners[order]
            new = np.ones(len(shingles), dtype=bool)
            new[1:] = (shingles[1:] != shingles[:-1]) | (owners[1:] != owners[:-1])
            shingles, owners = shingles[new], owners[new]
            counts = np.bincount(owners, minlength=len(block))
            signatures.append(_minhash(shingles, counts))
            sets.append(shingles)
            lengths += counts.tolist()
        if not signatures:
            empty = np.empty((0, _BANDS * _ROWS), dtype=np.uint32)
            return empty, np.empty(0, dtype=np.uint64), np.zeros(1, dtype=np.int64)
        return np.concatenate(signatures), np.concatenate(sets), np.cumsum(lengths)

    def _shingle(self, block: Sequence[Ending]) -> tuple[Hashes, Pairs]:
        """Hashes of the words and word bigrams of each item, none across the end of a text."""
        symbols: list[int] = []
        owners: list[int] = []
        texts: list[int] = []
        number = 0
        for index, item in enumerate(block):
            for text in (" ".join(item.context)[:_LONGEST], *item.options):
                words = plain(text[:_LONGEST]).split()
                symbols += [crc32(word.encode("utf-8", "replace")) for word in words]
                owners += [index] * len(words)
                texts += [number] * len(words)
                number += 1
        hashes = mix64(np.array(symbols, dtype=np.uint64) + np.uint64(1))
        first_word = np.full(number, 0, dtype=np.int64)
        first_word[texts] = owners
        pairs, pair_texts = hash_ngrams(hashes, np.array(texts, dtype=np.int64), 2)
        return (
            np.concatenate([hashes, pairs]),
            np.concatenate([np.array(owners, dtype=np.int64), first_word[pair_texts]]),
        )


def _item_keys(item: Ending) -> tuple[int, int, int]:
    """Hashes of an item, of the item normalised, and of its normalised context (0 if empty)."""
    text = " ".join((*item.context, item.relation or ""))
    exact = (" ".join(text.split()), tuple(sorted(" ".join(o.split()) for o in item.options)))
    context = plain(text)
    normalised = (context, tuple(sorted(plain(o) or o.strip() for o in item.options)))
    return hash(exact), hash(normalised), hash(context) if context else 0


def jaccard(one: Hashes, other: Hashes) -> float:
    """The Jaccard similarity of two sets, given as sorted arrays; 0 if one is empty."""
    if not len(one) or not len(other):
        return 0.0
    common = len(np.intersect1d(one, other, assume_unique=True))
    return common / (len(one) + len(other) - common)


def connected_groups(n: int, pairs: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The connected component of each of ``n`` items, where pairs are edges."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    edges = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    groups: NDArray[np.int64] = connected_components(graph, directed=False)[1].astype(np.int64)
    return groups


def _minhash(shingles: Hashes, counts: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The smallest hash of each set under each of 64 hash functions; 0 for an empty set."""
    rng = np.random.default_rng(20181)
    factors = rng.integers(1, 1 << 62, size=_BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
    signature = np.zeros((len(counts), len(factors)), dtype=np.uint32)
    filled = np.flatnonzero(counts)
    starts = (np.cumsum(counts) - counts)[filled]
    if len(filled):
        for column, factor in enumerate(factors):
            hashes = ((shingles * factor) >> np.uint64(32)).astype(np.uint32)
            signature[filled, column] = np.minimum.reduceat(hashes, starts)
    return signature


def _band_keys(signatures: NDArray[np.uint32], band: int) -> Hashes:
    """One key a signature: the hash of its rows in this band."""
    keys = np.zeros(len(signatures), dtype=np.uint64)
    for row in range(band * _ROWS, (band + 1) * _ROWS):
        keys = mix64(keys * np.uint64(31) + signatures[:, row].astype(np.uint64))
    return keys


def _unique(pairs: list[Pairs]) -> Pairs:
    joined = np.concatenate(pairs).astype(np.int64).reshape(-1, 2)
    return np.unique(joined, axis=0) if len(joined) else joined


def _similar_signatures(
    pairs: Pairs, ours: NDArray[np.uint32], theirs: NDArray[np.uint32]
) -> Iterator[tuple[int, int]]:
    """Pairs whose signatures agree in so many hashes that a full comparison is worth it."""
    for start in range(0, len(pairs), 100_000):
        part = pairs[start : start + 100_000]
        agree = (ours[part[:, 0]] == theirs[part[:, 1]]).mean(axis=1)
        for one, other in part[agree >= NEAR - 0.2]:
            yield int(one), int(other)
