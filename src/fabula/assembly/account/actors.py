"""The main actors of a story, and its deeds: who did what, sentence by sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from fabula.assembly.facts.reading import Reading
from fabula.types import Actor, Deed

__all__ = ["actors_of", "deeds_of"]

_MOST = 8
_ARTICLES = ("the ", "a ", "an ", "our ", "my ", "his ", "her ", "its ", "their ")


def actors_of(readings: Sequence[Reading]) -> tuple[Actor, ...]:
    """Who is named most, readings given in the story's order; positions count from 1.

    "Doctor Edith Vane", "Edith Vane" and "Vane" are one: a shorter name joins the longer one it
    ends, where there is only one such.
    """
    places: dict[str, set[int]] = defaultdict(set)
    doing: Counter[str] = Counter()
    for position, reading in enumerate(readings, 1):
        for name in reading.people:
            places[_plain(name)].add(position)
        for _, who, _, _ in reading.deeds:
            doing[_plain(who)] += 1
    names = sorted(places, key=len, reverse=True)
    home: dict[str, str] = {}
    for name in names:
        longer = [n for n in names if len(n) > len(name) and f" {n}".endswith(f" {name}")]
        first = [n for n in names if len(n) > len(name) and f"{n} ".startswith(f"{name} ")]
        whole = {home.get(n, n) for n in (longer or first)}
        home[name] = whole.pop() if len(whole) == 1 else name
    merged: dict[str, set[int]] = defaultdict(set)
    acts: Counter[str] = Counter()
    for name, where in places.items():
        merged[home[name]] |= where
        acts[home[name]] += doing[name]
    ranked = sorted(merged, key=lambda n: (-len(merged[n]) - acts[n], n))
    return tuple(Actor(name, tuple(sorted(merged[name]))) for name in ranked[:_MOST])


def deeds_of(readings: Sequence[Reading]) -> tuple[Deed, ...]:
    """Every deed told, in the story's order."""
    return tuple(
        Deed(position, verb, who, whom, negated)
        for position, reading in enumerate(readings, 1)
        for verb, who, whom, negated in reading.deeds
    )


def _plain(name: str) -> str:
    flat = " ".join(name.split()).removesuffix("'s").removesuffix("’s")
    words = flat.split(" ")
    while len(words) > 1 and (f"{words[0].lower()} " in _ARTICLES or words[0].islower()):
        words = words[1:]  # "the Marigold", "below Quarry Wood"
    return " ".join(words)
