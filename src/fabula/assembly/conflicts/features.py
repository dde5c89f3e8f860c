"""Features of candidate contradictions: is it one event, are the claims one slot, do they clash?"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from fabula.assembly.conflicts.candidates import KINDS, Candidate
from fabula.assembly.conflicts.comparable import PEOPLE
from fabula.assembly.facts.anchors import Anchor
from fabula.assembly.facts.places import Place
from fabula.assembly.facts.reading import Reading
from fabula.pairs.features.likeness import jaccard, share
from fabula.pairs.items import Pair
from fabula.pairs.models.combined import Combined
from fabula.text.temporal.lexicon import TIME_UNITS

__all__ = ["candidate_features"]

Floats = NDArray[np.float32]
_YEAR = re.compile(r"\b(?:1[6-9]|20)\d\d\b")
_HOW = ("near", "direction", "negation", "state", "fate", "matter", "denial", "read")


def candidate_features(
    found: Sequence[Candidate],
    readings: Sequence[Reading],
    vectors: Floats,
    documents: Sequence[int] | None = None,
    model: Any = None,
) -> list[dict[str, float]]:
    """The named features of each candidate; ``model`` reads both sentences, both ways."""
    nearness = _Nearness(readings, vectors, documents)
    model = Combined.shipped() if model is None else model
    pairs = list(dict.fromkeys(candidate.pair for candidate in found))
    read = dict(zip(pairs, _read(pairs, readings, model), strict=True))
    return [
        {
            **_shared(candidate, readings),
            **_slot(candidate),
            **nearness.features(candidate.kind, *candidate.pair),
            **read[candidate.pair],
        }
        for candidate in found
    ]


def _read(
    pairs: Sequence[tuple[int, int]], readings: Sequence[Reading], model: Any
) -> list[dict[str, float]]:
    """What the models of pairs say: one event, and a clash whichever is read first."""
    asked = [Pair("", readings[i].text, readings[j].text) for i, j in pairs]
    asked += [Pair("", pair.b, pair.a) for pair in asked]
    relations = model.relate(asked)
    rows = []
    for one, other in zip(relations[: len(pairs)], relations[len(pairs) :], strict=True):
        clash = [_logit(relation.contradiction) for relation in (one, other)]
        rows.append(
            {
                "same_event": (_logit(one.same) + _logit(other.same)) / 2,
                "clash": sum(clash) / 2,
                "clash_least": min(clash),
                "entailment": max(_logit(one.entailment), _logit(other.entailment)),
            }
        )
    return rows


def _logit(probability: float) -> float:
    return float(logit(min(max(probability, 0.002), 0.998)))


class _Nearness:
    """How near two sentences are, compared with others of each one's document that have a claim of
    the kind.

    Many reports tell one thing: what tells two accounts of it is that no such sentence of either
    document is nearer to the other's. Without documents all sentences are of one.
    """

    def __init__(
        self, readings: Sequence[Reading], vectors: Floats, documents: Sequence[int] | None
    ) -> None:
        self.vectors = vectors
        several = documents is not None and len(set(documents)) > 1
        self._document = np.array(documents if several else [0] * len(vectors))
        self._claims = {
            kind: np.array([any(c.kind == kind for c in r.claims) for r in readings], dtype=bool)
            for kind in KINDS
        }
        self._claims["outcome"] = np.ones(len(readings), dtype=bool)  # any sentence may tell one
        self._top: dict[tuple[str, int, int], float] = {}

    def features(self, kind: str, i: int, j: int) -> dict[str, float]:
        """The cosine, its margin over the nearest of each (Artetxe & Schwenk 2019 with k = 1), and
        whether each is the other's nearest."""
        cosine = float(self.vectors[i] @ self.vectors[j])
        margin = cosine - (self._nearest(kind, i, j) + self._nearest(kind, j, i)) / 2
        return {"cosine": cosine, "margin": margin, "nearest": float(margin > -1e-3)}

    def _nearest(self, kind: str, i: int, j: int) -> float:
        """The cosine of ``i`` and the nearest such sentence of the document of ``j``, or ``j``."""
        document = int(self._document[j])
        key = (kind, i, document)
        if key not in self._top:
            others = np.flatnonzero((self._document == document) & self._claims[kind])
            cosines = self.vectors[others[others != i]] @ self.vectors[i]
            self._top[key] = float(cosines.max(initial=-1.0))
        return max(self._top[key], float(self.vectors[i] @ self.vectors[j]))


def _shared(candidate: Candidate, readings: Sequence[Reading]) -> dict[str, float]:
    """What the two sentences share."""
    a, b = readings[candidate.first], readings[candidate.second]
    return {
        "words": jaccard(a.words, b.words),
        "words_of_shorter": max(share(a.words, b.words), share(b.words, a.words)),
        "names": jaccard(a.names, b.names),
        "names_unlike": float(bool(a.names and b.names) and not a.names & b.names),
        "names_beside": math.log1p(min(len(a.names - b.names), len(b.names - a.names))),
        "years_unlike": _years_unlike(a.text, b.text),
        "others_differ": _others_differ(candidate, a, b),
        "classes": jaccard(a.event_classes, b.event_classes, plain=True),
    }


def _slot(candidate: Candidate) -> dict[str, float]:
    """How well the two claims fill one slot, and how they differ."""
    first, second = candidate.claims
    a, b = first.anchor, second.anchor
    units = {first.unit, second.unit}
    partial = a.partial ^ b.partial
    verb = 1.0 if a.predicate == b.predicate else 0.5 * bool(a.kinds & b.kinds)
    near_a, near_b = a.local - units, b.local - units
    local = max(share(near_a, near_b), share(near_b, near_a))
    return {
        "slot": verb * local,
        "aligned": math.log1p(candidate.aligned),
        "clause_words": jaccard(a.words, b.words),
        "clause_of_shorter": max(share(a.words, b.words), share(b.words, a.words)),
        "local_words": jaccard(near_a, near_b),
        "local_of_shorter": local,
        "predicate": float(a.predicate == b.predicate),
        "predicate_class": float(bool(a.kinds & b.kinds)),
        "arguments": jaccard(a.arguments, b.arguments),
        "actors_unlike": _unlike(a, b),
        "actors_shared": float(bool(a.actors & b.actors)),
        "partial": float(bool(partial)),
        "negation_unlike": float(a.negated != b.negated),
        "unit": float(len(units) == 1 and units != {""}),
        "unit_people": float(units <= PEOPLE),
        "unit_time": float(bool(units & TIME_UNITS)),
        "unit_missing": float("" in units and candidate.kind == "number"),
        "bound": float(bool(first.bound or second.bound)),
        "distance": min(candidate.distance, 3.0) if candidate.kind == "number" else 0.0,
        "vague": float(not first.exact) + float(not second.exact),
        "said_length": math.log1p(abs(len(first.said) - len(second.said))) / 4,
        **_places(first.value, second.value),
        **{f"is_{kind}": float(candidate.kind == kind) for kind in ("time", "date", "place")},
        **{f"by_{how}": float(candidate.how == how) for how in _HOW},
    }


def _others_differ(candidate: Candidate, a: Reading, b: Reading) -> float:
    """How many other amounts of one unit differ, where none agrees: all of another thing do."""
    alike: dict[str, bool] = {}
    for first in a.claims:
        for second in b.claims:
            if first.kind != "number" or second.kind != "number" or first.unit != second.unit:
                continue
            if first.unit and first.unit not in {claim.unit for claim in candidate.claims}:
                alike[first.unit] = alike.get(first.unit, False) or not first.differs(second)
    return 0.0 if any(alike.values()) else float(min(len(alike), 2))


def _years_unlike(a: str, b: str) -> float:
    """Whether the sentences name years, and not the same ones."""
    one, other = set(_YEAR.findall(a)), set(_YEAR.findall(b))
    return float(bool(one and other) and not one & other)


def _unlike(a: Anchor, b: Anchor) -> float:
    """Whether both have named actors, and no name of one stands in the other's clause."""
    named = a.actors and b.actors
    return float(bool(named) and not a.actors & b.names and not b.actors & a.names)


def _places(a: object, b: object) -> dict[str, float]:
    names = ("place_kind", "place_preposition", "place_named", "place_one_named", "place_sites")
    if not isinstance(a, Place) or not isinstance(b, Place):
        return dict.fromkeys(names, 0.0)
    values = (
        a.head == b.head,
        a.preposition == b.preposition,
        a.is_named and b.is_named,
        a.is_named != b.is_named,
        a.is_certain + b.is_certain,
    )
    return dict(zip(names, map(float, values), strict=True))
