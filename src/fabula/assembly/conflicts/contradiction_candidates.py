"""Candidate contradictions: near sentence pairs in, their features and probabilities out.

Two sources seldom report an event in the same words, so sentences are compared by their vectors:
their cosine, its margin over each one's nearest neighbour (the distance margin of Artetxe & Schwenk
2019 with k = 1), and whether they differ in style. Near pairs go to the pair classifier. A pair
becomes a candidate because values differ (amounts, times, dates, places, outcomes), or by the
classifier alone. One logistic regression for each kind of value, and one for the classifier alone,
gives the probability; their weights and thresholds are data
(``data/weights/assembly-contradictions``).
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

_MIN_SENTENCES = 12  # fewer give no estimate of how near neighbours usually are
_NEIGHBOURS = 20  # of a sentence, among those with a claim of the same kind
_CLASSIFIED, _CLASSIFIED_OF_KIND = 6, 3  # nearest neighbours of all, of a kind, to be classified
_MAX_DISTANCE = 0.2  # of a close pair: its negated cosine margin
_MAX_CLASSIFIED = 3000  # pairs of a pile, the nearest first
_ROUNDING = 1e-3  # between two cosines that count as equal
_MIN_COSINE = 0.1  # of two neighbouring sentences
_MIN_UNIT_COSINE = 0.3  # below it two units count different things
_ROWS_PER_BLOCK = 1024
# The classifier's log-odds reached 3.6 at most on 4,659 pairs of written piles and of news: a pair
# that is below its threshold even at this value need not be classified.
_HIGHEST_LOG_ODDS = 4.0
_LOWEST_KIND_LOG_PROB = -15.0
_FATES = frozenset(("life", "harm", "custody", "guilt"))  # of people: more reliable outcomes

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Two sentences (indices, ``first`` < ``second``), the value of each, and their features.

    ``regression`` names the logistic regression that weights the features: the kind where values
    differ, else "reading" (the classifier alone).
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
    unpruned: bool = False,
) -> list[Candidate]:
    """Every two near sentences that may not both be true.

    Pairs that stay below their threshold at any output of the classifier are pruned, unless
    ``unpruned``, as for fitting the regressions.
    """
    if len(readings) < _MIN_SENTENCES:
        return []
    texts = [reading.text for reading in readings]
    vectors = np.asarray(encoder.encode(texts), dtype=np.float32)
    pile = _Pile(readings, _Neighbours(vectors, [_kinds_of(r) for r in readings]))
    by_value = [*_differing_values(pile, encoder), *_differing_places(pile), *_opposed(pile)]
    features = {pair: pile.features("outcome", *pair) for pair in pile.neighbours.close}
    pairs = list(features) if unpruned else sorted(_reachable(by_value, features))
    classifier = PairClassifier.shipped() if classifier is None else classifier
    logits = dict(zip(pairs, classifier.logits(texts, pairs), strict=True))
    classified = [_with_classifier(c, logits[c.pair]) for c in by_value if c.pair in logits]
    kinds_and_pairs = {(c.kind, *c.pair) for c in classified}
    return [*classified, *_by_classifier(pile, features, logits, kinds_and_pairs)]


def _reachable(
    by_value: Sequence[Candidate], pair_features: Mapping[tuple[int, int], Mapping[str, float]]
) -> Iterator[tuple[int, int]]:
    """The pairs that reach a threshold at the classifier's highest log-odds."""
    best = {pair: _highest_margin("reading", features) for pair, features in pair_features.items()}
    for candidate in by_value:
        margin = _highest_margin(candidate.regression, candidate.features)
        best[candidate.pair] = max(best[candidate.pair], margin)
    return (pair for pair, margin in best.items() if margin >= 0)


def _highest_margin(regression: str, features: Mapping[str, float]) -> float:
    """The log-odds above the threshold at the classifier's highest log-odds."""
    weight = log_odds_weights()[regression]["classifier_kind_log_prob"]
    # By the classifier alone the kind is the argmax, so its probability is at least 1 / kinds.
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
    """Log-odds of a contradiction of any kind, and the log-probability of this kind given one."""
    kinds = logits[1:].astype(float)
    any_kind = float(np.logaddexp.reduce(kinds))
    return {
        "classifier_log_odds": any_kind - float(logits[0]),
        "classifier_kind_log_prob": float(kinds[KINDS.index(kind)]) - any_kind,
    }


def _by_classifier(
    pile: _Pile,
    pair_features: Mapping[tuple[int, int], Mapping[str, float]],
    logits: Mapping[tuple[int, int], Floats],
    by_value: AbstractSet[tuple[str, int, int]],
) -> Iterator[Candidate]:
    """Candidates by the classifier alone, of its likeliest kind, unless among those by value."""
    for (i, j), pair_logits in logits.items():
        kind = KINDS[int(pair_logits[1:].argmax())]
        if (kind, i, j) not in by_value:
            texts = (pile.readings[i].text, pile.readings[j].text)
            features = {**pair_features[i, j], **_classifier_features(pair_logits, kind)}
            yield Candidate("reading", kind, i, j, texts, features)


def _kinds_of(reading: Reading) -> set[str]:
    """The kinds of contradiction a sentence may be part of."""
    place = {"place"} if reading.sites else set()
    return {"outcome", *place, *(claim.kind for claim in reading.claims)}


class _Neighbours:
    """Exact nearest neighbours by cosine, in blocks, for each kind among the sentences with a
    claim of that kind; ``close`` are the pairs near enough to be classified."""

    def __init__(self, vectors: Floats, kinds: Sequence[set[str]]) -> None:
        self.vectors = vectors
        self.top = np.zeros(len(vectors), dtype=np.float32)  # cosine of each and its nearest
        self.ranks: dict[str, dict[tuple[int, int], int]] = {kind: {} for kind in KINDS}
        members = {kind: np.flatnonzero([kind in own for own in kinds]) for kind in KINDS}
        for start in range(0, len(vectors), _ROWS_PER_BLOCK):
            block = vectors[start : start + _ROWS_PER_BLOCK] @ vectors.T
            for row, cosines in enumerate(block, start):
                cosines[row] = -1.0
                self.top[row] = cosines.max()
                for kind in kinds[row]:
                    self._add(kind, row, nearest(cosines, members[kind]))
        self.mean_top = float(self.top.mean())
        self.close = self._close()

    def _close(self) -> list[tuple[int, int]]:
        """Pairs of high rank and margin. Every sentence may have an outcome, so the nearest of
        that kind are the nearest of all."""
        near = {
            pair
            for kind, ranks in self.ranks.items()
            for pair, rank in ranks.items()
            if rank < (_CLASSIFIED if kind == "outcome" else _CLASSIFIED_OF_KIND)
        }
        distances = {pair: -self.margin(*pair) for pair in sorted(near)}
        close = [pair for pair, distance in distances.items() if distance < _MAX_DISTANCE]
        return sorted(sorted(close, key=distances.__getitem__)[:_MAX_CLASSIFIED])

    def margin(self, i: int, j: int) -> float:
        """Cosine of two sentences minus the mean cosine of each and its nearest."""
        return float(self.vectors[i] @ self.vectors[j] - (self.top[i] + self.top[j]) / 2)

    def _add(self, kind: str, row: int, others: Sequence[int]) -> None:
        """Record each pair's rank: how many of the kind are nearer, the lower of both sides."""
        ranks = self.ranks[kind]
        for rank, other in enumerate(others):
            pair = (min(row, other), max(row, other))
            ranks[pair] = min(rank, ranks.get(pair, rank))


def nearest(scores: Floats, members: NDArray[np.intp]) -> list[int]:
    """The members with the highest scores, in descending order."""
    member_scores = scores[members]
    count = min(_NEIGHBOURS, len(member_scores))
    lowest = max(_MIN_COSINE, np.partition(member_scores, -count)[-count])
    near = np.flatnonzero(member_scores >= lowest)  # sorting all would take most of the time
    best = near[np.argsort(-member_scores[near], kind="stable")][:count]
    indices: list[int] = members[best].tolist()
    return indices


class _Pile:
    """The sentences of a pile, and the features of a pair that do not depend on its values."""

    def __init__(self, readings: Sequence[Reading], neighbours: _Neighbours) -> None:
        self.readings = readings
        self.neighbours = neighbours
        self.styles = [style_of(r.text) for r in readings]
        self.denies = [denies(r.text) for r in readings]
        self.stems = [stems_of(r.words) for r in readings]
        self.event_classes = IdfOverlap([r.happenings for r in readings])
        self.words = IdfOverlap([r.words for r in readings])

    def pairs(self, kind: str) -> list[tuple[int, int]]:
        """The close pairs of which both sentences have a claim of the kind."""
        return [pair for pair in self.neighbours.close if pair in self.neighbours.ranks[kind]]

    def features(self, kind: str, i: int, j: int) -> dict[str, float]:
        """Features of two sentences by vector, style and shared words."""
        neighbours, first, second = self.neighbours, self.readings[i], self.readings[j]
        cosine = float(neighbours.vectors[i] @ neighbours.vectors[j])
        return {
            "cosine": cosine,
            "cosine_above_usual": cosine - neighbours.mean_top,
            "mutual_nearest": float(
                cosine >= max(neighbours.top[i], neighbours.top[j]) - _ROUNDING
            ),
            "cosine_margin": neighbours.margin(i, j),
            "log_rank": math.log1p(neighbours.ranks[kind].get((i, j), _NEIGHBOURS)),
            "different_source": different_source(self.styles[i], self.styles[j]),
            "shared_event_classes": self.event_classes.weight(first.happenings & second.happenings),
            "shared_words": self.words.weight(first.words & second.words),
            "shared_names": self.words.weight(first.names & second.names),
            "one_negates": float(self.denies[i] != self.denies[j]),
        }

    def polarity_differs(self, i: int, j: int) -> bool:
        """Whether one sentence negates a word that the other affirms."""
        negated_i, negated_j = self.readings[i].denied, self.readings[j].denied
        return (negated_i & self.stems[j]) != (negated_j & self.stems[i])


def _differing_values(pile: _Pile, encoder: Any) -> Iterator[Candidate]:
    """Candidates by amounts, times and dates."""
    differing = [
        (i, j, first, second)
        for kind in ("number", "time", "date")
        for i, j in pile.pairs(kind)
        for first, second in _disagreements(kind, pile.readings[i], pile.readings[j])
    ]
    units = sorted({claim.unit for _, _, *claims in differing for claim in claims if claim.unit})
    unit_vectors = dict(zip(units, encoder.encode(units), strict=True)) if units else {}
    kinds = Counter(claim.kind for r in pile.readings for claim in r.claims)
    for i, j, first, second in differing:
        both_units = bool(first.unit and second.unit)
        cosine = float(unit_vectors[first.unit] @ unit_vectors[second.unit]) if both_units else 0.0
        if both_units and cosine < _MIN_UNIT_COSINE:
            continue
        distance = first.differs(second)
        features = {
            "both_in_figures": float(first.in_figures and second.in_figures),
            "one_in_figures": float(first.in_figures != second.in_figures),
            "value_distance": distance if first.kind == "number" else math.log1p(distance),
            "unit_cosine": cosine,
            "unit_missing": float(not both_units),
            "at_most_three": float(first.few or second.few),
            "vague_times": float(not first.exact) + float(not second.exact),
            "log_share_of_kind": math.log(kinds[first.kind] / len(pile.readings)),
        }
        shared = pile.features(first.kind, i, j)
        values = (first.said, second.said)
        yield Candidate(first.kind, first.kind, i, j, values, {**shared, **features})


def _disagreements(kind: str, first: Reading, second: Reading) -> Iterator[tuple[Claim, Claim]]:
    """Claims of the first and the second sentence that cannot both be true."""
    for claim in first.claims:
        for other in second.claims:
            if claim.kind != kind or other.kind != kind or not claim.differs(other):
                continue
            if _agrees(claim, second) or _agrees(other, first):
                continue  # "twenty of our twenty-one boats" agrees with "twenty-one boats"
            yield claim, other


def _agrees(claim: Claim, other: Reading) -> bool:
    return any(
        c.kind == claim.kind and c.unit == claim.unit and not c.differs(claim) for c in other.claims
    )


def _differing_places(pile: _Pile) -> Iterator[Candidate]:
    """Candidates by the places of the sentences, the most distant pair of them."""
    for i, j in pile.pairs("place"):
        first, second = pile.readings[i], pile.readings[j]
        distances = [(a.apart(b), a, b) for a in first.sites for b in second.sites]
        if any(not distance for distance, _, _ in distances):
            continue
        distance, place, other = max(distances, key=lambda entry: entry[0])
        features = {
            "different_kind_of_place": float(distance > 1),
            "same_preposition": float(place.preposition == other.preposition),
            "both_named": float(place.is_named and other.is_named),
            "one_named": float(place.is_named != other.is_named),
        }
        values = (place.said, other.said)
        features = {**pile.features("place", i, j), **features}
        yield Candidate("place", "place", i, j, values, features)


def _opposed(pile: _Pile) -> Iterator[Candidate]:
    """Candidates by opposed outcomes (antonyms of one matter) or by negation of a shared word."""
    for i, j in pile.pairs("outcome"):
        first, second = pile.readings[i].sides, pile.readings[j].sides
        opposed = {
            matter
            for matter, side in first
            if (matter, -side) in second
            and (matter, -side) not in first
            and (matter, side) not in second
        }
        if not opposed and not pile.polarity_differs(i, j):
            continue
        features = pile.features("outcome", i, j)
        features["opposed_matters"] = float(len(opposed))
        features["opposed_fate"] = float(bool(opposed & _FATES))
        values = (pile.readings[i].text, pile.readings[j].text)
        yield Candidate("outcome", "outcome", i, j, values, features)
