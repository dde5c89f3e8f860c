"""Coreference: which mentions of a text mean the same person or thing.

A resolver is anything with the two methods of ``Resolver``. Ours is the default; others are
adapters that need their own packages.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from fabula.registry import Registry
from fabula.text.parse.parsed import Parsed

__all__ = ["Resolver", "Span", "resolvers"]


class Span(NamedTuple):
    """A mention: its tokens ``[start, end)`` and the one that carries it."""

    start: int
    end: int
    head: int


class Resolver(Protocol):
    """What resolves coreference.

    ``clusters`` gives the entities of a parsed text, each as its mentions in the order of the
    text; a mention stands in one cluster at most, and singletons may be given or left out.
    ``describe`` says in one line which resolver this was, for the record of what was built.
    """

    def clusters(self, parsed: Parsed, /) -> list[tuple[Span, ...]]: ...

    def describe(self) -> str: ...


resolvers = Registry(
    "coreference resolver",
    {
        "best": "fabula.text.coref.sieve:Sieve",
        "sieve": "fabula.text.coref.sieve:Sieve",
        "none": "fabula.text.coref.adapters:Nobody",
        "xrenner": "fabula.text.coref.adapters:Xrenner",
        "fastcoref": "fabula.text.coref.adapters:FastCoref",
        "coreferee": "fabula.text.coref.adapters:Coreferee",
    },
    group="fabula.resolvers",
)
