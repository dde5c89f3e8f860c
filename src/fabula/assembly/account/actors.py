"""Actors and deeds: readings of a story in, its most mentioned names and who-did-what out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from fabula.assembly.facts.reading import Reading
from fabula.types import Actor, Deed

__all__ = ["actors_of", "deeds_of"]

_MAX_ACTORS = 8
_ARTICLES = ("the ", "a ", "an ", "our ", "my ", "his ", "her ", "its ", "their ")


def actors_of(readings: Sequence[Reading]) -> tuple[Actor, ...]:
    """Names by mentions and deeds, most first; readings in story order, positions from 1.

    Name variants are merged: "Doctor Edith Vane", "Edith Vane" and "Vane" are one actor. A shorter
    name joins the longer one that ends with it, else begins with it, if there is exactly one.
    """
    mentions: dict[str, set[int]] = defaultdict(set)
    deeds: Counter[str] = Counter()
    for position, reading in enumerate(readings, 1):
        for name in reading.people:
            mentions[_normalised(name)].add(position)
        for _, subject, _, _ in reading.deeds:
            deeds[_normalised(subject)] += 1
    names = sorted(mentions, key=len, reverse=True)
    full_name: dict[str, str] = {}
    for name in names:
        ending = [n for n in names if len(n) > len(name) and f" {n}".endswith(f" {name}")]
        beginning = [n for n in names if len(n) > len(name) and f"{n} ".startswith(f"{name} ")]
        longer = {full_name.get(n, n) for n in (ending or beginning)}
        full_name[name] = longer.pop() if len(longer) == 1 else name
    merged: dict[str, set[int]] = defaultdict(set)
    merged_deeds: Counter[str] = Counter()
    for name, positions in mentions.items():
        merged[full_name[name]] |= positions
        merged_deeds[full_name[name]] += deeds[name]
    ranked = sorted(merged, key=lambda n: (-len(merged[n]) - merged_deeds[n], n))
    return tuple(Actor(name, tuple(sorted(merged[name]))) for name in ranked[:_MAX_ACTORS])


def deeds_of(readings: Sequence[Reading]) -> tuple[Deed, ...]:
    """Every deed (verb, subject, object, negated) with its position, in story order."""
    return tuple(
        Deed(position, verb, subject, object_, negated)
        for position, reading in enumerate(readings, 1)
        for verb, subject, object_, negated in reading.deeds
    )


def _normalised(name: str) -> str:
    """The name without possessive ending, article and leading lower-case words."""
    words = " ".join(name.split()).removesuffix("'s").removesuffix("’s").split(" ")
    while len(words) > 1 and (f"{words[0].lower()} " in _ARTICLES or words[0].islower()):
        words = words[1:]  # "the Marigold", "below Quarry Wood"
    return " ".join(words)
