"""What the user knows of the order: first, last, this before that, units that stay together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.ordering.decoding.kemeny import decode_gains, gains
from fabula.ordering.decoding.permutation_marginals import pair_chances
from fabula.ordering.decoding.sequential_beam import Walk, best_walk

__all__ = ["Rules", "decode_under", "walk_under"]

_SURE = 50.0  # log-odds that no evidence outweighs


@dataclass(frozen=True, slots=True)
class Rules:
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
    ) -> Rules:
        """From what a caller gives: pairs and blocks may be lists, as JSON has them."""
        pairs, together = list(before), list(blocks)
        for what, some in (("before", pairs), ("blocks", together)):
            if not all(isinstance(one, Sequence) for one in some):
                raise UsageError(f"{what} takes a list of lists of unit numbers, not {some!r}")
        return cls(first, last, tuple(map(tuple, pairs)), tuple(map(tuple, together)))  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return bool(self.first is not None or self.last is not None or self.before or self.blocks)

    def broken(self, order: Sequence[int]) -> set[str]:
        """The rules that an order breaks."""
        if not order:
            return set()
        place = {unit: at for at, unit in enumerate(order)}
        found = {f"{one} before {two}" for one, two in self.before if place[one] > place[two]}
        if self.first not in (None, order[0]):
            found.add("first")
        if self.last not in (None, order[-1]):
            found.add("last")
        for block in self.blocks:
            span = {place[unit] for unit in block}
            if span and max(span) - min(span) >= len(span):
                found.add(f"block {block}")
        return found

    def check(self, n: int) -> None:
        """Every unit must exist, and no two rules may contradict each other."""
        _groups(self, n)
        _must(self, n)


def decode_under(
    before: NDArray[np.floating], rules: Rules, decoder: str | None = None
) -> tuple[int, ...]:
    """The best order that keeps the rules.

    A block is decoded by itself and then moved as one unit. Nothing is lost by that: what a block
    gains from the units around it does not depend on the order inside it. (Of ``held-karp``, which
    looks at neighbours alone, that is not true: with blocks it is no longer exact.)
    """
    n, decoder = len(before), decoder or "best"
    groups, must, gain = _groups(rules, n), _must(rules, n), gains(before)
    if len(groups) == n:
        return decode_gains(gain, decoder, must)
    inner = []
    for group in groups:
        part = np.ix_(group, group)
        inner.append([group[i] for i in decode_gains(gain[part], decoder, must[part])])
    member = _member(groups, n)
    outer = decode_gains(member @ gain @ member.T, decoder, _lift(must, groups))
    return tuple(unit for number in outer for unit in inner[number])


def walk_under(walk: Walk, rules: Rules) -> tuple[int, ...]:
    """The order that keeps the rules: one unit after the other, or of all that are weighed."""
    n = len(walk.pull)
    groups, must = _groups(rules, n), _must(rules, n)
    group = _member(groups, n).argmax(axis=0)
    # What one unit of a block has to wait for, all of them have to.
    outside = _lift(must, groups)[np.ix_(group, group)] & (group[:, None] != group)
    if not walk.whole:
        return best_walk(walk, must | outside, group)
    pull = walk.pull + _SURE * (must.astype(float) - must.T)
    follow = walk.follow + _SURE * (group[:, None] == group)  # of n units at most n - 1 times
    return decode_under(pair_chances(replace(walk, pull=pull, follow=follow)), rules)


def _member(groups: Sequence[Sequence[int]], n: int) -> NDArray[np.int64]:
    """1 where a unit is in a group."""
    member = np.zeros((len(groups), n), dtype=np.int64)
    for number, group in enumerate(groups):
        member[number, group] = 1
    return member


def _groups(rules: Rules, n: int) -> list[list[int]]:
    """The blocks, and every other unit by itself, by their lowest unit."""
    owner: dict[int, int] = {}
    for number, block in enumerate(rules.blocks):
        for unit in block:
            _check_unit(unit, n, "block")
            if owner.setdefault(unit, number) != number:
                raise UsageError(f"unit {unit + 1} is in two blocks; make one block of them")
    groups = [sorted(set(block)) for block in rules.blocks if block]
    groups += [[unit] for unit in range(n) if unit not in owner]
    return sorted(groups)


def _must(rules: Rules, n: int) -> NDArray[np.bool_]:
    """must[i, j]: i has to stand before j, by any chain of rules."""
    must = np.zeros((n, n), dtype=bool)
    for unit, name in ((rules.first, "first"), (rules.last, "last")):
        if unit is not None:
            _check_unit(unit, n, name)
    for pair in rules.before:
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise UsageError(f"before: {pair!r} is no pair of units")
        for unit in pair:
            _check_unit(unit, n, "before")
        must[tuple(pair)] = True
    if rules.first is not None:
        must[rules.first] = True
        must[rules.first, rules.first] = False
    if rules.last is not None:
        must[:, rules.last] = True
        must[rules.last, rules.last] = False
    closed = _closure(must)
    _refuse_circles(closed, [[unit] for unit in range(n)])
    groups = _groups(rules, n)
    if len(groups) < n:
        _refuse_circles(_lift(closed, groups), groups)
    return closed


def _lift(must: NDArray[np.bool_], groups: list[list[int]]) -> NDArray[np.bool_]:
    """Which group has to stand before which: one pair of units is enough to bind all."""
    member = _member(groups, len(must))
    lifted = (member @ must.astype(np.int64) @ member.T) > 0
    np.fill_diagonal(
        lifted, np.array([len(group) == 1 and must[group[0], group[0]] for group in groups])
    )
    return _closure(lifted)


def _closure(must: NDArray[np.bool_]) -> NDArray[np.bool_]:
    closed = must.copy()
    # Only a unit with others on both sides can join them.
    for middle in np.flatnonzero(must.any(axis=0) & must.any(axis=1)):
        closed |= closed[:, middle, None] & closed[middle]
    return closed


def _refuse_circles(closed: NDArray[np.bool_], groups: list[list[int]]) -> None:
    caught = np.flatnonzero(np.diag(closed))
    if len(caught):
        units = sorted(unit + 1 for number in caught for unit in groups[number])
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
