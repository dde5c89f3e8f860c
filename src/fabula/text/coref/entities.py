"""Entities while they grow: clusters of mentions that know what their mentions tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

from fabula.text.coref.mentions import Mention

__all__ = ["Entities", "Entity"]

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Entity:
    """Mentions joined so far, and what is known of them together."""

    mentions: list[int]
    numbers: set[str] = field(default_factory=set)
    genders: set[str] = field(default_factory=set)
    animate: set[bool] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)
    modifiers: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)  # of names
    full_names: list[tuple[str, ...]] = field(default_factory=list)
    group: bool = False


class Entities:
    """A partition of the mentions, at first each on its own."""

    def __init__(self, mentions: list[Mention]) -> None:
        self.mentions = mentions
        self.of: list[Entity] = []
        for index, mention in enumerate(mentions):
            self.of.append(
                Entity(
                    [index],
                    {mention.number} - {"?"},
                    {mention.gender} - {"?"},
                    {mention.animate} if mention.animate is not None else set(),
                    {mention.lemma} if mention.kind in ("name", "noun") else set(),
                    set(mention.modifiers),
                    {mention.name} if mention.kind == "name" and mention.name else set(),
                    [mention.words] if mention.kind == "name" else [],
                    mention.kind == "group",
                )
            )

    def join(self, one: int, other: int) -> None:
        """Make one entity of two; the earlier keeps its place."""
        first, second = self.of[one], self.of[other]
        if first is second:
            return
        if second.mentions[0] < first.mentions[0]:
            first, second = second, first
        first.mentions += second.mentions  # the first is still the earliest
        first.numbers |= second.numbers
        first.genders |= second.genders
        first.animate |= second.animate
        first.heads |= second.heads
        first.modifiers |= second.modifiers
        first.kinds |= second.kinds
        first.full_names += second.full_names
        first.group = first.group or second.group
        for index in second.mentions:
            self.of[index] = first

    def agree(self, one: int, other: int) -> bool:
        """Whether nothing known of two entities speaks against their being one."""
        first, second = self.of[one], self.of[other]
        return (
            _meet(first.numbers, second.numbers)
            and _meet(first.genders, second.genders)
            and _meet(first.animate, second.animate)
        )

    def clusters(self) -> list[list[int]]:
        seen, found = set[int](), []
        for entity in self.of:
            if id(entity) not in seen:
                seen.add(id(entity))
                found.append(sorted(entity.mentions))
        return found


def _meet(first: set[T], second: set[T]) -> bool:
    return not first or not second or bool(first & second)
