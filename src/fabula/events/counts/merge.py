"""Merging sorted runs of (key, count) in a memory that does not grow with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError

__all__ = ["merge_runs"]

Run = tuple[NDArray[np.uint64], NDArray[np.uint32]]
_MOST = np.iinfo(np.uint32).max


def merge_runs(runs: Sequence[Run], block: int = 1 << 20) -> Iterator[Run]:
    """The runs as one, piece by piece: keys rise, equal keys are one and their counts are added.

    Of every run at most ``block`` entries are looked at; all up to the smallest of the last keys
    seen can be settled, because no run has anything smaller further on.
    """
    places = [0] * len(runs)
    while True:
        open_ = [i for i, (keys, _) in enumerate(runs) if places[i] < len(keys)]
        if not open_:
            return
        if len(open_) == 1:
            keys, counts = runs[open_[0]]
            at = places[open_[0]]
            places[open_[0]] = min(at + block, len(keys))
            yield keys[at : places[open_[0]]], counts[at : places[open_[0]]]
            continue
        border = min(runs[i][0][min(places[i] + block, len(runs[i][0])) - 1] for i in open_)
        pieces: list[Run] = []
        for i in open_:
            keys, counts = runs[i]
            end = places[i] + block
            stop = places[i] + int(np.searchsorted(keys[places[i] : end], border, side="right"))
            pieces.append((keys[places[i] : stop], counts[places[i] : stop]))
            places[i] = stop
        yield _merged(pieces)


def _merged(pieces: Sequence[Any]) -> Run:
    keys = np.concatenate([piece[0] for piece in pieces])
    counts = np.concatenate([piece[1] for piece in pieces]).astype(np.uint64)
    order = np.argsort(keys, kind="stable")  # runs are sorted: merging is what it is good at
    keys, counts = keys[order], counts[order]
    edges = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    sums = np.add.reduceat(counts, edges)
    if len(sums) and sums.max() > _MOST:
        raise UsageError(f"a pair was counted more than {_MOST:,} times; count in parts")
    return keys[edges], sums.astype(np.uint32)
