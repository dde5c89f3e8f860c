"""Estimators for scikit-learn: texts or vectors in, stories out; shuffled sentences in, order out.

``StoryClusterer`` clusters; it also serves BERTopic as its ``hdbscan_model``. ``SentenceOrderer``
is a transformer for the front of a pipeline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fabula.errors import UsageError

__all__ = ["SentenceOrderer", "StoryClusterer"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_TREE = 3000  # rows up to which a linkage tree is built: it takes n x n numbers
_SAMPLE = 1000  # rows from which the number of clusters is chosen
_FLAT = 0.02  # silhouette up to which there is one cluster


class StoryClusterer(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster texts by the story they tell, or the rows of a 2-D array.

    Texts are clustered as ``fabula.untangle`` does: a text of several sentences is a document,
    which stays whole. The rows of an array (vectors of any encoder, or reduced ones) are joined by
    Ward's criterion, above 3,000 rows by k-means.

    **Parameters**

    ``n_clusters``
        The number of stories; None finds it, by the model of texts, by the best mean silhouette of
        vectors.
    ``model``
        The model of texts, as ``fabula.untangle`` takes it.
    ``max_clusters``
        The largest number tried for vectors.
    ``random_state``
        Of k-means.

    **Attributes**

    ``labels_``
        The story of each text or row, from 0.
    ``n_clusters_``
        How many there are.
    ``probabilities_``
        Of texts, how sure each one's story is.

    >>> rows = [[0.0, 0.1], [0.1, 0.0], [9.0, 9.1], [9.1, 9.0]]
    >>> StoryClusterer(n_clusters=2).fit_predict(rows).tolist()
    [0, 0, 1, 1]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        model: Any = "best",
        max_clusters: int = 50,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.model = model
        self.max_clusters = max_clusters
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> StoryClusterer:
        """Cluster texts (a sequence of strings) or a 2-D array; ``y`` is ignored."""
        texts = _as_texts(X)
        if texts is not None:
            self._check_number(len(texts))
            self.labels_, self.probabilities_ = _cluster_texts(texts, self.n_clusters, self.model)
            self._texts: list[str] | None = texts
            self._centres: Floats | None = None
        else:
            rows = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
            self._check_number(len(rows))
            self.labels_ = self._cluster_rows(rows)
            self._texts, self._centres = None, _centres(rows, self.labels_)
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self

    def predict(self, X: Any) -> Labels:
        """The story nearest to each new text (cosine of MiniLM vectors) or row (Euclidean)."""
        check_is_fitted(self, "labels_")
        texts = _as_texts(X)
        if (texts is None) != (self._texts is None):
            fitted = "a 2-D array" if self._texts is None else "texts"
            raise ValueError(f"this StoryClusterer was fitted on {fitted}; predict takes the same")
        if texts is None:
            rows, centres = validate_data(self, X, reset=False), self._centres
        else:
            if self._centres is None:
                self._centres = _centres(_vectors(self._texts or []), self.labels_)
            rows, centres = _vectors(texts), self._centres
        from scipy.spatial.distance import cdist

        nearest: Labels = cdist(rows, centres).argmin(axis=1).astype(np.int64)
        return nearest

    def _check_number(self, rows: int) -> None:
        number, most = self.n_clusters, self.max_clusters
        if number is not None and not (isinstance(number, Integral) and 1 <= number <= rows):
            raise ValueError(f"n_clusters={number!r} must be 1 to n_samples={rows}, or None")
        if not (isinstance(most, Integral) and most >= 1):
            raise ValueError(f"max_clusters={most!r} must be a number from 1")

    def _cluster_rows(self, rows: Floats) -> Labels:
        from sklearn.cluster import KMeans

        number = self.n_clusters
        if number is None:
            sample = rows[np.unique(np.linspace(0, len(rows) - 1, _SAMPLE).astype(int))]
            number = _number_of_clusters(sample, self.max_clusters)
        if len(rows) <= _TREE:
            return _cut(_ward(rows), number)
        found = KMeans(number, n_init=1, random_state=self.random_state).fit(rows)
        return _numbered(found.labels_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        return tags


class SentenceOrderer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Put the sentences of each text in order, by a model of ordering that is trained already.

    A text is a list of sentences or a string, which is split; ``transform`` gives it back in the
    same form, ``predict`` the order as numbers from 0. ``fit`` learns nothing: to train a model,
    use ``fabula.train`` and give its folder as ``model``.

    **Parameters**

    ``model``
        As ``fabula.order`` takes it: a name, a folder or an object.
    ``by``
        ``"telling"``, the order of the text, or ``"time"``, the order of happening.

    >>> SentenceOrderer(model="linear").fit_transform([["Only one."]])
    [['Only one.']]
    """

    def __init__(self, model: Any = "best", *, by: str = "telling") -> None:
        self.model = model
        self.by = by

    def fit(self, X: Any, y: Any = None) -> SentenceOrderer:
        """Check the texts; ``y`` is ignored."""
        self.n_texts_ = len(_units(X))
        return self

    def predict(self, X: Any) -> list[list[int]]:
        """The order of each text's sentences: the number (from 0) of the first, the second ..."""
        from fabula.ordering import order
        from fabula.registry import create_model

        check_is_fitted(self, "n_texts_")
        model = create_model("ordering", self.model)
        return [list(order(units, by=self.by, model=model).order) for units in _units(X)]

    def transform(self, X: Any) -> list[Any]:
        """Each text with its sentences in order."""
        ordered = [
            [units[i] for i in order]
            for units, order in zip(_units(X), self.predict(X), strict=True)
        ]
        return [" ".join(o) if isinstance(x, str) else o for o, x in zip(ordered, X, strict=True)]

    def score(self, X: Any, y: Sequence[Sequence[int]]) -> float:
        """The mean Kendall tau of the orders found and the right ones, ``y``."""
        from scipy.stats import kendalltau

        values = []
        for found, gold in zip(self.predict(X), y, strict=True):
            if len(gold) > 1:
                values.append(kendalltau(np.argsort(found), np.argsort(gold)).statistic)
        return float(np.mean(values)) if values else 1.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.no_validation = True
        tags.requires_fit = True
        return tags


def _as_texts(X: Any) -> list[str] | None:
    """X as a list of strings if it is a sequence of them (list, array, Series), else None."""
    if isinstance(X, str):
        raise ValueError("X is one string; give a list of texts")
    if hasattr(X, "ndim") and X.ndim != 1:
        return None
    if hasattr(X, "tolist"):
        X = X.tolist()
    if not isinstance(X, list | tuple) or not X or not isinstance(X[0], str):
        return None
    if not all(isinstance(text, str) for text in X):
        raise ValueError("X mixes strings with other values; give texts alone")
    return list(X)


def _units(X: Any) -> list[list[str]]:
    """The sentences of each text."""
    from fabula.text.segment.sentences import split_sentences

    if isinstance(X, str):
        raise ValueError("X is one string; give a list of texts")
    if hasattr(X, "tolist"):
        X = X.tolist()
    if not isinstance(X, Iterable):
        raise ValueError(f"X must be a list of texts; it is {X!r:.80}")
    found = []
    for number, text in enumerate(X):
        units = [s.text for s in split_sentences(text)] if isinstance(text, str) else text
        if not isinstance(units, list | tuple) or not all(isinstance(u, str) for u in units):
            raise ValueError(
                f"X[{number}] must be a text or a list of sentences; it is {text!r:.80}"
            )
        found.append(list(units))
    return found


def _cluster_texts(texts: list[str], number: int | None, model: Any) -> tuple[Labels, Floats]:
    """The story of each text and its probability: that of most of its sentences."""
    from fabula.salads import untangle
    from fabula.text.segment.sentences import split_sentences

    split = [[s.text for s in split_sentences(text)] or [text] for text in texts]
    owner = np.repeat(np.arange(len(texts)), [len(sentences) for sentences in split])
    several = len(owner) > len(texts)
    try:
        found = untangle(
            [sentence for sentences in split for sentence in sentences],
            stories=number,
            sources=owner.tolist() if several else None,
            model=model,
        )
    except UsageError as error:
        raise ValueError(str(error)) from error
    votes = np.zeros((len(texts), max(found.labels) + 1))
    np.add.at(votes, (owner, np.array(found.labels)), found.probabilities)
    counts = np.zeros_like(votes)
    np.add.at(counts, (owner, np.array(found.labels)), 1)
    chosen = votes.argmax(axis=1)
    rows = np.arange(len(texts))
    return _numbered(chosen), votes[rows, chosen] / np.maximum(counts[rows, chosen], 1)


def _vectors(texts: list[str]) -> Floats:
    from fabula.salads.clustering.vectors import unit
    from fabula.text.encoders.sentence import find_encoder

    return unit(np.asarray(find_encoder("minilm").encode(texts)))


def _ward(rows: Floats) -> Floats:
    from scipy.cluster.hierarchy import linkage

    tree: Floats = linkage(np.asarray(rows, dtype=np.float64), "ward")
    return tree


def _cut(tree: Floats, number: int) -> Labels:
    from scipy.cluster.hierarchy import cut_tree

    return _numbered(cut_tree(tree, number).ravel())


def _number_of_clusters(rows: Floats, most: int) -> int:
    """The number of clusters with the best mean silhouette; 1 where none is better than flat."""
    from scipy.spatial.distance import pdist, squareform

    from fabula.salads.clustering.number_of_stories import k_by_silhouette

    tree = _ward(rows)
    similarity = 1.0 - squareform(pdist(rows))
    return k_by_silhouette(similarity, lambda k: _cut(tree, k), most, _FLAT)


def _numbered(labels: NDArray[Any]) -> Labels:
    """Labels numbered from 0 by their first occurrence."""
    first, inverse = np.unique(labels, return_index=True, return_inverse=True)[1:]
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


def _centres(rows: Floats, labels: Labels) -> Floats:
    return np.stack([rows[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
