"""Entities as clusters of mentions that pool the agreement features of their mentions."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from typing import TypeVar

from fabula.text.coref.mentions import Mention

__all__ = ["Entities", "Entity"]

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Entity:
    """A cluster of mentions (indices, in the order of the text) and what its mentions have."""

    mentions: list[int]
    numbers: set[str] = field(default_factory=set)
    genders: set[str] = field(default_factory=set)
    animate: set[bool] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)
    modifiers: set[str] = field(default_factory=set)
    entity_types: set[str] = field(default_factory=set)  # of names: PERSON, ORG ...
    full_names: dict[tuple[str, ...], None] = field(default_factory=dict)  # a set in order
    group: bool = False
    body: bool = False  # a name with an article that is no person's: "the Lions"


class Entities:
    """A partition of mentions into entities; at first every mention is one of its own."""

    def __init__(self, mentions: list[Mention]) -> None:
        self.mentions = mentions
        self.entity_of: list[Entity] = []
        for index, mention in enumerate(mentions):
            self.entity_of.append(
                Entity(
                    [index],
                    {mention.number} - {"?"},
                    {mention.gender} - {"?"},
                    {mention.animate} if mention.animate is not None else set(),
                    {mention.lemma} if mention.kind in ("name", "noun") else set(),
                    set(mention.modifiers),
                    {mention.entity_type}
                    if mention.kind == "name" and mention.entity_type
                    else set(),
                    {mention.words: None} if mention.kind == "name" else {},
                    mention.kind == "group",
                    mention.kind == "name" and mention.article and mention.entity_type != "PERSON",
                )
            )

    def join(self, one: int, other: int) -> None:
        """Merge the entities of two mentions; the earlier entity stays."""
        first, second = self.entity_of[one], self.entity_of[other]
        if first is second:
            return
        if second.mentions[0] < first.mentions[0]:
            first, second = second, first
        for index in second.mentions:
            insort(first.mentions, index)
        first.numbers |= second.numbers
        first.genders |= second.genders
        first.animate |= second.animate
        first.heads |= second.heads
        first.modifiers |= second.modifiers
        first.entity_types |= second.entity_types
        first.full_names |= second.full_names
        first.group = first.group or second.group
        first.body = first.body or second.body
        for index in second.mentions:
            self.entity_of[index] = first

    def agree(self, one: int, other: int) -> bool:
        """Whether number, gender and animacy of two entities are compatible."""
        first, second = self.entity_of[one], self.entity_of[other]
        return (
            _compatible(first.numbers, second.numbers)
            and _compatible(first.genders, second.genders)
            and _compatible(first.animate, second.animate)
        )

    def clusters(self) -> list[list[int]]:
        """The mentions of each entity, in the order of the text."""
        distinct = {id(entity): entity for entity in self.entity_of}
        return [entity.mentions for entity in distinct.values()]


def _compatible(first: set[T], second: set[T]) -> bool:
    return not first or not second or bool(first & second)
