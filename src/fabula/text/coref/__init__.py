"""Coreference: which mentions of a text mean the same person or thing.

A resolver is anything with the two methods of ``Resolver``. Ours is the default; others are
adapters that need their own packages.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from fabula.registry import Registry
from fabula.text.parse.parsed import Parsed

__all__ = ["CERTAIN", "Resolved", "Resolver", "Span", "resolve", "resolvers"]


# Probability from which an anaphor is named without a question mark. On texts kept back from
# training 96 % of such links are right in books and 92 % in GAP, whose pronouns are all ambiguous.
CERTAIN = 0.9


class Span(NamedTuple):
    """A mention: its tokens ``[start, end)`` and the one that carries it."""

    start: int
    end: int
    head: int


class Resolved(NamedTuple):
    """Clusters, and by head token the probability that an anaphor is of its cluster (else 1)."""

    clusters: list[tuple[Span, ...]]
    certainty: dict[int, float]


def resolve(resolver: Resolver, parsed: Parsed) -> Resolved:
    """What a resolver finds in a parse, with certainty where it knows it."""
    certain = getattr(resolver, "resolve", None)
    if certain is None:
        return Resolved(resolver.clusters(parsed), {})
    found: Resolved = certain(parsed)
    return found


class Resolver(Protocol):
    """What resolves coreference.

    ``clusters`` gives the entities of a parsed text, each as its mentions in the order of the
    text; a mention stands in one cluster at most, and singletons may be given or left out.
    A resolver that knows how sure it is also has ``resolve``, which gives a ``Resolved``.
    ``describe`` says in one line which resolver this was, for the record of what was built.
    """

    def clusters(self, parsed: Parsed, /) -> list[tuple[Span, ...]]: ...

    def describe(self) -> str: ...


resolvers = Registry(
    "coreference resolver",
    {
        "best": "fabula.text.coref.learned.resolver:Learned",
        "learned": "fabula.text.coref.learned.resolver:Learned",
        "sieve": "fabula.text.coref.sieve:Sieve",
        "none": "fabula.text.coref.adapters:Nobody",
        "xrenner": "fabula.text.coref.adapters:Xrenner",
        "fastcoref": "fabula.text.coref.adapters:FastCoref",
        "coreferee": "fabula.text.coref.adapters:Coreferee",
    },
    group="fabula.resolvers",
)
