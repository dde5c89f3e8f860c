from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.registry import encoders
from fabula.text.encoders.sentence import MiniLM, Tfidf
from fabula.text.segment.sentences import split_sentences
from fabula.text.transformer.onnx import Session
from fabula.text.transformer.spec import MINILM
from fabula.types import Document

Vectors = NDArray[np.float32]


@pytest.fixture(scope="module")
def sentences(articles: list[Document]) -> list[str]:
    """Twenty sentences, of many lengths."""
    return [split_sentences(article)[3].text for article in articles[:40:2]]


@pytest.fixture(scope="module")
def vectors(sentences: list[str]) -> Vectors:
    return MiniLM(cached=False).encode(sentences)


def cosines(one: Any, other: Any) -> Vectors:
    one, other = np.asarray(one), np.asarray(other)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray((one * other).sum(axis=1) / lengths)


def test_rows_of_length_one(vectors: Vectors) -> None:
    assert vectors.shape == (20, MINILM.dimension) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(20), abs=1e-5)


@pytest.mark.slow  # the peer takes ten seconds to import
def test_full_precision_is_upstream_and_8_bits_are_near(
    sentences: list[str], vectors: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("TQDM_DISABLE", "1")
    full = MiniLM(precision="fp32", cached=False).encode(sentences)
    with warnings.catch_warnings():  # of the peer's own imports, none of them ours
        warnings.simplefilter("ignore")
        theirs = encoders.get("minilm-st")().encode(sentences, show_progress_bar=False)
    assert cosines(full, theirs).min() > 0.9999
    assert cosines(vectors, full).min() > 0.97
    assert not np.array_equal(vectors, full)


@settings(max_examples=12)
@given(order=st.lists(st.integers(0, 19), min_size=1, max_size=8))
def test_a_vector_does_not_depend_on_its_neighbours(
    order: list[int], sentences: list[str], vectors: Vectors
) -> None:
    found = MiniLM(cached=False).encode([sentences[i] for i in order])
    assert np.array_equal(found, vectors[order])


def test_nor_on_the_number_of_cores(
    sentences: list[str], vectors: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert np.array_equal(MiniLM(cached=False).encode(sentences), vectors)


def test_near_in_meaning_is_near_in_space() -> None:
    one, near, far = MiniLM().encode(
        ["The ferry sank in the harbour.", "A boat went down at the port.", "He baked a cake."]
    )
    assert one @ near > one @ far + 0.2


def test_a_long_text_is_read_to_its_end() -> None:
    start = "The ferry left the harbour in thick fog and the captain sounded the horn. " * 14
    end = "The baker pulled the warm loaves out of the oven and set them on the counter. " * 55
    whole, start_only, end_only = MiniLM(cached=False).encode([start + end, start, end])
    assert len((start + end).split()) >= 1000
    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-5)
    # Upstream cuts at 256 word pieces and would see little but the start.
    assert whole @ end_only > whole @ start_only > 0
    assert not np.array_equal(whole, start_only)


def test_windows_count_by_their_length() -> None:
    window, rest = "the ferry " * 127, "baked cakes"
    whole, most, little = MiniLM(cached=False).encode([window + rest, window, rest])
    assert whole @ most > 0.99 > 0.5 > whole @ little


def test_odd_texts_have_a_vector() -> None:
    odd = ["", " ", "\n", "…", "🙂" * 300, "a" * 5000, "naïve 東京", "\x00", "\ud800"]
    found = MiniLM(cached=False).encode(odd)
    assert found.shape == (len(odd), MINILM.dimension) and np.isfinite(found).all()


def test_equal_texts_have_equal_rows_and_none_give_none() -> None:
    one, other, again = MiniLM().encode(["One.", "Two.", "One."])
    assert np.array_equal(one, again) and not np.array_equal(one, other)
    assert MiniLM().encode([]).shape == (0, MINILM.dimension)


def test_what_is_refused() -> None:
    with pytest.raises(UsageError, match="encode takes a list of strings"):
        MiniLM().encode("One.")
    with pytest.raises(UsageError, match="precision must be 'int8' or 'fp32', not 'int4'"):
        MiniLM(precision="int4")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the network was run on."""
    found: list[Any] = []
    run = Session.run

    def noting(session: Session, ids: Any, **more: Any) -> Any:
        found.append(ids)
        return run(session, ids, **more)

    monkeypatch.setattr(Session, "run", noting)
    return found


def test_a_sentence_is_encoded_once(
    runs: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path))
    first = MiniLM().encode(["One.", "Two.", "One."])
    assert len(runs) == 2
    again = MiniLM().encode(["Two.", "Three.", "One."])
    assert len(runs) == 3
    assert np.array_equal(again[[2, 0]], first[:2])
    MiniLM(cached=False).encode(["One."])
    assert len(runs) == 4


def test_precisions_do_not_share_a_cache() -> None:
    assert MiniLM().key != MiniLM(precision="fp32").key


def test_a_cache_that_cannot_be_used_is_no_reason_to_fail(
    runs: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "file"))
    one, again = MiniLM().encode(["One."]), MiniLM().encode(["One."])
    assert np.array_equal(one, again) and len(runs) == 2


def test_tfidf() -> None:
    found = Tfidf().encode(["the ferry sank", "the ferry left", "a cake"])
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(3))
    assert found[0] @ found[1] > 0.1 and found[0] @ found[2] == 0
    assert Tfidf().encode([]).shape[0] == 0
    assert (Tfidf().encode(["...", "?!"]) == 0).all()
    assert len(Tfidf().encode(["...", "a cake"])) == 2
