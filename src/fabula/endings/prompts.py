"""An item as running text: what a language model reads, with the story and without it."""

from __future__ import annotations

from typing import NamedTuple

from fabula.endings.items import Ending

__all__ = ["Prompt", "phrase"]

_CONNECTIVES = {"cause": "because", "effect": "so"}


class Prompt(NamedTuple):
    """``context`` is followed by one of ``options``; ``neutral`` is a context without a story."""

    context: str
    options: tuple[str, ...]
    neutral: str


def phrase(item: Ending) -> Prompt:
    """A story is followed by its ending; a cause or an effect by "because" or "so".

    >>> phrase(Ending("1", ("It rained.",), ("I got wet.", "The sun shone."), relation="effect"))
    Prompt(context='It rained so', options=('I got wet.', 'the sun shone.'), neutral='so')
    """
    context = " ".join(sentence.strip() for sentence in item.context)
    if item.relation is None:
        return Prompt(context, tuple(option.strip() for option in item.options), "")
    connective = _CONNECTIVES[item.relation]
    premise = context.rstrip().rstrip(".!?")
    options = tuple(_inside(option.strip()) for option in item.options)
    return Prompt(f"{premise} {connective}".strip(), options, connective)


def _inside(sentence: str) -> str:
    """A sentence as the second half of another."""
    first = sentence.split(maxsplit=1)[0] if sentence else ""
    if first.split("'")[0] in ("I", "") or (len(first) > 1 and first.isupper()):
        return sentence
    return sentence[:1].lower() + sentence[1:]
