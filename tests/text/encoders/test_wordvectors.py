"""Word vectors: every kind of file gives the same matrix, and bad files are named by line."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import InputError, UsageError
from fabula.registry import encoders
from fabula.text.encoders.wordvectors import AveragedWords, WordVectors, glove_encoder

WORDS = {"the": [1.0, 0.0, 0.5], "n't": [0.0, 1.0, 0.25], 'é]"': [-1.5, 2.0, 0.0]}
GLOVE = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in WORDS.items()).encode()
WORD2VEC = b"3 3\n" + GLOVE
FASTTEXT = b"3 3\n" + GLOVE.replace(b"\n", b" \n")
BINARY = b"3 3\n" + b"".join(
    word.encode() + b" " + struct.pack("<3f", *row) + b"\n" for word, row in WORDS.items()
)
WINK = json.dumps(
    {
        "dimensions": 3,
        "words": [*WORDS, "vectors"],
        "vectors": {word: [*row, 9.9, number] for number, (word, row) in enumerate(WORDS.items())},
        "unkVector": [0, 0, 0, 0, -1],
    }
).encode()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FABULA_GLOVE", raising=False)
    return tmp_path / "cache"


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("glove.txt", GLOVE),
        ("word2vec.txt", WORD2VEC),
        ("fasttext.vec", FASTTEXT),
        ("word2vec.bin", BINARY),
        ("no-newlines.bin", b"3 3\n" + BINARY[4:].replace(b"\n", b"")),
        ("wink.json", WINK),
        ("glove.txt.gz", gzip.compress(GLOVE)),
        ("glove.txt.bz2", bz2.compress(GLOVE)),
        ("word2vec.bin.xz", lzma.compress(BINARY)),
        ("wink.json.zst", pa.compress(WINK, codec="zstd", asbytes=True)),
    ],
)
def test_every_kind_of_file_gives_the_same(tmp_path: Path, name: str, data: bytes) -> None:
    path = write(tmp_path / name, data)
    for _ in range(2):  # converted, then from the cache
        vectors = WordVectors.open(path)
        assert list(vectors.rows) == list(WORDS)
        assert vectors.matrix.dtype == np.float32
        assert isinstance(vectors.matrix, np.memmap)
        np.testing.assert_array_equal(vectors.matrix, np.array(list(WORDS.values()), "f4"))
    assert vectors.lower and vectors.dimension == 3 and len(vectors) == 3
    assert "the" in vectors and "cat" not in vectors
    np.testing.assert_array_equal(vectors.vector("n't"), [0.0, 1.0, 0.25])


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.txt", b"the 1 2\ncat 1 dog\n", r"a\.txt:2: not a word and its numbers"),
        ("a.txt", b"the 1 2\ncat 1\n", r"a\.txt:2: expected a word and 2 numbers"),
        ("a.txt", b"the 1 2\n\ncat 1 2\n", r"a\.txt:2: "),
        ("a.txt", b"the 1 2\ncat nan 2\n", r"a\.txt:2: 'cat' has a number that is not finite"),
        ("a.txt", b"the 1 2\n\xff 1 2\n", r"a\.txt:2: "),
        ("a.txt", b"", r"a\.txt: holds no word vectors"),
        ("a.vec", b"5 3\nthe 1 2\n", r"a\.vec:2: expected a word and 3 numbers"),
        ("a.bin", BINARY[:-6], r"a\.bin: ends in the vector of word 3 of 3"),
        ("a.bin", b"\x00\x01", r"not word2vec's binary form"),
        ("a.bin", struct.pack("<ii", 793712314, 12), r"use its \.vec file"),
        ("a.json", b"{}", "not wink's"),
        ("a.json", WINK[: WINK.index(b"unkVector") - 8], "ends too early"),
        ("a.json", WINK.replace(b"2.0", b"two"), "not a word and its numbers"),
        ("a.txt.gz", gzip.compress(GLOVE)[:-12], "damaged"),
        ("missing.txt", None, "No such file"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, name: str, data: bytes | None, problem: str) -> None:
    if data is not None:
        write(tmp_path / name, data)
    with pytest.raises(InputError, match=problem):
        WordVectors.open(tmp_path / name)
    kept = tmp_path / "cache" / "vectors"
    assert not kept.exists() or not list(kept.iterdir())


def test_words_with_spaces_and_words_that_come_twice(tmp_path: Path) -> None:
    vectors = WordVectors.open(write(tmp_path / "a.txt", b"The 1 2\n. . . 3 4\nThe 5 6\n"))
    assert list(vectors.rows) == ["The", ". . ."]
    assert vectors.duplicates == 1 and not vectors.lower
    np.testing.assert_array_equal(vectors.vector("The"), [1, 2])


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"the 1 2\n")
    assert len(WordVectors.open(path)) == 1
    write(path, b"the 1 2\ncat 3 4\n")
    assert len(WordVectors.open(path)) == 2


def test_two_processes_may_convert_at_once(tmp_path: Path, cache: Path) -> None:
    rows = "".join(f"w{number} {number} 1\n" for number in range(20_000))
    path = write(tmp_path / "a.txt", rows.encode())
    code = (
        "import sys; from fabula.text.encoders.wordvectors import WordVectors; "
        "print(len(WordVectors.open(sys.argv[1])))"
    )
    line = [sys.executable, "-c", code, str(path)]
    running = [subprocess.Popen(line, stdout=subprocess.PIPE) for _ in range(3)]
    assert [process.communicate(timeout=60)[0] for process in running] == [b"20000\n"] * 3
    [kept] = (cache / "vectors").iterdir()
    assert sorted(file.name for file in kept.iterdir()) == [
        ".fabula-folder", "matrix.npy", "words.json",
    ]  # fmt: skip
    assert len(WordVectors.open(kept)) == 20_000  # the converted folder opens, too


def test_damage_in_the_cache_is_noticed(tmp_path: Path, cache: Path) -> None:
    path = write(tmp_path / "a.txt", GLOVE)
    WordVectors.open(path)
    [matrix] = cache.glob("vectors/*/matrix.npy")
    matrix.write_bytes(matrix.read_bytes()[:-4])
    assert len(WordVectors.open(path)) == 3  # made again


def test_without_a_cache_it_still_works(tmp_path: Path, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert len(WordVectors.open(write(tmp_path / "a.txt", GLOVE))) == 3


def test_average_says_how_many_words_it_knew(tmp_path: Path) -> None:
    vectors = WordVectors.open(write(tmp_path / "a.txt", GLOVE))
    vector, known = vectors.average(["the", "cat", "n't", "the"])
    assert known == 3
    np.testing.assert_allclose(vector, [2 / 3, 1 / 3, 1.25 / 3], rtol=1e-6)
    vector, known = vectors.average(["cat"])
    assert known == 0 and not vector.any()


def test_the_encoder_averages_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.txt", b"do 1 0\nn't 0 1\nwell 1 1\nknown 3 3\nthe-end 5 5\n")
    encoder = glove_encoder(str(path))
    rows = encoder.encode(["DON’T!", "well-known", "the-end", "xyz", ""])
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, [[0.5, 0.5], [2, 2], [5, 5], [0, 0], [0, 0]])
    assert encoder.encode([]).shape == (0, 2)
    with pytest.raises(UsageError, match="one string"):
        encoder.encode("do")
    monkeypatch.setenv("FABULA_GLOVE", str(path))
    np.testing.assert_array_equal(encoders.get("glove")().encode(["do"]), [[1, 0]])


@given(st.lists(st.text(), max_size=5))
def test_any_text_can_be_encoded_and_neighbours_do_not_matter(texts: list[str]) -> None:
    vectors = WordVectors({"a": 0, "b": 1}, np.eye(2, dtype=np.float32), lower=True)
    encoder = AveragedWords(vectors)
    rows = encoder.encode(texts)
    assert rows.shape == (len(texts), 2) and np.isfinite(rows).all()
    for text, row in zip(texts, rows, strict=True):
        np.testing.assert_array_equal(encoder.encode([text])[0], row)


@pytest.mark.skipif(
    "FABULA_TEST_GLOVE" not in os.environ, reason="FABULA_TEST_GLOVE names no file of vectors"
)
def test_real_vectors_know_what_is_alike() -> None:
    encode = glove_encoder(os.environ["FABULA_TEST_GLOVE"]).encode
    king, queen, cabbage = encode(["king", "queen", "cabbage"])

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine(king, queen) > 0.7 > 0.4 > cosine(king, cabbage)
