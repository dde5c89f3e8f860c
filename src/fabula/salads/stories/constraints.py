"""Keep together, keep apart: what a person knows, honoured by the clustering.

Sentences that must stay together become one node whose log-odds are summed; sentences that must
stay apart get log-odds no evidence can outweigh.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.salads.clustering.correlation import correlate

__all__ = ["Constraints", "constrained"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]
_NEVER = -1e6  # log-odds of what must not be


@dataclass(frozen=True, slots=True)
class Constraints:
    """Groups of sentence indices (from 0) to keep together, and groups to keep all apart."""

    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.together or self.apart)

    def check(self, n: int) -> None:
        for group in (*self.together, *self.apart):
            for index in group:
                if not 0 <= index < n:
                    raise UsageError(
                        f"a constraint names sentence {index + 1}; there are sentences 1 to {n}"
                    )


def constrained(
    odds: Floats, constraints: Constraints, k: int | None, *, by_size: bool = False
) -> Labels:
    """The best grouping that keeps to the constraints; contradictory ones are an error."""
    n = len(odds)
    constraints.check(n)
    node = _nodes(n, constraints.together)
    apart = _pairs(constraints.apart)
    for first, second in apart:
        if node[first] == node[second]:
            raise UsageError(
                f"sentences {first + 1} and {second + 1} are to be kept together and apart"
            )
    member = np.eye(int(node.max()) + 1)[node]
    reduced = member.T @ odds @ member
    np.fill_diagonal(reduced, 0.0)
    for first, second in apart:
        reduced[node[first], node[second]] = reduced[node[second], node[first]] = _NEVER
    if k is not None and k > len(reduced):
        raise UsageError(
            f"{k} stories are asked for, but with what must stay together there are only "
            f"{len(reduced)} pieces"
        )
    labels = _kept_apart(reduced, correlate(reduced, k, by_size=by_size), k)
    return np.asarray(labels[node])


def _nodes(n: int, together: Sequence[Sequence[int]]) -> Labels:
    """A node number for each sentence: equal where sentences are tied to each other."""
    parent = list(range(n))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for group in together:
        for index in group[1:]:
            parent[root(index)] = root(group[0])
    return np.unique([root(i) for i in range(n)], return_inverse=True)[1].astype(np.int64)


def _pairs(groups: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    return [(a, b) for group in groups for at, a in enumerate(group) for b in group[at + 1 :]]


def _kept_apart(odds: Floats, labels: Labels, k: int | None) -> Labels:
    """Repair what local search could not: each node in turn to its best story without a foe."""
    labels = labels.copy()
    foes = odds <= _NEVER / 2
    for node in np.argsort(-foes.sum(axis=1), kind="stable"):
        if not (foes[node] & (labels == labels[node])).any():
            continue
        stories = range(int(labels.max()) + 1 if k is not None else int(labels.max()) + 2)
        free = [s for s in stories if not (foes[node] & (labels == s)).any()]
        if not free:
            raise UsageError(f"what must be kept apart does not fit into {k} stories; allow more")
        pull = [
            odds[node][(labels == story) & (np.arange(len(labels)) != node)].sum() for story in free
        ]
        labels[node] = free[int(np.argmax(pull))]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
