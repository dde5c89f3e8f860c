"""The aspects of a story that its ending should agree with (Chaturvedi, Peng and Roth 2017).

Each aspect is fitted on stories with their right endings and gives a few numbers for every option
of an item, as an array (options, numbers). What it has learnt is JSON values and arrays.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.endings.items import Ending
from fabula.endings.models.average_sentiment import moods
from fabula.endings.models.cogcomp.lines import read_lines
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.counting import count
from fabula.events.counts.event_counts import Counts
from fabula.events.items import Chain, Event
from fabula.events.models.bigram import Bigram
from fabula.text.encoders.sentence import find_encoder

__all__ = ["ASPECTS", "Events", "Language", "Mood", "Topic"]

Floats = NDArray[np.float64]
_PARTS = ("beginning", "body", "climax")


def _right_options(items: Sequence[Ending]) -> list[str]:
    return [item.options[item.gold] for item in items if item.gold is not None]


class Events:
    """The event sequence: log P(ending's events | context's events), by an event bigram model.

    The bigram model of ``fabula.events`` over all events of a story in order, negated ones apart.
    An ending without an event gets the mean of the other options.
    """

    names = ("given the story", "by itself", "gain", "unseen")

    def fit(self, items: Sequence[Ending]) -> Events:
        texts = [text for item in items for text in item.context] + _right_options(items)
        lines = read_lines(texts)
        chains = []
        for item, right in zip(items, _right_options(items), strict=True):
            events = [event for text in (*item.context, right) for event in lines[text].events]
            chains.append([[event.verb, event.slot] for event in events])
        self.chains_ = [chain for chain in chains if len(chain) > 1]
        self._count()
        return self

    def _count(self) -> None:
        self.counts_: Counts | None = None
        if self.chains_:
            self.counts_ = count(
                Chain(str(i), "story", tuple(Event(verb, slot) for verb, slot in chain))
                for i, chain in enumerate(self.chains_)
            )

    def features(self, items: Sequence[Ending]) -> Floats:
        lines = read_lines(text for item in items for text in (*item.context, *item.options))
        rows = [row for item in items for row in self._item(item, lines)]
        return np.array(rows, dtype=float).reshape(-1, len(self.names))

    def _item(self, item: Ending, lines: Any) -> Floats:
        rows = np.full((len(item.options), len(self.names)), np.nan)
        before = [event for text in item.context for event in lines[text].events]
        counts = self.counts_
        if counts is not None:
            given = Bigram(smoothing=0.01).scores(EventTest("", tuple(before), len(before)), counts)
            given = given / max(len(before), 1)
            prior = np.log((counts.unigrams + 0.5) / (counts.tokens + 0.5 * counts.types))
            lowest = math.log(0.5 / (counts.tokens + 0.5 * counts.types))
            for row, option in zip(rows, item.options, strict=True):
                indices = counts.encode(lines[option].events)
                if len(indices):
                    seen = indices[indices >= 0]
                    by_itself = (prior[seen].sum() + lowest * (indices < 0).sum()) / len(indices)
                    gain = (given[seen] - np.log(counts.unigrams[seen] / counts.tokens)).sum()
                    row[:] = (0, by_itself, gain / len(indices), float((indices < 0).mean()))
                    row[0] = row[1] + row[2]
        mean = np.array(
            [
                column[~np.isnan(column)].mean() if (~np.isnan(column)).any() else 0.0
                for column in rows.T
            ]
        )
        return np.where(np.isnan(rows), mean, rows)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"chains": self.chains_}, {}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Events:
        self.chains_ = values["chains"]
        self._count()
        return self


class Mood:
    """The sentiment trajectory: P(ending's polarity | polarities of beginning, body, climax).

    The beginning is the first sentence, the climax the last, the body what is between. Learnt by
    counting the right stories, from the whole trajectory back to the climax alone.
    """

    names = ("given the trajectory", "given the climax", "mood", "near the mean", "near the last")
    weight = 4.0  # pseudo-count of the shorter trajectory's estimate (back-off), in stories

    def fit(self, items: Sequence[Ending]) -> Mood:
        counts: Counter[tuple[int, ...]] = Counter()
        for item, (context, options) in zip(items, moods(items), strict=True):
            if item.gold is not None and context:
                path = (*_trajectory(context), _polarity(options[item.gold]))
                for start in range(len(path)):
                    counts[path[start:]] += 1
        self.counts_ = counts
        return self

    def chance(self, path: tuple[int, ...], ending: int) -> float:
        """P(ending | path), smoothed by the shorter path's estimate with ``weight`` stories."""
        shorter = self.chance(path[1:], ending) if path else 1 / 3
        total = sum(self.counts_[(*path, other)] for other in (-1, 0, 1))
        return (self.counts_[(*path, ending)] + self.weight * shorter) / (total + self.weight)

    def features(self, items: Sequence[Ending]) -> Floats:
        rows = []
        for context, options in moods(items):
            path = _trajectory(context) if context else ()
            mean, last = (float(np.mean(context)), context[-1]) if context else (0.0, 0.0)
            for mood in options:
                end = _polarity(mood)
                long, short = self.chance(path, end), self.chance(path[-1:], end)
                rows.append(
                    (math.log(long), math.log(short), mood, -abs(mood - mean), -abs(mood - last))
                )
        return np.array(rows, dtype=float).reshape(-1, len(self.names))

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"counts": sorted([list(path), n] for path, n in self.counts_.items())}, {}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Mood:
        self.counts_ = Counter({tuple(path): n for path, n in values["counts"]})
        return self


class Topic:
    """Topical consistency: the similarity of the ending's words and vector to the context's.

    Nouns and verbs of the ending that stand in the context count 1, others their best word-vector
    cosine. Then sentence vectors: the ending's cosine with context and last sentence, and how well
    they agree dimension by dimension, the weights of the dimensions being learnt.
    """

    names = ("words", "cosine with the story", "cosine with the last line", "agreement")
    strength = 1e-3  # C of the agreement's regression: 768 dimensions, few stories

    def __init__(self, encoder: Any = "minilm") -> None:
        self.encoder = encoder

    def fit(self, items: Sequence[Ending]) -> Topic:
        from sklearn.linear_model import LogisticRegression

        agreement = self._agreement(items)[0]
        sides, at = [], 0
        for item in items:
            rows = agreement[at : at + len(item.options)]
            at += len(item.options)
            if item.gold is not None:
                sides.append(rows[item.gold] - np.delete(rows, item.gold, axis=0))
        differences = np.concatenate(sides)
        self.scale_ = 1 / np.maximum(differences.std(axis=0), 1e-9)
        both = np.concatenate([differences, -differences]) * self.scale_
        target = np.repeat([1, 0], len(differences))
        learner = LogisticRegression(C=self.strength, fit_intercept=False, max_iter=300)
        self.weights_ = learner.fit(both, target).coef_[0]
        return self

    def features(self, items: Sequence[Ending]) -> Floats:
        agreement, cosines = self._agreement(items)
        learnt = agreement @ (self.weights_ * self.scale_)
        return np.column_stack([self._words(items), cosines, learnt])

    def _agreement(self, items: Sequence[Ending]) -> tuple[Floats, Floats]:
        """(options, 2d) products of vectors, and the two cosines they sum to."""
        texts = dict.fromkeys(text for item in items for text in (*item.context, *item.options))
        vectors = np.asarray(find_encoder(self.encoder).encode(list(texts)), dtype=float)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        index = {text: i for i, text in enumerate(texts)}
        rows = []
        for item in items:
            story = vectors[[index[text] for text in item.context]]
            mean = story.mean(axis=0) if len(story) else np.zeros(vectors.shape[1])
            mean = mean / max(float(np.linalg.norm(mean)), 1e-12)
            last = story[-1] if len(story) else mean
            rows += [
                np.concatenate([vector * mean, vector * last])
                for vector in vectors[[index[text] for text in item.options]]
            ]
        block = np.array(rows).reshape(-1, 2 * vectors.shape[1])
        half = vectors.shape[1]
        cosines = np.column_stack([block[:, :half].sum(axis=1), block[:, half:].sum(axis=1)])
        return block, cosines

    def _words(self, items: Sequence[Ending]) -> Floats:
        lines = read_lines(text for item in items for text in (*item.context, *item.options))
        similarity = _WordSimilarity()
        scores = []
        for item in items:
            story = {word for text in item.context for word in lines[text].words}
            for option in item.options:
                words = lines[option].words
                scores.append(
                    float(np.mean([similarity.best(word, story) for word in words]))
                    if words
                    else 0.0
                )
        return np.array(scores)

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {}, {"weights": self.weights_, "scale": self.scale_}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Topic:
        self.weights_, self.scale_ = arrays["weights"], arrays["scale"]
        return self


class _WordSimilarity:
    """The largest cosine of a word with the words of a story, by the parser's word vectors."""

    def __init__(self) -> None:
        from fabula.text.parse.pipeline import pipeline

        self.vocabulary = pipeline().vocab
        self.cached: dict[str, Floats | None] = {}

    def best(self, word: str, story: set[str]) -> float:
        if word in story:
            return 1.0
        own = self._vector(word)
        if own is None:
            return 0.0
        others = [vector for other in sorted(story) if (vector := self._vector(other)) is not None]
        return max((float(own @ other) for other in others), default=0.0)

    def _vector(self, word: str) -> Floats | None:
        if word not in self.cached:
            vector = None
            if self.vocabulary.has_vector(word):
                vector = np.asarray(self.vocabulary.get_vector(word), dtype=float)
                vector = vector / max(float(np.linalg.norm(vector)), 1e-12)
            self.cached[word] = vector
        return self.cached[word]


class Language:
    """The ending's log-likelihood by the packaged language model (not in the original paper)."""

    names = ("given the story", "by itself", "gain", "per token")

    def fit(self, items: Sequence[Ending]) -> Language:
        return self

    def features(self, items: Sequence[Ending]) -> Floats:
        from fabula.endings.models.lm import Lm

        columns = {by: Lm(by=by).score(items) for by in ("sum", "pmi", "per-token")}
        flat = {
            by: np.array([score for scores in rows for score in scores])
            for by, rows in columns.items()
        }
        prior = flat["sum"] - flat["pmi"]
        return np.column_stack([flat["sum"], prior, flat["pmi"], flat["per-token"]])

    def state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {}, {}

    def restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Language:
        return self


ASPECTS: dict[str, Any] = {
    "events": Events,
    "sentiment": Mood,
    "topic": Topic,
    "language": Language,
}


def _trajectory(moods: Sequence[float]) -> tuple[int, ...]:
    """The polarities of beginning, body and climax; fewer in a short context."""
    if len(moods) < 3:
        return tuple(_polarity(mood) for mood in moods)
    return tuple(map(_polarity, (moods[0], float(np.mean(moods[1:-1])), moods[-1])))


def _polarity(mood: float) -> int:
    """VADER's own thresholds."""
    return 1 if mood >= 0.05 else -1 if mood <= -0.05 else 0
