"""Candidate contradictions: near sentence pairs in, their features and probabilities out.

Two sources seldom tell a thing in the same words, so sentences are compared by their vectors: their
cosine, how much nearer they are to each other than to the rest of the pile, and whether they differ
in style. Pairs that are near are read together by the pair classifier. A pair becomes a candidate
because values clash (amounts, times, dates, places, outcomes), or by the classifier alone. One
logistic regression for each kind of value, and one for the classifier alone, gives the probability;
their weights and thresholds are data (``data/weights/assembly-contradictions``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.conflicts.pair_classifier import KINDS, PairClassifier
from fabula.assembly.conflicts.source_style import different_source, style_of
from fabula.assembly.facts.claims import Claim
from fabula.assembly.facts.outcomes import denies, stems_of
from fabula.assembly.facts.reading import Reading
from fabula.core.model_store import shipped_config
from fabula.text.idf import IdfOverlap

__all__ = ["Candidate", "candidates", "log_odds_weights", "probability", "thresholds"]

_SMALLEST = 12  # sentences; in fewer there is no telling what is near
_NEAREST = 20  # sentences of its kind each one is compared with at most
_READ, _READ_KIND = 6, 3  # the nearest of all, and of its kind, that each one is read beside
_FAR = 0.2  # how much less alike than each and its nearest two may be
_MOST_READ = 3000  # pairs; of a larger pile the nearest
_SAME = 1e-3  # of two cosines that are the same but for rounding
_ALIKE = 0.1  # cosine of two sentences below which they do not tell the same
_UNIT = 0.3  # cosine of two units below which they count different things
_CHUNK = 1024
# The classifier's log-odds reached 3.6 at most on 4,659 pairs of written piles and of news: a pair
# that is below its threshold even at this value is not worth reading.
_HIGHEST_LOG_ODDS = 4.5
_LOWEST_KIND_LOG_PROB = -15.0
_FATES = frozenset(("life", "harm", "custody", "guilt"))  # matters of people, told more surely

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two sentences (indices, the first the smaller), what each says, and their features.

    ``regression`` names the logistic regression that weighs the features: the kind where values
    clash, else "reading".
    """

    regression: str
    kind: str
    first: int
    second: int
    values: tuple[str, str]
    features: Mapping[str, float]

    @property
    def pair(self) -> tuple[int, int]:
        return self.first, self.second


def log_odds_weights() -> Mapping[str, Mapping[str, float]]:
    """For each regression the weight of each feature, and its ``intercept``."""
    weights: Mapping[str, Mapping[str, float]] = _shipped()["log_odds"]
    return weights


def thresholds() -> Mapping[str, float]:
    """For each regression the probability from which a candidate is reported."""
    values: Mapping[str, float] = _shipped()["thresholds"]
    return values


def _shipped() -> dict[str, Any]:
    return shipped_config("assembly/contradictions")


def probability(candidate: Candidate) -> float:
    """The probability that a candidate is a contradiction, by its logistic regression."""
    return 1 / (1 + math.exp(-_log_odds(candidate.regression, candidate.features)))


def _log_odds(regression: str, features: Mapping[str, float]) -> float:
    weights = log_odds_weights()[regression]
    return weights["intercept"] + sum(
        weight * features[name] for name, weight in weights.items() if name != "intercept"
    )


def candidates(
    readings: Sequence[Reading],
    encoder: Any,
    classifier: PairClassifier | None = None,
    *,
    hopeless: bool = False,
) -> list[Candidate]:
    """Every two sentences near each other that may not both be true.

    Pairs that no answer of the classifier could lift above their threshold are not read and left
    out, unless ``hopeless`` ones are wanted too, as for fitting the regressions.
    """
    if len(readings) < _SMALLEST:
        return []
    texts = [reading.text for reading in readings]
    vectors = np.asarray(encoder.encode(texts), dtype=np.float32)
    pile = _Pile(readings, _Neighbours(vectors, [_kinds_of(r) for r in readings]))
    clashing = [*_clashing_values(pile, encoder), *_clashing_places(pile), *_opposed(pile)]
    reading = {pair: pile.features("outcome", *pair) for pair in pile.neighbours.close}
    pairs = list(reading) if hopeless else sorted(_worth_reading(clashing, reading))
    classifier = PairClassifier.shipped() if classifier is None else classifier
    logits = dict(zip(pairs, classifier.logits(texts, pairs), strict=True))
    valued = [_with_classifier(c, logits[c.pair]) for c in clashing if c.pair in logits]
    seen = {(c.kind, *c.pair) for c in valued}
    return [*valued, *_by_classifier(pile, reading, logits, seen)]


def _worth_reading(
    clashing: Sequence[Candidate], reading: Mapping[tuple[int, int], Mapping[str, float]]
) -> Iterator[tuple[int, int]]:
    """The pairs that reach a threshold at the classifier's highest log-odds."""
    best = {pair: _highest_margin("reading", features) for pair, features in reading.items()}
    for candidate in clashing:
        margin = _highest_margin(candidate.regression, candidate.features)
        best[candidate.pair] = max(best[candidate.pair], margin)
    return (pair for pair, margin in best.items() if margin >= 0)


def _highest_margin(regression: str, features: Mapping[str, float]) -> float:
    """The log-odds above the threshold at the classifier's highest log-odds."""
    weight = log_odds_weights()[regression]["classifier_kind_log_prob"]
    # Read alone, the kind is the likeliest of all, so it has at least an equal share.
    lowest = -math.log(len(KINDS)) if regression == "reading" else _LOWEST_KIND_LOG_PROB
    kind_log_prob = 0.0 if weight >= 0 else lowest
    strongest = {
        "classifier_log_odds": _HIGHEST_LOG_ODDS,
        "classifier_kind_log_prob": kind_log_prob,
    }
    threshold = thresholds()[regression]
    return _log_odds(regression, {**features, **strongest}) - math.log(threshold / (1 - threshold))


def _with_classifier(candidate: Candidate, logits: Floats) -> Candidate:
    features = {**candidate.features, **_classifier_features(logits, candidate.kind)}
    return replace(candidate, features=features)


def _classifier_features(logits: Floats, kind: str) -> dict[str, float]:
    """Log-odds of any contradiction, and the log-probability that one is of this kind."""
    kinds = logits[1:].astype(float)
    any_kind = float(np.logaddexp.reduce(kinds))
    return {
        "classifier_log_odds": any_kind - float(logits[0]),
        "classifier_kind_log_prob": float(kinds[KINDS.index(kind)]) - any_kind,
    }


def _by_classifier(
    pile: _Pile,
    reading: Mapping[tuple[int, int], Mapping[str, float]],
    logits: Mapping[tuple[int, int], Floats],
    seen: AbstractSet[tuple[str, int, int]],
) -> Iterator[Candidate]:
    """Candidates by the classifier alone, of the kind it finds likeliest."""
    for (i, j), scores in logits.items():
        kind = KINDS[int(scores[1:].argmax())]
        if (kind, i, j) not in seen:
            texts = (pile.readings[i].text, pile.readings[j].text)
            features = {**reading[i, j], **_classifier_features(scores, kind)}
            yield Candidate("reading", kind, i, j, texts, features)


def _kinds_of(reading: Reading) -> set[str]:
    """The kinds of contradiction a sentence may be part of."""
    placed = {"place"} if reading.sites else set()
    return {"outcome", *placed, *(claim.kind for claim in reading.claims)}


class _Neighbours:
    """The nearest sentences of each sentence among those that claim something of a kind, and the
    pairs that are ``close`` enough to be read together."""

    def __init__(self, vectors: Floats, kinds: Sequence[set[str]]) -> None:
        self.vectors = vectors
        self.top = np.zeros(len(vectors), dtype=np.float32)
        self.usual = 0.0  # mean cosine of a sentence and its nearest in this pile
        self.ranks: dict[str, dict[tuple[int, int], int]] = {kind: {} for kind in KINDS}
        members = {kind: np.flatnonzero([kind in some for some in kinds]) for kind in KINDS}
        for start in range(0, len(vectors), _CHUNK):
            alike = vectors[start : start + _CHUNK] @ vectors.T
            for row, scores in enumerate(alike, start):
                scores[row] = -1.0
                self.top[row] = scores.max()
                for kind in kinds[row]:
                    self._add(kind, row, nearest(scores, members[kind]))
        self.usual = float(self.top.mean())
        self.close = self._close()

    def _close(self) -> list[tuple[int, int]]:
        """Every sentence may have an outcome: the nearest of that kind are the nearest of all."""
        near = {
            pair
            for kind, ranks in self.ranks.items()
            for pair, rank in ranks.items()
            if rank < (_READ if kind == "outcome" else _READ_KIND)
        }
        less = {pair: -self.margin(*pair) for pair in sorted(near)}
        found = [pair for pair, far in less.items() if far < _FAR]
        return sorted(sorted(found, key=less.__getitem__)[:_MOST_READ])

    def margin(self, i: int, j: int) -> float:
        """How much more alike two are than each of them and its nearest, on average."""
        return float(self.vectors[i] @ self.vectors[j] - (self.top[i] + self.top[j]) / 2)

    def _add(self, kind: str, row: int, others: Sequence[int]) -> None:
        """Pairs with how many of the kind are nearer, on the better side."""
        known = self.ranks[kind]
        for rank, other in enumerate(others):
            pair = (min(row, other), max(row, other))
            known[pair] = min(rank, known.get(pair, rank))


def nearest(scores: Floats, members: NDArray[np.intp]) -> list[int]:
    """The members with the best scores, the best first."""
    some = scores[members]
    most = min(_NEAREST, len(some))
    least = max(_ALIKE, np.partition(some, -most)[-most])
    close = np.flatnonzero(some >= least)  # sorting all would take most of the time
    best = close[np.argsort(-some[close], kind="stable")][:most]
    found: list[int] = members[best].tolist()
    return found


class _Pile:
    """The features that depend on the two sentences alone."""

    def __init__(self, readings: Sequence[Reading], neighbours: _Neighbours) -> None:
        self.readings = readings
        self.neighbours = neighbours
        self.styles = [style_of(r.text) for r in readings]
        self.denies = [denies(r.text) for r in readings]
        self.stems = [stems_of(r.words) for r in readings]
        self.event_classes = IdfOverlap([r.happenings for r in readings])
        self.words = IdfOverlap([r.words for r in readings])

    def pairs(self, kind: str) -> list[tuple[int, int]]:
        """The close ones of which both claim something of the kind."""
        return [pair for pair in self.neighbours.close if pair in self.neighbours.ranks[kind]]

    def features(self, kind: str, i: int, j: int) -> dict[str, float]:
        """Features of two sentences, whatever they claim."""
        neighbours, one, two = self.neighbours, self.readings[i], self.readings[j]
        alike = float(neighbours.vectors[i] @ neighbours.vectors[j])
        return {
            "cosine": alike,
            "cosine_above_usual": alike - neighbours.usual,
            "mutual_nearest": float(alike >= max(neighbours.top[i], neighbours.top[j]) - _SAME),
            "cosine_margin": neighbours.margin(i, j),
            "log_rank": math.log1p(neighbours.ranks[kind].get((i, j), _NEAREST)),
            "different_source": different_source(self.styles[i], self.styles[j]),
            "shared_event_classes": self.event_classes.weight(one.happenings & two.happenings),
            "shared_words": self.words.weight(one.words & two.words),
            "shared_names": self.words.weight(one.names & two.names),
            "one_negates": float(self.denies[i] != self.denies[j]),
        }

    def unsaid(self, i: int, j: int) -> bool:
        """Whether one sentence says with a "no" what the other says without."""
        one, two = self.readings[i].denied, self.readings[j].denied
        return (one & self.stems[j]) != (two & self.stems[i])


def _clashing_values(pile: _Pile, encoder: Any) -> Iterator[Candidate]:
    """Candidates by amounts, times and days."""
    told = [
        (i, j, one, two)
        for kind in ("number", "time", "date")
        for i, j in pile.pairs(kind)
        for one, two in _disagreements(kind, pile.readings[i], pile.readings[j])
    ]
    units = sorted({claim.unit for _, _, *both in told for claim in both if claim.unit})
    known = dict(zip(units, encoder.encode(units), strict=True)) if units else {}
    kinds = Counter(claim.kind for r in pile.readings for claim in r.claims)
    for i, j, one, two in told:
        counted = bool(one.unit and two.unit)
        alike = float(known[one.unit] @ known[two.unit]) if counted else 0.0
        if counted and alike < _UNIT:
            continue
        apart = one.differs(two)
        features = {
            "both_in_figures": float(one.in_figures and two.in_figures),
            "one_in_figures": float(one.in_figures != two.in_figures),
            "value_distance": apart if one.kind == "number" else math.log1p(apart),
            "unit_cosine": alike,
            "unit_missing": float(not counted),
            "at_most_three": float(one.few or two.few),
            "vague_times": float(not one.exact) + float(not two.exact),
            "log_share_of_kind": math.log(kinds[one.kind] / len(pile.readings)),
        }
        shared = pile.features(one.kind, i, j)
        yield Candidate(one.kind, one.kind, i, j, (one.said, two.said), {**shared, **features})


def _disagreements(kind: str, first: Reading, second: Reading) -> Iterator[tuple[Claim, Claim]]:
    """Claims of the one and the other that cannot both be true."""
    for one in first.claims:
        for two in second.claims:
            if one.kind != kind or two.kind != kind or not one.differs(two):
                continue
            if _agrees(one, second) or _agrees(two, first):
                continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
            yield one, two


def _agrees(claim: Claim, other: Reading) -> bool:
    return any(
        c.kind == claim.kind and c.unit == claim.unit and not c.differs(claim) for c in other.claims
    )


def _clashing_places(pile: _Pile) -> Iterator[Candidate]:
    """Candidates by where something is or happens."""
    for i, j in pile.pairs("place"):
        one, two = pile.readings[i], pile.readings[j]
        apart = [(a.apart(b), a, b) for a in one.sites for b in two.sites]
        if any(not far for far, _, _ in apart):
            continue
        far, here, there = max(apart, key=lambda found: found[0])
        features = {
            "different_kind_of_place": float(far > 1),
            "same_preposition": float(here.preposition == there.preposition),
            "both_named": float(here.is_named and there.is_named),
            "one_named": float(here.is_named != there.is_named),
        }
        values = (here.said, there.said)
        features = {**pile.features("place", i, j), **features}
        yield Candidate("place", "place", i, j, values, features)


def _opposed(pile: _Pile) -> Iterator[Candidate]:
    """Candidates by what became of something, or whether it was so at all."""
    for i, j in pile.pairs("outcome"):
        one, two = pile.readings[i].sides, pile.readings[j].sides
        opposed = {
            matter
            for matter, side in one
            if (matter, -side) in two and (matter, -side) not in one and (matter, side) not in two
        }
        if not opposed and not pile.unsaid(i, j):
            continue
        features = pile.features("outcome", i, j)
        features["opposed_matters"] = float(len(opposed))
        features["opposed_fate"] = float(bool(opposed & _FATES))
        values = (pile.readings[i].text, pile.readings[j].text)
        yield Candidate("outcome", "outcome", i, j, values, features)
