from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UnknownName, UsageError
from fabula.salads.build import nearest
from fabula.salads.build.hardest import hardest_salads
from fabula.salads.build.mix import Source, build_salads, read_sources
from fabula.salads.build.nearest import Nearest, first_of_near
from fabula.salads.build.topics import with_topics
from fabula.salads.items import Salad
from fabula.text.encoders.wordvectors import AveragedWords, WordVectors
from fabula.types import Document


def source(name: str, topic: Any, category: str | None = None, date: str | None = None) -> Source:
    vector = np.array(topic, dtype=np.float32)
    sentences = tuple(f"{name} saw ship {place}." for place in range(8))
    document = Document(name, (" ".join(sentences),), category=category, date=date)
    return Source(document, sentences, vector / np.linalg.norm(vector))


def crowd(number: int, dimension: int = 6, seed: int = 0) -> list[Source]:
    topics = np.random.default_rng(seed).normal(size=(number, dimension))
    return [source(f"d{place}", topic, f"c{place % 3}") for place, topic in enumerate(topics)]


def pairs(salads: Sequence[Salad]) -> list[tuple[str, ...]]:
    return [tuple(sorted(salad.documents)) for salad in salads]


def cosine(one: Source, two: Source) -> float:
    assert one.topic is not None and two.topic is not None
    return float(one.topic.astype(float) @ two.topic.astype(float))


def brute_force(sources: list[Source], n: int, same: bool = False) -> list[tuple[str, str]]:
    allowed = [
        (cosine(a, b), (a.document.id, b.document.id))
        for a, b in combinations(sources, 2)
        if not same or (a.document.category == b.document.category is not None)
    ]
    best = sorted(allowed, key=lambda pair: -pair[0])[:n]
    return [(min(ids), max(ids)) for _, ids in best]


# The search.


@given(st.integers(0, 1000), st.integers(2, 30), st.integers(1, 40), st.sampled_from([1, 4, 7, 64]))
def test_the_nearest_of_all_pairs_whatever_the_blocks(
    seed: int, number: int, n: int, block: int
) -> None:
    sources = crowd(number, seed=seed)
    topics = np.stack([s.topic for s in sources if s.topic is not None])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "BLOCK", block)
        found = Nearest(n)
        found.add(topics, np.arange(number))
    assert [tuple(sorted((f"d{i}", f"d{j}"))) for i, j in found.pairs()] == brute_force(sources, n)


@given(st.integers(0, 1000), st.integers(0, 25), st.sampled_from([1, 3, 64]))
def test_of_near_rows_the_first_stays(seed: int, number: int, block: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(number, 2)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    kept: list[int] = []
    for i in range(number):
        if all(rows[i] @ rows[j] <= 0.9 for j in kept):
            kept.append(i)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "BLOCK", block)
        assert first_of_near(rows, 0.9).tolist() == kept


# Among all.


@pytest.mark.parametrize("base", ["random", "same-category"])
def test_among_all_finds_the_hardest_allowed_pairs(base: str) -> None:
    sources = crowd(20)
    salads = hardest_salads(sources, base=base, among="all", n=12)
    assert pairs(salads) == brute_force(sources, 12, same=base == "same-category")
    cosines = [salad.cosine for salad in salads]
    assert cosines == sorted(cosines, key=lambda value: -(value or 0))
    for salad in salads:
        one, two = (next(s for s in sources if s.document.id == name) for name in salad.documents)
        assert salad.cosine == pytest.approx(cosine(one, two), abs=1e-6)
        assert salad.labels is not None and sorted(salad.labels) == [0] * 8 + [1] * 8


def test_nothing_does_not_match_nothing() -> None:
    near = [source("a", [1, 0, 0.1]), source("b", [1, 0.1, 0]), source("c", [1, 0, 0.2])]
    given = [
        *near,
        source("d", [0, 1, 0], "x", "2011-03"),
        source("e", [0, 0, 1], "x", "2011-03-09"),
    ]
    for base in ("same-category", "same-month"):
        assert pairs(hardest_salads(given, base=base, among="all")) == [("d", "e")]


def test_documents_told_twice_are_left_out_and_the_first_stays() -> None:
    given = [
        source("a", [1.0, 0.2, 0]),
        source("b", [1.0, 0.2001, 0]),  # nearly the same
        source("c", [0, 1, 0.5]),
        source("d", [0.1, 0, 1]),
        source("e", [-1, -1, 1]),
    ]
    twin = Source(Document("z", ()), given[3].sentences[::-1], given[4].topic)
    again = source("e", [0.5, -1, 1])  # another document of a name there is already
    found = hardest_salads([*given, twin, again], among="all", n=100)
    assert {name for pair in pairs(found) for name in pair} == {"a", "c", "d", "e"}
    with pytest.raises(UsageError, match="near-duplicates of each other"):
        hardest_salads([given[3], twin], among="all")


def test_topics_that_all_point_one_way_are_no_duplicates() -> None:
    """As means of word vectors do."""
    topics = np.random.default_rng(0).normal(size=(12, 5)) * 0.02 + np.ones(5)
    given = [source(f"d{place}", topic) for place, topic in enumerate(topics)]
    assert min(cosine(a, b) for a, b in combinations(given, 2)) > 0.98
    assert len(hardest_salads(given, among="all", n=100)) == 66


# Among those built.


def test_among_built_takes_the_hardest_of_what_the_base_builds() -> None:
    sources = crowd(30)
    base = list(build_salads(sources, recipe="same-category", n=40, seed=3))
    hard = hardest_salads(sources, base="same-category", n=7, pool=40, seed=3)
    assert hard == sorted(base, key=lambda salad: -(salad.cosine or 0))[:7]
    assert len(hardest_salads(sources, n=2)) == 2  # 100 are built


def test_more_than_two_documents_have_the_mean_cosine_of_their_pairs() -> None:
    sources = crowd(9)
    for salad in hardest_salads(sources, n=5, documents=(3, 4)):
        chosen = [next(s for s in sources if s.document.id == name) for name in salad.documents]
        mean = np.mean([cosine(a, b) for a, b in combinations(chosen, 2)])
        assert salad.cosine == pytest.approx(mean, abs=1e-6)


def test_the_same_seed_gives_the_same_and_none_gives_none() -> None:
    sources = crowd(20)
    for among in ("all", "built"):
        first, again, other = (hardest_salads(sources, among=among, n=5, seed=s) for s in (1, 1, 2))
        assert first == again != other
        assert hardest_salads(sources, among=among, n=0) == []


def test_what_cannot_be_chosen_is_refused() -> None:
    sources = crowd(6)
    with pytest.raises(UsageError, match="among must be one of all, built; not 'any'"):
        hardest_salads(sources, among="any")
    with pytest.raises(UsageError, match="2 documents a salad, or use built"):
        hardest_salads(sources, among="all", documents=(2, 3))
    with pytest.raises(UsageError, match="add them: with_topics"):
        hardest_salads([Source(s.document, s.sentences) for s in sources])
    with pytest.raises(UnknownName, match="unknown salad recipe 'hardest'"):
        hardest_salads(sources, base="hardest", among="all")


# Topics.


def test_salads_know_their_cosine_when_topics_are_there(articles: list[Document]) -> None:
    plain = read_sources(articles[:12])[0]
    known = with_topics(plain)
    assert known == plain  # a topic is no part of what a source is
    for before, after in zip(build_salads(plain, n=8), build_salads(known, n=8), strict=True):
        assert before.cosine is None and after.cosine is not None and -1 <= after.cosine <= 1
        assert before.sentences == after.sentences and before.labels == after.labels


def test_a_topic_is_the_mean_of_the_sentences_or_of_the_words() -> None:
    class Lengths:
        def encode(self, sentences: Sequence[str], /) -> Any:
            return np.array([[len(sentence), 1.0] for sentence in sentences])

    words = WordVectors({"cat": 0, "dog": 1}, np.eye(2, dtype=np.float32), lower=True)
    given = [
        Source(Document("a", ()), ("Cat.", "Dog dog dog.")),
        Source(Document("b", ()), ("Nothing known.",)),
    ]
    one, two = (s.topic for s in with_topics(given, Lengths()))
    assert one is not None and two is not None and one.dtype == np.float32
    assert one == pytest.approx(np.array([8, 1]) / np.sqrt(65))
    assert two == pytest.approx(np.array([14, 1]) / np.sqrt(197))
    one, two = (s.topic for s in with_topics(given, AveragedWords(words)))
    assert one == pytest.approx(np.array([1, 3]) / np.sqrt(10))  # four words, not two sentences
    assert two == pytest.approx([0, 0])
    assert with_topics([], Lengths()) == []


def test_topics_that_depend_on_their_neighbours_are_refused() -> None:
    with pytest.raises(UsageError, match="topics cannot come from 'tfidf'"):
        with_topics([], "tfidf")
