"""Must-link and cannot-link constraints (Wagstaff et al. 2001) on a correlation clustering.

Sentences linked by a must-link become one node whose log-odds are summed; a cannot-link is a
log-odds that no evidence outweighs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.salads.clustering.correlation import correlation_clusters
from fabula.salads.clustering.number_of_stories import cost_by_story_length
from fabula.salads.models.documents.model import Unit

__all__ = [
    "UNCONSTRAINED", "Constraints", "constrained_clusters", "constrained_units", "keep_apart",
]  # fmt: skip

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]
_CANNOT_LINK = -1e6  # log-odds


@dataclass(frozen=True, slots=True)
class Constraints:
    """Groups of sentence indices (from 0) to keep together, and groups to keep all apart."""

    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.together or self.apart)

    def check(self, n: int) -> None:
        """Refuse an index outside 0..n-1."""
        for group in (*self.together, *self.apart):
            for index in group:
                if not 0 <= index < n:
                    raise UsageError(
                        f"a constraint names sentence {index + 1}; there are sentences 1 to {n}"
                    )


UNCONSTRAINED = Constraints()


def constrained_units(units: Sequence[Unit], constraints: Constraints) -> list[Unit]:
    """Units that keep the constraints: those to be kept together are joined; one that holds
    sentences to be kept apart falls into its sentences."""
    n = sum(len(unit.sentences) for unit in units)
    constraints.check(n)
    if not constraints:
        return list(units)
    apart = {index for group in constraints.apart for index in group}
    pieces: list[Unit] = []
    for unit in units:
        if len(apart.intersection(unit.sentences)) > 1:
            pieces += [Unit((index,), unit.document) for index in unit.sentences]
        else:
            pieces.append(unit)
    number = {index: at for at, unit in enumerate(pieces) for index in unit.sentences}
    linked = [tuple(number[index] for index in group) for group in constraints.together]
    joined: dict[int, list[int]] = {}
    for at, node in enumerate(_must_link_components(len(pieces), linked).tolist()):
        joined.setdefault(node, []).append(at)
    units = [
        Unit(
            tuple(sorted(index for at in group for index in pieces[at].sentences)),
            pieces[group[0]].document,
        )
        for group in joined.values()
    ]
    for first, second in _pairs(constraints.apart):
        if any(first in unit.sentences and second in unit.sentences for unit in units):
            raise _contradictory(first, second)
    return units


def keep_apart(
    log_odds: Floats,
    units: Sequence[Unit],
    constraints: Constraints,
    labels: Labels | None,
    k: int | None,
) -> Labels | None:
    """Write the cannot-links into the log-odds; of labels found under them, mend what is left."""
    if not constraints.apart:
        return labels
    number = {index: at for at, unit in enumerate(units) for index in unit.sentences}
    for first, second in _pairs(constraints.apart):
        log_odds[number[first], number[second]] = _CANNOT_LINK
        log_odds[number[second], number[first]] = _CANNOT_LINK
    return None if labels is None else _repair_cannot_links(log_odds, labels, k)


def _contradictory(first: int, second: int) -> UsageError:
    return UsageError(f"sentences {first + 1} and {second + 1} are to be kept together and apart")


def constrained_clusters(
    log_odds: Floats, constraints: Constraints, k: int | None = None
) -> Labels:
    """Labels of the best grouping that keeps the constraints; contradictory ones are an error.

    k stories, or without k as many as the evidence allows; see ``correlation_clusters``.
    """
    n = len(log_odds)
    constraints.check(n)
    node = _must_link_components(n, constraints.together)
    cannot_links = _pairs(constraints.apart)
    for first, second in cannot_links:
        if node[first] == node[second]:
            raise _contradictory(first, second)
    member = np.eye(int(node.max()) + 1)[node]
    reduced = member.T @ log_odds @ member
    np.fill_diagonal(reduced, 0.0)
    for first, second in cannot_links:
        reduced[node[first], node[second]] = reduced[node[second], node[first]] = _CANNOT_LINK
    if k is not None and k > len(reduced):
        raise UsageError(
            f"{k} stories are asked for, but with what must stay together there are only "
            f"{len(reduced)} pieces"
        )
    labels = correlation_clusters(reduced, k, story_cost=cost_by_story_length)
    return np.asarray(_repair_cannot_links(reduced, labels, k)[node])


def _must_link_components(n: int, together: Sequence[Sequence[int]]) -> Labels:
    """The connected component of each sentence under the must-links (union-find)."""
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


def _repair_cannot_links(log_odds: Floats, labels: Labels, k: int | None) -> Labels:
    """Move nodes whose cannot-link local search left violated, each to its best allowed story."""
    labels = labels.copy()
    cannot_link = log_odds <= _CANNOT_LINK / 2
    for node in np.argsort(-cannot_link.sum(axis=1), kind="stable"):
        if not (cannot_link[node] & (labels == labels[node])).any():
            continue
        stories = range(int(labels.max()) + 1 if k is not None else int(labels.max()) + 2)
        allowed = [s for s in stories if not (cannot_link[node] & (labels == s)).any()]
        if not allowed:
            raise UsageError(f"what must be kept apart does not fit into {k} stories; allow more")
        totals = [
            log_odds[node][(labels == story) & (np.arange(len(labels)) != node)].sum()
            for story in allowed
        ]
        labels[node] = allowed[int(np.argmax(totals))]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
