"""Recipes of the event cloze: the named switches, and what they make of a chain."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fabula.errors import UnknownName
from fabula.events.items import Chain

__all__ = ["RECIPES", "Recipe", "prepare", "recipe_named"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The switches of a cloze: how chains are prepared, and which event is taken out."""

    ordered: bool = True  # the place of the hole is known; else the events are a set
    chains: str = "all"  # or "longest": one protagonist a document
    least: int = 2  # events of a chain
    unique: bool = False  # each type of event once
    without: tuple[str, ...] = ()  # verbs left out
    frequent_out: int = 0  # so many of the most frequent event types are taken out
    hole: str = "random"  # or "last"; or "each": a test for every event
    sample: str = "chains"  # or "events": what is drawn at random when only some are wanted
    options: int = 0  # to choose among; 0: rank everything


RECIPES = {
    "narrative-cloze": Recipe(ordered=False, chains="longest", unique=True, without=("be",)),
    "lm-cloze": Recipe(),
    "multiple-choice": Recipe(
        chains="longest", least=9, unique=True, frequent_out=10, hole="last", options=5
    ),
}


def recipe_named(name: str) -> Recipe:
    """The recipe of this name, or the error that lists all names."""
    if name not in RECIPES:
        raise UnknownName("event-test recipe", name, RECIPES)
    return RECIPES[name]


def prepare(chain: Chain, recipe: Recipe) -> Chain:
    """The chain without the verbs the recipe leaves out and, if it says so, without repeats.

    >>> from fabula.events.items import Event
    >>> chain = Chain("d", "1", (Event("say", "subj"), Event("be", "subj"), Event("say", "subj")))
    >>> [str(event) for event in prepare(chain, RECIPES["narrative-cloze"]).events]
    ['say->subj']
    """
    if not recipe.without and not recipe.unique:
        return chain
    events = [event for event in chain.events if event.verb not in recipe.without]
    if recipe.unique:
        events = list({(event.verb, event.slot): event for event in reversed(events)}.values())[
            ::-1
        ]
    return replace(chain, events=tuple(events))
