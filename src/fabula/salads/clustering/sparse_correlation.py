"""Correlation clustering of a sparse graph: pairs and their log-odds in, labels out.

For more units than a matrix of all pairs can hold. A pair that was not compared has log-odds of its
own (``absent``, below 0): it was no candidate, so it is unlikely to be linked, but not impossible.
Greedy agglomeration by the mean log-odds between two groups (average linkage with a heap), then
single units move to the group they gain most in. Ties are broken by the units' numbers, so that
the answer depends on the pairs alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["connected_blocks", "sparse_clusters"]

Labels = NDArray[np.int64]
_ROUNDS = 10  # over all units, of moves


def sparse_clusters(
    n: int,
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    log_odds: NDArray[np.floating],
    *,
    absent: float,
    least: float = 0.0,
    apart: NDArray[np.integer] | None = None,
) -> Labels:
    """Labels from 0, in the order of the groups' first units.

    ``first``, ``second``: the compared pairs, each once; ``least``: the mean log-odds below which
    no two groups are joined. ``apart``: units of different numbers from 0 on never come together,
    and stay where they are; -1 is free.

    >>> pairs = np.array([[0, 1], [1, 2], [2, 3]])
    >>> sparse_clusters(4, pairs[:, 0], pairs[:, 1], np.array([3.0, -2.0, 3.0]), absent=-1).tolist()
    [0, 0, 1, 1]
    """
    links: list[dict[int, tuple[float, int]]] = [{} for _ in range(n)]
    for i, j, value in zip(first.tolist(), second.tolist(), log_odds.tolist(), strict=True):
        links[i][j] = links[j][i] = (value, 1)
    owner = [-1] * n if apart is None else np.asarray(apart).tolist()
    group = _agglomerate(links, absent, least, list(owner))
    group = _moved(group, owner, first, second, log_odds, absent)
    return _numbered(group)


def _agglomerate(
    links: list[dict[int, tuple[float, int]]], absent: float, least: float, owner: list[int]
) -> list[int]:
    """The group of each unit; ``links`` (sum of log-odds, number of pairs) is used up."""
    n = len(links)
    size, merged_into = [1] * n, list(range(n))
    heap = [(-value, i, j) for i, row in enumerate(links) for j, (value, _) in row.items() if i < j]
    heap = [entry for entry in heap if -entry[0] > least]
    heapq.heapify(heap)
    while heap:
        negative, i, j = heapq.heappop(heap)
        if merged_into[i] != i or merged_into[j] != j or j not in links[i]:
            continue
        if -negative != _mean(links[i][j], size[i] * size[j], absent):
            continue  # an entry from before one of them grew
        if owner[i] >= 0 and owner[j] >= 0 and owner[i] != owner[j]:
            continue
        keep, gone = (i, j) if len(links[i]) >= len(links[j]) else (j, i)
        del links[keep][gone], links[gone][keep]
        for other, (total, pairs) in links[gone].items():
            before = links[keep].get(other, (0.0, 0))
            links[keep][other] = links[other][keep] = (before[0] + total, before[1] + pairs)
            del links[other][gone]
        links[gone] = {}
        size[keep] += size[gone]
        merged_into[gone] = keep
        owner[keep] = max(owner[keep], owner[gone])
        for other, link in links[keep].items():
            value = _mean(link, size[keep] * size[other], absent)
            if value > least:
                heapq.heappush(heap, (-value, min(keep, other), max(keep, other)))
    for unit in range(n):
        root = unit
        while merged_into[root] != root:
            root = merged_into[root]
        merged_into[unit] = root
    return merged_into


def _mean(link: tuple[float, int], pairs: int, absent: float) -> float:
    return (link[0] + absent * (pairs - link[1])) / pairs


def _moved(
    group: list[int],
    owner: list[int],
    first: NDArray[np.integer],
    second: NDArray[np.integer],
    log_odds: NDArray[np.floating],
    absent: float,
) -> list[int]:
    """The groups after each unit went, in turn, where its mean log-odds are highest."""
    n = len(group)
    neighbours: list[list[tuple[int, float]]] = [[] for _ in range(n)]
    for i, j, value in zip(first.tolist(), second.tolist(), log_odds.tolist(), strict=True):
        neighbours[i].append((j, value))
        neighbours[j].append((i, value))
    size: dict[int, int] = {}
    for label in group:
        size[label] = size.get(label, 0) + 1
    for _ in range(_ROUNDS):
        moves = 0
        for unit in range(n):
            own = group[unit]
            if owner[unit] >= 0:
                continue
            totals: dict[int, tuple[float, int]] = {}
            for other, value in neighbours[unit]:
                total, pairs = totals.get(group[other], (0.0, 0))
                totals[group[other]] = (total + value, pairs + 1)
            means = {
                label: _mean(link, size[label] - (label == own), absent)
                for label, link in totals.items()
            }
            here = means.get(own, absent if size[own] > 1 else 0.0)
            best = max(means, key=lambda label: (means[label], -label), default=own)
            if best != own and means[best] > max(here, 0.0) + 1e-9:
                size[own] -= 1
                size[best] += 1
                group[unit] = best
                moves += 1
        if not moves:
            break
    return group


def connected_blocks(
    n: int, first: NDArray[np.integer], second: NDArray[np.integer]
) -> list[NDArray[np.int64]]:
    """The connected components of some pairs, each sorted, by their first units."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    graph = sparse.coo_matrix((np.ones(len(first), np.int8), (first, second)), shape=(n, n))
    count, labels = connected_components(graph, directed=False)
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(labels, minlength=count))[:-1])
    return sorted((np.sort(part) for part in parts if len(part)), key=lambda part: int(part[0]))


def _numbered(group: Iterable[int]) -> Labels:
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in group], dtype=np.int64)
