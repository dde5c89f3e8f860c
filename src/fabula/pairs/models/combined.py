"""combined: the cross-encoder for the labels; for one event, what it says and regressions.

Two sentences mention one event if their documents tell one story, and in it they speak of the same:
where the documents are given, the probability is the product of both. Without documents one
regression over the sentences decides. The cross-encoder's own answer counts half.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, softmax

from fabula.core.model_store import SavedModel, State
from fabula.pairs.features.alignment import alignment, word_states
from fabula.pairs.features.facts import facts_of
from fabula.pairs.features.likeness import pair_features
from fabula.pairs.features.stories import story_features
from fabula.pairs.items import Pair, Relation, with_answers
from fabula.pairs.models.cross_encoder.model import CrossEncoder

__all__ = ["Combined"]

Floats = NDArray[np.float64]
Features = Sequence[Mapping[str, float]]

# What is compared: of sentences whose documents are not known, and of sentences of one story, where
# names tell little.
_EVENT = (
    "aligned_events", "aligned_event", "events_shared", "classes", "negation_unlike", "words",
)  # fmt: skip
_SENTENCES = (
    *_EVENT, "aligned_words", "aligned_words_least", "names_shared", "names_of_shorter",
    "names_unlike", "numbers_unlike", "days_unlike",
)  # fmt: skip
# Documents that tell one story at these log-odds or more are no reason to doubt it: above, their
# likeness tells how they are written.
_SURE = 1.0


class Combined(SavedModel):
    """Pairs in, relations out: what ``fabula assemble`` uses. ``c`` is the inverse penalty.

    Only the regressions are learnt and saved; the cross-encoder is the one that ships.
    """

    registered, fitted, ships = "pairs/combined", "weights_", True
    weights_file = None
    weights_: dict[str, dict[str, float]]

    def __init__(self, *, c: float = 0.02) -> None:
        self.c = c

    def fit(self, items: Sequence[Pair], dev: Sequence[Pair] = ()) -> Combined:
        """Learn one event from the pairs that have ``same``, those with documents apart."""
        pairs = [pair for pair in with_answers(items) if pair.same is not None]
        self.weights_ = {"sentences": {"bias": 0.0}}
        features, found = self._features(pairs)
        for named in (True, False):
            some = [i for i, pair in enumerate(pairs) if _has_documents(pair) == named]
            same = np.array([float(bool(pairs[i].same)) for i in some])
            if len(set(same)) < 2:
                continue
            rows, read = [features[i] for i in some], found["same"][some, 0]
            if named:
                stories = [_story(pairs[i]) for i in some]
                learnt = _learn([rows, stories], [_EVENT, tuple(stories[0])], same, self.c)
                self.weights_["event"] = _with_network(learnt[0], rows, read)
                self.weights_["story"] = learnt[1]
            else:
                learnt = _learn([rows], [_SENTENCES], same, self.c)
                self.weights_["sentences"] = _with_network(learnt[0], rows, read)
        return self

    def relate(self, pairs: Sequence[Pair]) -> list[Relation]:
        self.ensure_trained()
        features, found = self._features(pairs)
        shares = softmax(found["relation"].astype(np.float64), axis=1)
        relations = []
        for pair, row, labels in zip(pairs, features, shares, strict=True):
            same = self._same(pair, row)
            relations.append(Relation(*map(float, [*labels, same])))
        return relations

    def _same(self, pair: Pair, row: Mapping[str, float]) -> float:
        if "story" not in self.weights_ or not _has_documents(pair):
            return float(expit(_log_odds(self.weights_["sentences"], [row])[0]))
        story = min(_SURE, float(_log_odds(self.weights_["story"], [_story(pair)])[0]))
        event = _log_odds(self.weights_["event"], [row])[0]
        return float(expit(story) * expit(event))

    def _features(
        self, pairs: Sequence[Pair]
    ) -> tuple[list[dict[str, float]], dict[str, NDArray[np.float32]]]:
        """The named features of each pair's sentences, and the cross-encoder's logits."""
        found = CrossEncoder().logits([(pair.a, pair.b) for pair in pairs])
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
        facts = dict(zip(texts, facts_of(texts), strict=True))
        words = word_states(facts)
        rows = [
            {
                **pair_features(facts[pair.a], facts[pair.b]),
                **alignment(words[pair.a], words[pair.b]),
                "read_same": float(same[0]),
            }
            for pair, same in zip(pairs, found["same"], strict=True)
        ]
        return rows, found

    def state(self) -> State:
        return State(values={"weights": self.weights_})

    def restore(self, state: State) -> None:
        self.weights_ = {
            part: {name: float(value) for name, value in weights.items()}
            for part, weights in state.values["weights"].items()
        }
        if "sentences" not in self.weights_ or ("event" in self.weights_) != (
            "story" in self.weights_
        ):
            raise ValueError("its weights lack a part")


def _with_network(
    weights: Mapping[str, float], rows: Features, read: NDArray[np.float32]
) -> dict[str, float]:
    """The mean of a regression's log-odds and the network's, which are given their mean and spread.

    The network has read these very pairs: a weight learnt from them would be too great.
    """
    odds = _log_odds(weights, rows)
    weight = float(np.std(odds) / (np.std(read) + 1e-9))
    bias = weights["bias"] + float(np.mean(odds)) - weight * float(np.mean(read))
    halves = {**weights, "bias": bias, "read_same": weight}
    return {name: round(value / 2, 5) for name, value in halves.items()}


def _has_documents(pair: Pair) -> bool:
    return bool(pair.context_a and pair.context_b)


def _story(pair: Pair) -> dict[str, float]:
    return story_features(pair.context_a or "", pair.context_b or "")


def _log_odds(weights: Mapping[str, float], rows: Features) -> Floats:
    names = [name for name in weights if name != "bias"]
    return np.array(
        [weights["bias"] + sum(weights[name] * row[name] for name in names) for row in rows]
    )


def _learn(
    features: Sequence[Features], names: Sequence[Sequence[str]], gold: Floats, c: float
) -> list[dict[str, float]]:
    """The weights of regressions whose probabilities are multiplied, each by features of its own.

    By maximum likelihood, with a penalty on the squared weights of features scaled to one.
    """
    from scipy.optimize import minimize

    tables = [
        np.array([[row[name] for name in some] for row in rows])
        for rows, some in zip(features, names, strict=True)
    ]
    scales = [table.std(axis=0) + 1e-9 for table in tables]
    means = [table.mean(axis=0) for table in tables]
    scaled = [(t - m) / s for t, m, s in zip(tables, means, scales, strict=True)]
    ends = np.cumsum([table.shape[1] + 1 for table in tables])[:-1]

    def loss(flat: Floats) -> tuple[float, Floats]:
        parts = np.split(flat, ends)
        odds = [x @ part[:-1] + part[-1] for x, part in zip(scaled, parts, strict=True)]
        log_same = np.minimum(sum(log_expit(one) for one in odds), -1e-9)
        log_other = np.log(-np.expm1(log_same))
        slope = -gold + (1 - gold) * np.exp(log_same - log_other)  # by the log of the product
        gradient = []
        for x, part, one in zip(scaled, parts, odds, strict=True):
            inner = slope * expit(-one)
            gradient += [*(x.T @ inner + part[:-1] / c), inner.sum()]
        penalty = sum(float(part[:-1] @ part[:-1]) for part in parts) / (2 * c)
        total = -float(gold @ log_same + (1 - gold) @ log_other) + penalty
        return total, np.array(gradient)

    start = np.concatenate([[*([0.1] * table.shape[1]), 1.0] for table in tables])
    best = np.split(minimize(loss, start, jac=True, method="L-BFGS-B").x, ends)
    learnt = []
    for part, some, mean, scale in zip(best, names, means, scales, strict=True):
        weights = part[:-1] / scale
        fitted = dict(zip(some, np.round(weights, 5).tolist(), strict=True))
        learnt.append({"bias": round(float(part[-1] - weights @ mean), 5), **fitted})
    return learnt
