"""Relating pairs: the product's own use of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from fabula.answer import AnswerList
from fabula.errors import UsageError
from fabula.pairs.adapters import call
from fabula.pairs.items import Pair, Relation, check, read_pairs
from fabula.registry import create_model
from fabula.text.io.records import items_of

__all__ = ["relate"]


def relate(
    pairs: str | PathLike[str] | Iterable[Pair | tuple[str, str] | Mapping[str, Any]],
    *,
    model: Any = "best",
) -> AnswerList[Relation]:
    """How each two sentences relate: probabilities of entailment, neutral, contradiction, and of
    speaking of one event.

    ``pairs`` is a file, pairs of sentences, or rows with ``a`` and ``b``. ``model`` is a name as
    the command line takes it, or any object that ``adapters.adapt`` takes. Labels are not looked
    at.

    >>> relate([("It rained.", "It did not rain.")], model="overlap")[0].label
    'contradiction'
    """
    if isinstance(pairs, str | PathLike):
        asked = list(read_pairs(pairs))
    else:
        given = items_of(pairs, read_pairs)
        asked = [_pair(pair, number) for number, pair in enumerate(given, 1)]
    hidden = [Pair(p.id, p.a, p.b, context_a=p.context_a, context_b=p.context_b) for p in asked]
    relations = call(create_model("pairs", model), hidden)
    for pair, relation in zip(hidden, relations, strict=True):
        check(pair, relation)
    beside = [
        {"a": p.a, "b": p.b, "label": r.label} for p, r in zip(hidden, relations, strict=True)
    ]
    return AnswerList(relations, "pairs", beside, ("a", "b", "label", *Relation._fields))


def _pair(given: Pair | tuple[str, str], number: int) -> Pair:
    if isinstance(given, Pair):
        return given
    if isinstance(given, str) or len(given) != 2 or not all(isinstance(t, str) for t in given):
        raise UsageError(f"pair {number} must be two sentences; it is {given!r}")
    return Pair(str(number), *given)
