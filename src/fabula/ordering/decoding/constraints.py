"""Constraints on an order: first, last, precedence pairs, blocks of adjacent units."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.ordering.decoding.kemeny import decode_gains, gains
from fabula.ordering.decoding.permutation_marginals import pair_marginals
from fabula.ordering.decoding.sequential_beam import sequential_beam_search
from fabula.ordering.items import OrderScores

__all__ = ["OrderConstraints", "constrained_order", "order_by_scores"]

_CERTAIN = 50.0  # log-odds that no evidence outweighs


@dataclass(frozen=True, slots=True)
class OrderConstraints:
    """Constraints on an order, as unit numbers from 0.

    The units of a block stand side by side; their order among each other is left open.
    """

    first: int | None = None
    last: int | None = None
    before: tuple[tuple[int, int], ...] = ()
    blocks: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(
        cls,
        first: int | None,
        last: int | None,
        before: Iterable[Sequence[int]],
        blocks: Iterable[Sequence[int]],
    ) -> OrderConstraints:
        """From a caller's arguments: pairs and blocks may be lists, as in JSON."""
        pairs, groups = list(before), list(blocks)
        for name, value in (("before", pairs), ("blocks", groups)):
            if not all(isinstance(row, Sequence) for row in value):
                raise UsageError(f"{name} takes a list of lists of unit numbers, not {value!r}")
        return cls(first, last, tuple(map(tuple, pairs)), tuple(map(tuple, groups)))  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return bool(self.first is not None or self.last is not None or self.before or self.blocks)

    def broken(self, order: Sequence[int]) -> set[str]:
        """The constraints that an order violates, by name."""
        if not order:
            return set()
        position = {unit: at for at, unit in enumerate(order)}
        broken = {f"{i} before {j}" for i, j in self.before if position[i] > position[j]}
        if self.first not in (None, order[0]):
            broken.add("first")
        if self.last not in (None, order[-1]):
            broken.add("last")
        for block in self.blocks:
            span = {position[unit] for unit in block}
            if span and max(span) - min(span) >= len(span):
                broken.add(f"block {block}")
        return broken

    def check(self, n: int) -> None:
        """Refuse units that do not exist and constraints that contradict each other."""
        _groups(self, n)
        _must(self, n)


def constrained_order(
    before: NDArray[np.floating], constraints: OrderConstraints, decoder: str | None = None
) -> tuple[int, ...]:
    """The best order under P(i before j) that keeps the constraints.

    A block is decoded by itself and then moved as one unit. That is exact for Kemeny's objective:
    what a block gains from the units around it does not depend on the order inside it. (It is not
    for ``held-karp``, whose objective is over adjacent pairs.)
    """
    n, decoder = len(before), decoder or "best"
    groups, must, gain = _groups(constraints, n), _must(constraints, n), gains(before)
    if len(groups) == n:
        return decode_gains(gain, decoder, must)
    inner = []
    for group in groups:
        part = np.ix_(group, group)
        inner.append([group[i] for i in decode_gains(gain[part], decoder, must[part])])
    member = _member(groups, n)
    outer = decode_gains(member @ gain @ member.T, decoder, _lift(must, groups))
    return tuple(unit for number in outer for unit in inner[number])


def order_by_scores(scores: OrderScores, constraints: OrderConstraints) -> tuple[int, ...]:
    """The best order that keeps the constraints, by beam search or by permutation marginals."""
    n = len(scores.precedence)
    groups, must = _groups(constraints, n), _must(constraints, n)
    group = _member(groups, n).argmax(axis=0)
    # A predecessor of one unit of a block has to precede all of them.
    outside = _lift(must, groups)[np.ix_(group, group)] & (group[:, None] != group)
    if not scores.joint:
        return sequential_beam_search(scores, must | outside, group)
    precedence = scores.precedence + _CERTAIN * (must.astype(float) - must.T)
    adjacency = scores.adjacency + _CERTAIN * (group[:, None] == group)  # n - 1 times at most
    forced = replace(scores, precedence=precedence, adjacency=adjacency)
    return constrained_order(pair_marginals(forced), constraints)


def _member(groups: Sequence[Sequence[int]], n: int) -> NDArray[np.int64]:
    """groups x n: 1 where a unit is in a group."""
    member = np.zeros((len(groups), n), dtype=np.int64)
    for number, group in enumerate(groups):
        member[number, group] = 1
    return member


def _groups(constraints: OrderConstraints, n: int) -> list[list[int]]:
    """The blocks, and every other unit as a group of one, sorted by their lowest unit."""
    owner: dict[int, int] = {}
    for number, block in enumerate(constraints.blocks):
        for unit in block:
            _check_unit(unit, n, "block")
            if owner.setdefault(unit, number) != number:
                raise UsageError(f"unit {unit + 1} is in two blocks; make one block of them")
    groups = [sorted(set(block)) for block in constraints.blocks if block]
    groups += [[unit] for unit in range(n) if unit not in owner]
    return sorted(groups)


def _must(constraints: OrderConstraints, n: int) -> NDArray[np.bool_]:
    """must[i, j]: i has to stand before j, by the transitive closure of the constraints."""
    must = np.zeros((n, n), dtype=bool)
    for unit, name in ((constraints.first, "first"), (constraints.last, "last")):
        if unit is not None:
            _check_unit(unit, n, name)
    for pair in constraints.before:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise UsageError(f"before: {pair!r} is no pair of units")
        for unit in pair:
            _check_unit(unit, n, "before")
        must[tuple(pair)] = True
    if constraints.first is not None:
        must[constraints.first] = True
        must[constraints.first, constraints.first] = False
    if constraints.last is not None:
        must[:, constraints.last] = True
        must[constraints.last, constraints.last] = False
    closed = _closure(must)
    _refuse_cycles(closed, [[unit] for unit in range(n)])
    groups = _groups(constraints, n)
    if len(groups) < n:
        _refuse_cycles(_lift(closed, groups), groups)
    return closed


def _lift(must: NDArray[np.bool_], groups: list[list[int]]) -> NDArray[np.bool_]:
    """lifted[g, h]: some unit of group g has to stand before some unit of group h."""
    member = _member(groups, len(must))
    lifted = (member @ must.astype(np.int64) @ member.T) > 0
    np.fill_diagonal(
        lifted, np.array([len(group) == 1 and must[group[0], group[0]] for group in groups])
    )
    return _closure(lifted)


def _closure(must: NDArray[np.bool_]) -> NDArray[np.bool_]:
    closed = must.copy()
    # Warshall's algorithm; only units with predecessors and successors can connect others.
    for middle in np.flatnonzero(must.any(axis=0) & must.any(axis=1)):
        closed |= closed[:, middle, None] & closed[middle]
    return closed


def _refuse_cycles(closed: NDArray[np.bool_], groups: list[list[int]]) -> None:
    cyclic = np.flatnonzero(np.diag(closed))
    if len(cyclic):
        units = sorted(unit + 1 for number in cyclic for unit in groups[number])
        shown = ", ".join(map(str, units[:8])) + (" ..." if len(units) > 8 else "")
        raise UsageError(
            f"the rules contradict each other: each of the units {shown} would have to stand "
            "before itself; leave one rule out"
        )


def _check_unit(unit: int, n: int, rule: str) -> None:
    if not hasattr(unit, "__index__"):
        raise UsageError(f"{rule}: {unit!r} is no unit; units are named by their numbers")
    if not 0 <= unit < n:
        raise UsageError(f"{rule}: there is no unit {unit + 1}; there are {n}, counted from 1")
