"""SCDV: sparse composite document vectors (Mekala et al. 2017) over any word vectors.

A Gaussian mixture over the word vectors gives each word its posterior probability of every cluster.
A word's vector is its word vector times each probability, concatenated over clusters and weighted
by inverse document frequency; a sentence is the sum of its words, with small entries set to zero.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fabula.core.build_once import built
from fabula.core.files import cache_folder, fingerprint
from fabula.errors import DamagedFile, UsageError
from fabula.text.encoders.wordvectors import AveragedWords, WordVectors, glove_encoder

__all__ = ["Scdv", "fit_vectors", "scdv_encoder"]

Floats = NDArray[np.float32]


class Scdv:
    """A sentence encoder of ``clusters`` times the dimension of the word vectors.

    The mixture is fitted once to the first ``words`` of the file of vectors, which are the most
    frequent, and cached: a sentence's vector must not depend on the others given. For the same
    reason the inverse document frequency comes from a word's rank in that file.
    """

    def __init__(
        self,
        vectors: WordVectors,
        *,
        clusters: int = 60,
        words: int = 10_000,
        sparsity: float = 0.04,
    ) -> None:
        self.vectors = vectors
        self.clusters = clusters
        self.words = words
        self.sparsity = sparsity  # the paper's 4 %

    def encode(self, sentences: Sequence[str], /) -> Floats:
        """One row a sentence, of unit length before sparsification; zero without a known word."""
        if isinstance(sentences, str):
            raise UsageError("encode takes a list of strings; this is one string")
        weights, bias = self.mixture
        tokens = AveragedWords(self.vectors).tokens
        ranks = self.vectors.rows
        result = np.zeros((len(sentences), weights.size), dtype=np.float32)
        for row, sentence in zip(result, sentences, strict=True):
            rank = np.array([ranks[t] for t in tokens(sentence) if t in ranks], dtype=np.int64)
            words = np.asarray(self.vectors.matrix[rank])  # words x dimension
            posteriors = _softmax(words @ weights + bias)  # words x clusters
            # By Zipf's law the share of texts with a word falls as one over its rank, so its
            # inverse document frequency grows as the logarithm of the rank.
            idf = np.log1p(rank).astype(np.float32)
            row[:] = (posteriors.T @ (words * idf[:, None])).ravel()  # cluster by cluster
            _sparsify(row, self.sparsity)
        return result

    @cached_property
    def mixture(self) -> tuple[Floats, Floats]:
        """Weights and bias such that softmax(word @ weights + bias) gives the posteriors.

        With a tied covariance the quadratic terms of the Gaussians cancel.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        words = np.array(self.vectors.matrix[: self.words])
        identity = [str(words.shape), str(self.clusters), fingerprint([words.tobytes().hex()])]
        target = cache_folder() / "scdv" / fingerprint(identity)
        path = built(target, lambda folder: fit_vectors(words, self.clusters, folder)) / _FILE
        try:
            stored = load_file(path)
            return stored["weights"], stored["bias"]
        except (OSError, KeyError, SafetensorError) as error:
            problem = f"{path}: {error}; delete this folder and try again"
            raise DamagedFile(problem) from error


_FILE = "mixture.safetensors"


def fit_vectors(words: Floats, clusters: int, folder: Path) -> None:
    """Fit the mixture of word vectors and write it to a folder."""
    from safetensors.numpy import save_file
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(
        min(clusters, len(words)), covariance_type="tied", max_iter=50, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fifty iterations, as its authors do
        mixture.fit(words.astype(np.float64))
    weights = mixture.precisions_ @ mixture.means_.T  # dimension x clusters
    bias = np.log(mixture.weights_) - (mixture.means_.T * weights).sum(axis=0) / 2
    learnt = {"weights": weights.astype(np.float32), "bias": bias.astype(np.float32)}
    save_file({name: np.ascontiguousarray(value) for name, value in learnt.items()}, folder / _FILE)


def _softmax(logits: Floats) -> Floats:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _sparsify(row: Floats, share: float) -> None:
    """Scale the row to unit length, then set entries below a share of its range to zero, in place.

    The paper's threshold is a mean over all texts; a row's own keeps rows independent.
    """
    length = np.linalg.norm(row)
    if length:
        row /= length
        row[np.abs(row) < share * (abs(row.min()) + abs(row.max())) / 2] = 0.0


def scdv_encoder() -> Scdv:
    """SCDV over the word vectors of the encoder ``glove``."""
    return Scdv(glove_encoder().vectors)
