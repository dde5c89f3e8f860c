"""A diff of two orders as moves of units."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

__all__ = ["describe_moves", "moved_units", "shorten"]


def moved_units(order: Sequence[int]) -> set[int]:
    """The smallest set of units to move to turn 0, 1, 2 ... into ``order``.

    All others are a longest increasing subsequence (patience sorting).

    >>> moved_units([0, 3, 1, 2])
    {3}
    """
    tails: list[int] = []  # the smallest last unit of an increasing subsequence of each length
    previous: dict[int, int | None] = {}
    for unit in order:
        at = bisect_left(tails, unit)
        previous[unit] = tails[at - 1] if at else None
        tails[at : at + 1] = [unit]
    kept, unit_ = set(), tails[-1] if tails else None
    while unit_ is not None:
        kept.add(unit_)
        unit_ = previous[unit_]
    return set(order) - kept


def describe_moves(units: Sequence[str], order: Sequence[int], width: int = 60) -> str:
    """One line for each unit or run of units that moves, with numbers from 1.

    >>> print(describe_moves(["He left.", "Tom came.", "He ate."], [1, 2, 0]))
    1 moves to the end, after 3: He left.
    """
    moved = moved_units(order)
    lines = []
    place = 0
    while place < len(order):
        if order[place] not in moved:
            place += 1
            continue
        end = place
        # Units that were adjacent and still are move as one.
        while end + 1 < len(order) and order[end + 1] in moved and order[end + 1] == order[end] + 1:
            end += 1
        first, last = order[place] + 1, order[end] + 1
        name = f"{first} moves" if first == last else f"{first}-{last} move"
        if place == 0:
            where = f"to the beginning, before {order[end + 1] + 1}"
        elif end + 1 == len(order):
            where = f"to the end, after {order[place - 1] + 1}"
        else:
            where = f"between {order[place - 1] + 1} and {order[end + 1] + 1}"
        lines.append(f"{name} {where}: {shorten(units[order[place]], width)}")
        place = end + 1
    return "\n".join(lines) if lines else "nothing moves"


def shorten(text: str, width: int = 60) -> str:
    """One line of at most ``width`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 3].rstrip() + "..."
