"""Entity graphs: the nouns that several units of a text share, and their role in each unit.

An entity is a noun lemma that occurs in two or more units. Its role in a unit is subject, object
or other; of several mentions the highest role counts, as in the entity grid.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.ordering.items import Text

__all__ = ["OBJECT", "OTHER", "SUBJECT", "Graph", "entity_graphs", "nouns_of"]

SUBJECT, OBJECT, OTHER = 3, 2, 1
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass"})
_OBJECTS = frozenset({"dobj", "obj", "dative", "iobj"})
_KEPT = 200_000  # units whose nouns are remembered: each training epoch asks again

Nouns = dict[str, int]
_seen: OrderedDict[str, Nouns] = OrderedDict()


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """``roles`` [units, entities]: 3 subject, 2 object, 1 other, 0 not in this unit."""

    entities: tuple[str, ...]
    roles: NDArray[np.int64]


def entity_graphs(texts: Sequence[Text]) -> list[Graph]:
    """The graph of each text, its entities by first mention in the order given."""
    nouns = nouns_of({unit for text in texts for unit in text.units})
    return [_graph([nouns[unit] for unit in text.units]) for text in texts]


def _graph(units: Sequence[Nouns]) -> Graph:
    seen = Counter(noun for nouns in units for noun in nouns)
    entities = tuple(noun for noun, number in seen.items() if number > 1)
    roles = np.array([[nouns.get(noun, 0) for noun in entities] for nouns in units], dtype=np.int64)
    return Graph(entities, roles.reshape(len(units), len(entities)))


def nouns_of(units: set[str]) -> dict[str, Nouns]:
    """The nouns of each unit with their highest grammatical role, by parse; remembered."""
    from fabula.text.parse.pipeline import Parser

    missing = sorted(unit for unit in units if unit not in _seen)
    if missing:
        for unit, nouns in zip(missing, Parser(ner=False).each(_noun_roles, missing), strict=True):
            _seen[unit] = nouns
    nouns_by_unit = {unit: _seen[unit] for unit in units}
    while len(_seen) > _KEPT:
        _seen.popitem(last=False)
    return nouns_by_unit


def _noun_roles(doc: Any) -> Nouns:
    """The nouns of a parsed unit and the highest role of each."""
    roles: Nouns = {}
    for token in doc:
        if token.pos_ in ("NOUN", "PROPN"):
            noun = token.lemma_.lower()
            role = SUBJECT if token.dep_ in _SUBJECTS else OBJECT
            if role == OBJECT and token.dep_ not in _OBJECTS:
                role = OTHER
            roles[noun] = max(role, roles.get(noun, 0))
    return roles
