"""The models over sentence vectors: k-medoids, k-means, average linkage, spectral, centred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import MissingPart, UnknownName
from fabula.registry import create_model
from fabula.salads import TASK
from fabula.salads.build.mix import build_salads, read_sources
from fabula.salads.items import Grouping, Salad, call, check
from fabula.salads.metrics import ca
from fabula.salads.models.centred import Centred
from fabula.salads.models.hac import Hac
from fabula.salads.models.kmeans import KMeans
from fabula.salads.models.kmedoids import KMedoids
from fabula.salads.models.sentence_vectors import salad_vectors
from fabula.salads.models.spectral import Spectral
from fabula.testing import check_model
from fabula.text import resources
from fabula.text.encoders.sentence import Tfidf, find_encoder
from fabula.types import Document

MODELS = [Centred, Hac, KMeans, KMedoids, Spectral]


class Numbers:
    """An encoder of sentences that are numbers: ``"1 0 2"``."""

    def encode(self, sentences: Sequence[str], /) -> Any:
        return np.array([[float(word) for word in sentence.split()] for sentence in sentences])


def salad(rows: Any, stories: int | None) -> Salad:
    return Salad("s", tuple(" ".join(map(str, row)) for row in rows), stories=stories)


def grouped(model: Any, rows: Any, stories: int | None) -> Grouping:
    given = salad(rows, stories)
    (grouping,) = call(model(encoder=Numbers()), [given])
    check(given, grouping)
    return grouping


rows = st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=9)


@given(st.sampled_from(MODELS), rows, st.one_of(st.none(), st.integers(1, 12)))
def test_any_vectors_any_number(model: Any, rows: Any, stories: int | None) -> None:
    """One sentence, equal ones, more stories than different sentences, and zeros among them."""
    first = grouped(model, rows, stories)
    assert first == grouped(model, rows, stories)
    assert set(first.labels) == set(range(first.stories))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("stories", [None, 1, 2, 3])
def test_equal_sentences_with_room_for_more_stories(model: Any, stories: Any) -> None:
    labels = grouped(model, [(1, 1, 3)] * 6, stories).labels
    if model is not Hac:  # which joins until the number is left, whatever it joins
        assert set(labels) == {0}


@pytest.mark.parametrize("model", MODELS)
def test_stories_far_apart_are_found_and_counted(model: Any) -> None:
    rng = np.random.default_rng(0)
    gold = rng.permutation(np.repeat(np.arange(3), 6))
    rows = np.eye(5)[gold] + rng.normal(0, 0.02, (18, 5))
    for stories in (3, None):
        grouping = grouped(model, rows.tolist(), stories)
        score = ca(Salad("s", ("a",) * 18, tuple(gold.tolist())), grouping)
        assert score.total == 1.0, model
    assert min(grouping.probabilities) > 0.5


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("encoder", ["tfidf", "minilm"])
def test_the_contract_with_every_encoder(model: Any, encoder: str) -> None:
    """TF-IDF too: it must not read the other salads of a batch."""
    check_model("salads", model(encoder=encoder))


def test_by_name() -> None:
    for name, model in zip(
        ["centred", "hac", "kmeans", "kmedoids", "spectral"], MODELS, strict=True
    ):
        made = create_model("salads", f"{name}:tfidf")
        assert made.encoder == "tfidf" and isinstance(made, model)
        assert create_model("salads", name).encoder == "minilm"
    with pytest.raises(UnknownName, match="did you mean 'minilm'"):
        create_model("salads", "hac:minilmm").group(TASK.examples())


@pytest.mark.parametrize("model", MODELS)
def test_better_than_one_story(model: Any, articles: list[Document]) -> None:
    salads = list(build_salads(read_sources(articles)[0], n=30))
    hidden = [Salad(s.id, s.sentences, stories=2) for s in salads]
    groupings = model(encoder="minilm").group(hidden)
    scores = [ca(s, g).total for s, g in zip(salads, groupings, strict=True)]
    assert np.mean(scores) > 0.65  # one story is worth about .53


def test_exact_medoids_beat_one_start(articles: list[Document]) -> None:
    salads = list(build_salads(read_sources(articles)[0], n=40))
    means = [
        np.mean([ca(s, g).total for s, g in zip(salads, model.group(salads), strict=True)])
        for model in (KMedoids(), KMedoids(exact=True))
    ]
    assert means[1] > means[0]


def test_the_seed_matters_to_one_start_alone(articles: list[Document]) -> None:
    salads = list(build_salads(read_sources(articles)[0], n=20))
    assert KMedoids(seed=0).group(salads) != KMedoids(seed=1).group(salads)
    assert KMedoids(exact=True).group(salads) == KMedoids(exact=True, seed=1).group(salads)


def test_all_sentences_are_encoded_in_one_go() -> None:
    class Counting(Numbers):
        calls = 0

        def encode(self, sentences: Sequence[str], /) -> Any:
            self.calls += 1
            return super().encode(sentences)

    encoder = Counting()
    one, two = salad_vectors(encoder, [salad([(1, 2)], 1), salad([(3, 4), (5, 6)], 1)])
    assert one.tolist() == [[1, 2]] and two.tolist() == [[3, 4], [5, 6]] and encoder.calls == 1
    assert salad_vectors(encoder, []) == [] and encoder.calls == 1


def test_a_named_encoder_is_made_once() -> None:
    assert find_encoder("tfidf") is find_encoder("tfidf")
    assert isinstance(find_encoder("tfidf"), Tfidf)
    own = Numbers()
    assert find_encoder(own) is own


def test_a_part_that_is_not_installed_is_named(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path))
    monkeypatch.setenv("FABULA_DATA", str(tmp_path))
    monkeypatch.delenv("FABULA_GLOVE", raising=False)
    resources.locate.cache_clear()
    with pytest.raises(MissingPart, match="fabula resources install glove"):
        create_model("salads", "kmedoids:glove").group(TASK.examples())
    resources.locate.cache_clear()


@pytest.mark.parametrize("model", MODELS)
def test_many_sentences(model: Any) -> None:
    points = np.random.default_rng(0).normal(size=(1050, 3)).round(2).tolist()
    assert len(grouped(model, points, 2).labels) == 1050
