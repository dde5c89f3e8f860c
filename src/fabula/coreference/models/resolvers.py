"""A coreference resolver as a model of the task: parse, resolve, give spans of characters."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.coreference.items import Passage, Resolution
from fabula.coreference.parsing import full_span, parse_passages
from fabula.errors import UsageError
from fabula.text.coref import Resolver, resolvers
from fabula.text.coref.learned.resolver import Learned as LearnedResolver
from fabula.text.parse.parsed import Parsed

__all__ = ["Learned", "ResolverModel", "Sieve", "from_resolver"]


class ResolverModel:
    """Passages resolved by a registered resolver, or by any object with its two methods."""

    def __init__(self, *, resolver: str | Resolver = "best") -> None:
        self.resolver = resolver

    def resolve(self, passages: Sequence[Passage]) -> list[Resolution]:
        resolver = (
            resolvers.get(self.resolver)() if isinstance(self.resolver, str) else self.resolver
        )
        return [
            Resolution(_character_spans(parsed, resolver)) for parsed in parse_passages(passages)
        ]


def _character_spans(parsed: Parsed, resolver: Resolver) -> tuple[tuple[tuple[int, int], ...], ...]:
    """The clusters of two or more mentions, each mention as its full phrase."""
    seen: set[tuple[int, int]] = set()
    clusters = []
    for cluster in resolver.clusters(parsed):
        spans = []
        for mention in cluster if len(cluster) > 1 else ():
            start, end = full_span(parsed, mention)
            span = parsed.offsets[start], parsed.offsets[end - 1] + len(parsed.words[end - 1])
            if span not in seen:
                seen.add(span)
                spans.append(span)
        if spans:
            clusters.append(tuple(spans))
    return tuple(clusters)


class Learned(ResolverModel):
    """The learned resolver, which the product uses.

    Without ``things`` it answers with persons, bodies, places and vehicles alone: gold that
    annotates those kinds (ACE, LitBank) counts whatever else is resolved as wrong.
    """

    def __init__(self, *, things: bool = True) -> None:
        super().__init__(resolver=LearnedResolver(things=things))
        self.things = things

    @classmethod
    def from_argument(cls, argument: str) -> Learned:
        """``learned:entities``: without things."""
        if argument != "entities":
            raise UsageError(
                f"the coreference model 'learned' takes the argument 'entities'; it is {argument!r}"
            )
        return cls(things=False)


class Sieve(ResolverModel):
    """The deterministic sieve."""

    def __init__(self) -> None:
        super().__init__(resolver="sieve")


def from_resolver(name: str) -> ResolverModel:
    """``resolver:NAME``: any registered resolver, such as another package's (``fastcoref``)."""
    return ResolverModel(resolver=resolvers.get(name)())
