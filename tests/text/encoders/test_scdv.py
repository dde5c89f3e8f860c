from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from fabula.errors import MissingPart, UsageError
from fabula.registry import encoders
from fabula.text import resources
from fabula.text.encoders.scdv import Scdv
from fabula.text.encoders.wordvectors import WordVectors

WORDS = ["the", "of", *(f"sea{i}" for i in range(20)), *(f"oven{i}" for i in range(20))]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def vectors() -> WordVectors:
    """Two frequent words in the middle, and two heaps of rarer ones apart from each other."""
    rng = np.random.default_rng(0)
    middles = np.array([[0, 0, 3]] * 2 + [[4, 0, 0]] * 20 + [[0, 4, 0]] * 20)
    matrix = (middles + rng.normal(0, 0.5, middles.shape)).astype(np.float32)
    return WordVectors({word: place for place, word in enumerate(WORDS)}, matrix, lower=True)


def test_sentences_of_one_sense_are_near(vectors: WordVectors) -> None:
    encoder = Scdv(vectors, clusters=2)
    one, near, far = encoder.encode(["The sea1 of sea2.", "SEA3 sea4", "oven1 oven2"])
    assert one.shape == (6,) and one.dtype == np.float32
    assert one @ near > 0.9 > 0.3 > one @ far


def test_each_cluster_has_its_own_place(vectors: WordVectors) -> None:
    sea, oven = Scdv(vectors, clusters=2).encode(["sea1 sea2 sea3", "oven1 oven2 oven3"])
    for row in (sea, oven):
        halves = np.abs(row.reshape(2, 3)).sum(axis=1)
        assert halves.max() > 20 * halves.min()  # the words are in one cluster, not in both
    assert (
        np.linalg.norm(sea.reshape(2, 3), axis=1).argmax()
        != np.linalg.norm(oven.reshape(2, 3), axis=1).argmax()
    )


def test_rows_of_length_one_but_for_what_is_dropped(vectors: WordVectors) -> None:
    full = Scdv(vectors, clusters=2, sparsity=0.0).encode(["sea1 oven1 of"])[0]
    sparse = Scdv(vectors, clusters=2, sparsity=0.5).encode(["sea1 oven1 of"])[0]
    assert np.linalg.norm(full) == pytest.approx(1, abs=1e-6)
    assert (full != 0).sum() > (sparse != 0).sum() > 0
    assert (sparse[sparse != 0] == full[sparse != 0]).all()


def test_a_vector_does_not_depend_on_its_neighbours(vectors: WordVectors) -> None:
    encoder = Scdv(vectors, clusters=2)
    together = encoder.encode(["sea1 of", "oven3", ""])
    assert (together[1] == encoder.encode(["oven3"])[0]).all()
    assert (together[2] == 0).all() and (encoder.encode(["unknown"]) == 0).all()
    assert encoder.encode([]).shape == (0, 6)


def test_the_mixture_is_the_one_of_sklearn(vectors: WordVectors) -> None:
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(3, covariance_type="tied", max_iter=50, random_state=0)
    mixture.fit(vectors.matrix.astype(np.float64))
    weights, bias = Scdv(vectors, clusters=3).mixture
    logits = vectors.matrix @ weights + bias
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    assert shares == pytest.approx(
        mixture.predict_proba(vectors.matrix.astype(np.float64)), abs=1e-4
    )


def test_the_mixture_is_fitted_once(
    vectors: WordVectors, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Scdv(vectors, clusters=2).encode(["sea1 oven2"])
    (stored,) = cache.rglob("*.safetensors")
    monkeypatch.setattr("fabula.text.encoders.scdv.fit_vectors", None)
    assert (Scdv(vectors, clusters=2).encode(["sea1 oven2"]) == first).all()
    monkeypatch.undo()
    stored.write_bytes(b"damaged")  # made again
    assert (Scdv(vectors, clusters=2).encode(["sea1 oven2"]) == first).all()


def test_fewer_words_than_clusters(vectors: WordVectors) -> None:
    assert Scdv(vectors, words=5).encode(["sea1"]).shape == (1, 5 * 3)


def test_what_is_refused(vectors: WordVectors) -> None:
    with pytest.raises(UsageError, match="encode takes a list of strings"):
        Scdv(vectors).encode("One.")


def test_without_glove_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FABULA_GLOVE", raising=False)
    monkeypatch.setenv("FABULA_DATA", str(tmp_path))
    resources.locate.cache_clear()
    with pytest.raises(MissingPart, match="fabula resources install glove"):
        encoders.get("scdv")()
    resources.locate.cache_clear()


@pytest.mark.slow  # fits the mixture to ten thousand words
@pytest.mark.skipif(
    "FABULA_TEST_GLOVE" not in os.environ, reason="FABULA_TEST_GLOVE names no file of vectors"
)
def test_over_glove(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABULA_GLOVE", os.environ["FABULA_TEST_GLOVE"])
    one, near, far = encoders.get("scdv")().encode(
        ["The ferry left the harbour.", "A boat sailed from the port.", "Bread baked in the oven."]
    )
    assert one @ near > one @ far + 0.2
