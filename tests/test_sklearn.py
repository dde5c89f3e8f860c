"""The estimators, by scikit-learn's own checks, in a pipeline and in BERTopic."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

from fabula.sklearn import SentenceOrderer, StoryClusterer


def test_scikit_learns_own_checks() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(StoryClusterer(), on_fail=None, on_skip=None)
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    assert sum(r["status"] == "passed" for r in results) > 40


# Those of scikit-learn's checks that give an estimator no array of numbers.
CHECKS = (
    "check_no_attributes_set_in_init", "check_parameters_default_constructible",
    "check_get_params_invariance", "check_set_params", "check_estimator_repr",
    "check_estimator_cloneable", "check_valid_tag_types", "check_mixin_order",
)  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_the_checks_that_need_no_numbers_hold_for_the_orderer(name: str) -> None:
    getattr(estimator_checks, name)("SentenceOrderer", SentenceOrderer())


def test_texts_survive_pickling_and_cloning() -> None:
    texts = [["Then she drank it.", "Mara made tea."], ["It fell.", "It stood."]]
    orderer = SentenceOrderer(model="linear")
    with pytest.raises(NotFittedError):
        orderer.predict(texts)
    orders = orderer.fit(texts).predict(texts)
    assert pickle.loads(pickle.dumps(orderer)).predict(texts) == orders  # noqa: S301
    found = StoryClusterer(n_clusters=2).fit([" ".join(text) for text in texts])
    again = pickle.loads(pickle.dumps(found))  # noqa: S301
    assert again.predict(["She drank tea."]).tolist() == found.predict(["She drank tea."]).tolist()
    assert clone(found).get_params() == found.get_params()


@pytest.mark.parametrize("wrong", ["one text", None, 5, [5], [["a", 5]], np.zeros((2, 2))])
def test_what_is_no_text_is_a_value_error(wrong: Any) -> None:
    with pytest.raises(ValueError, match="X"):
        SentenceOrderer(model="linear").fit(wrong)


@pytest.mark.parametrize(
    "given", [{"n_clusters": 0}, {"n_clusters": "two"}, {"n_clusters": 7}, {"max_clusters": 0}]
)
def test_a_wrong_number_is_a_value_error(given: dict[str, Any]) -> None:
    for rows in (["It fell.", "She sang."], np.eye(6)):
        with pytest.raises(ValueError, match="_clusters="):
            StoryClusterer(**given).fit(rows)


def _blobs(number: int, size: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(number, 5)) * 20
    rows = np.repeat(centres, size, axis=0) + rng.normal(size=(number * size, 5))
    return rows, np.repeat(np.arange(number), size)


@pytest.mark.parametrize("size", [10, 1100])  # a linkage tree, and k-means
def test_rows_find_their_number_and_new_rows_their_cluster(size: int) -> None:
    rows, gold = _blobs(3, size)
    found = StoryClusterer().fit(rows)
    assert found.n_clusters_ == 3 and found.labels_.tolist() == gold.tolist()
    assert found.predict(rows[::size]).tolist() == [0, 1, 2]


def test_texts_are_clustered_as_untangle_does() -> None:
    texts = ["The bridge fell. Divers searched the river.", "Mara made tea. The tea was hot."]
    found = StoryClusterer(n_clusters=2).fit(texts)
    assert found.labels_.tolist() == [0, 1] and len(found.probabilities_) == 2
    assert found.predict(["Divers came to the river.", "She drank hot tea."]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="fitted on texts"):
        found.predict(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="n_clusters=3"):
        StoryClusterer(n_clusters=3).fit(texts)


def test_the_orderer_in_a_pipeline() -> None:
    texts = [["Then she drank it.", "Mara made tea."], "Then it fell. First it stood."]
    orderer = SentenceOrderer().fit(texts)
    orders = orderer.predict(texts)
    assert orders[0] == [1, 0] and orderer.score(texts, orders) == 1.0
    assert isinstance(orderer.transform(texts)[1], str)
    vectors = make_pipeline(SentenceOrderer(model="linear"), TfidfVectorizer())
    assert vectors.fit_transform(["It fell. It stood.", "Tea was made."]).shape[0] == 2


def test_bertopic_takes_the_clusterer() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bertopic = pytest.importorskip("bertopic", reason='needs the extra "bench"')
        from bertopic.dimensionality import BaseDimensionalityReduction

        rows, gold = _blobs(3, 10)
        words = ["river bridge divers", "tea kettle cup", "king crown throne"]
        model = bertopic.BERTopic(
            embedding_model=None,
            umap_model=BaseDimensionalityReduction(),
            hdbscan_model=StoryClusterer(),
        )
        topics, _ = model.fit_transform([f"{words[g]} {n}" for n, g in enumerate(gold)], rows)
    assert len(set(topics)) == 3
    assert all(len({topics[i] for i in np.flatnonzero(gold == g)}) == 1 for g in range(3))
