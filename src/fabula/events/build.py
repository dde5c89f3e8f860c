"""Event chains -> cloze tests, by a recipe (narrative cloze, LM cloze, multiple choice).

The original narrative cloze was made by hand; ours is narrative-style but automatic. A file made
by hand is read by ``cloze.read_tests`` like any other.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from fabula.errors import UnknownName, UsageError
from fabula.events.cloze.event_test import EventTest
from fabula.events.items import Chain, Event
from fabula.events.recipes import Recipe, prepare

__all__ = ["build_tests"]


def build_tests(
    chains: Iterable[Chain], recipe: Recipe, *, n: int | None = None, seed: int = 0
) -> Iterator[EventTest]:
    """Take one event out of chains: ``n`` tests drawn at random, or all, in the order of chains.

    By default one random hole in each of ``n`` random chains; with ``sample="events"`` (or
    ``hole="each"``) the draw is among all holes, so that long chains count for more.
    """
    _check(recipe)
    rng = random.Random(seed)
    ready = [prepare(chain, recipe) for chain in chains]
    common = _frequent(ready, recipe.frequent_out)
    if common:
        ready = [_without(chain, common) for chain in ready]
    if recipe.chains == "longest":
        ready = list(_longest(ready))
    ready = [chain for chain in ready if len(chain.events) >= max(recipe.least, 2)]
    if not ready:
        raise UsageError(f"no chain of {max(recipe.least, 2)} events or more to make tests of")
    holes = _draw_holes(ready, recipe, n, rng)
    distractors = _Distractors(ready, recipe.options, rng)
    for number, (which, hole) in enumerate(holes, 1):
        chain = ready[which]
        answer = chain.events[hole]
        known = (*chain.events[:hole], *chain.events[hole + 1 :])
        if not recipe.ordered:
            known, hole = tuple(rng.sample(known, len(known))), len(known)
        yield EventTest(
            id=f"test-{number:06d}",
            events=known,
            hole=hole,
            answer=answer,
            options=distractors.options_with(answer, chain),
            ordered=recipe.ordered,
            entity=chain.entity,
            document=chain.document,
        )


def _check(recipe: Recipe) -> None:
    allowed = {
        "chains": ("all", "longest"),
        "hole": ("random", "last", "each"),
        "sample": ("chains", "events"),
    }
    for name, values in allowed.items():
        if getattr(recipe, name) not in values:
            raise UnknownName(f"value of {name}", getattr(recipe, name), values)
    if recipe.options == 1:
        raise UsageError("one option is no choice: give 2 or more, or 0 to rank everything")


def _draw_holes(
    chains: list[Chain], recipe: Recipe, n: int | None, rng: random.Random
) -> list[tuple[int, int]]:
    """(chain, hole) of each test, sorted by chain."""
    if recipe.hole == "each" or recipe.sample == "events":
        every = [(i, hole) for i, chain in enumerate(chains) for hole in range(len(chain.events))]
        return sorted(rng.sample(every, min(n, len(every)))) if n is not None else every
    chosen = (
        range(len(chains))
        if n is None
        else sorted(rng.sample(range(len(chains)), min(n, len(chains))))
    )
    last = recipe.hole == "last"
    return [
        (i, len(chains[i].events) - 1 if last else rng.randrange(len(chains[i].events)))
        for i in chosen
    ]


def _longest(chains: list[Chain]) -> Iterator[Chain]:
    """One chain a document: the protagonist is who does most; the first of equals."""
    best: dict[str, Chain] = {}
    for chain in chains:
        held = best.get(chain.document)
        if held is None or len(chain.events) > len(held.events):
            best[chain.document] = chain
    yield from best.values()


def _frequent(chains: list[Chain], number: int) -> frozenset[tuple[str, str]]:
    if not number:
        return frozenset()
    seen = Counter((e.verb, e.slot) for chain in chains for e in chain.events)
    return frozenset(word for word, _ in seen.most_common(number))


def _without(chain: Chain, words: frozenset[tuple[str, str]]) -> Chain:
    return replace(chain, events=tuple(e for e in chain.events if (e.verb, e.slot) not in words))


class _Distractors:
    """Wrong options, drawn from the events of other chains by frequency."""

    def __init__(self, chains: list[Chain], options: int, rng: random.Random) -> None:
        self.options = options
        self.rng = rng
        self.pool = [event for chain in chains for event in chain.events] if options else []

    def options_with(self, answer: Event, chain: Chain) -> tuple[Event, ...]:
        """The answer among events that are not of this chain, shuffled."""
        if not self.options:
            return ()
        taken = {(event.verb, event.slot) for event in chain.events}
        chosen = [answer]
        for _ in range(1000):
            if len(chosen) == self.options:
                break
            event = self.rng.choice(self.pool)
            if (event.verb, event.slot) not in taken:
                taken.add((event.verb, event.slot))
                chosen.append(Event(event.verb, event.slot))
        else:
            raise UsageError(f"too few different events for {self.options} options")
        if len(chosen) < self.options:
            raise UsageError(f"too few different events for {self.options} options")
        return tuple(self.rng.sample(chosen, len(chosen)))
