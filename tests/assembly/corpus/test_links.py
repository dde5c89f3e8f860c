"""The index: candidates against a search of all, terms, sketches, and floods of like texts."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from fabula.assembly.corpus.facts import facts_of, name_phrases, pack, sketch, unpack
from fabula.assembly.corpus.links.index import CorpusIndex, Terms, candidates, number_terms
from fabula.assembly.corpus.near_copies import fold_copies
from fabula.types import Document


def index_of(
    n: int, seed: int = 0, days: np.ndarray | None = None, dimension: int = 16
) -> CorpusIndex:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    words = [{f"w{word}": 1 for word in rng.choice(3 * n, 12, replace=False)} for _ in range(n)]
    known: dict[str, int] = {}
    bags = number_terms(words, [[] for _ in words], known)
    none = np.zeros(n, np.int32)
    return CorpusIndex.build(
        vectors, bags, terms=len(known), days=none if days is None else days, threads=none - 1
    )


def test_most_true_neighbours_are_candidates() -> None:
    index = index_of(2_000)
    asked = np.arange(100)
    found = candidates(index, index.vectors[asked], index.bags.take(asked), itself=asked)
    vectors = np.asarray(index.vectors, np.float32)
    cosines = vectors[asked] @ vectors.T
    cosines[asked, asked] = -1
    nearest = np.argsort(-cosines, axis=1)[:, :5]
    hit = [len(set(nearest[row]) & set(found[row].tolist())) / 5 for row in asked]
    assert np.mean(hit) > 0.6  # random vectors have no cells: text is far easier
    assert all(row not in some for row, some in zip(asked, found, strict=True))


def test_documents_that_share_rare_terms_are_candidates() -> None:
    index = index_of(400)
    words = index.bags.matrix(np.asarray(index.idf))
    shared = (words @ words.T).toarray()
    np.fill_diagonal(shared, 0)
    asked = np.arange(50)
    found = candidates(index, index.vectors[asked], index.bags.take(asked), itself=asked)
    assert all(shared[row].argmax() in found[row] for row in asked)


def test_documents_of_the_same_days_come_first() -> None:
    days = np.full(1_000, 700_000, np.int32)
    days[:30] = 730_000
    found = [
        candidates(index, index.vectors[:30], index.bags.take(np.arange(30)), itself=np.arange(30))
        for index in (index_of(1_000, days=days), index_of(1_000))
    ]
    near = [np.mean([np.isin(row, np.arange(30)).sum() for row in rows]) for rows in found]
    assert near[0] > near[1] + 2


def test_a_flood_of_like_texts_is_no_square() -> None:
    n = 6_000
    vectors = np.tile(np.eye(1, 16, dtype=np.float32), (n, 1))
    known: dict[str, int] = {}
    bags = number_terms([{"same": 1}] * n, [[]] * n, known)
    none = np.zeros(n, np.int32)
    index = CorpusIndex.build(vectors, bags, terms=1, days=none, threads=none - 1)
    asked = np.arange(200)
    started = time.process_time()
    found = candidates(index, vectors[asked], bags.take(asked), itself=asked)
    assert time.process_time() - started < 5
    assert max(map(len, found)) < 100


def test_an_index_is_the_same_from_the_disk(tmp_path: Path) -> None:
    index = index_of(50)
    index.save(tmp_path)
    again = CorpusIndex.load(tmp_path)
    for name in ("vectors", "centres", "terms", "idf", "mean_words"):
        assert np.array_equal(getattr(index, name), getattr(again, name))


def test_terms_can_be_taken_and_joined() -> None:
    bags = number_terms([{"a": 1, "b": 2}, {"b": 1}, {"c": 3}], [["b"], [], []], {})
    taken = bags.take(np.array([2, 0]))
    assert taken.counts.tolist() == [3, 1, 2]
    joined = taken.followed_by(bags.take(np.array([1])))
    assert joined.starts.tolist() == [0, 1, 3, 4]
    assert joined.names_of(1) == {1}
    assert isinstance(joined, Terms)


def test_sketches_tell_how_much_two_texts_share() -> None:
    words = [f"w{n}" for n in range(300)]
    changed = [*words[:290], *(f"x{n}" for n in range(10))]
    same = (sketch(words) == sketch(changed)).mean()
    assert same > 0.7
    assert (sketch(words) == sketch([f"y{n}" for n in range(300)])).mean() < 0.2
    assert np.array_equal(unpack(pack(sketch(words)), np.uint64), sketch(words))


def test_copies_are_found_in_linear_time() -> None:
    one = np.tile(sketch("a report of some length on one event".split()), (20_000, 1))
    bags = number_terms([{"report": 1}] * 20_000, [[]] * 20_000, {})
    started = time.process_time()
    firsts = fold_copies(one, bags)
    assert time.process_time() - started < 5
    assert firsts[0] is None
    assert set(firsts[1:]) == {0}


def test_a_text_of_millions_of_words_is_read_in_part() -> None:
    document = Document("long", ("word " * 2_000_000, "The end in Harwich."))
    started = time.process_time()
    facts = facts_of(document)
    assert time.process_time() - started < 5
    assert len(facts["text"].split()) == 2_000
    nothing = facts_of(Document("empty", ()))
    assert nothing["sentences"] == 0


def test_names_are_runs_of_capitals_inside_sentences() -> None:
    found = name_phrases(["Rain fell.", "Mayor Ida Lund of Harwich spoke.", "But Ida Lund left."])
    assert "Rain" not in found
    assert found["Ida Lund"] == 1
