from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from fabula.core.build_once import built
from fabula.text.encoders.cache import VectorCache, clear, contents


def vector(*values: float) -> NDArray[np.float32]:
    return np.array(values, dtype=np.float32)


def open_cache(folder: Path) -> VectorCache:
    return VectorCache(model="toy", dimension=2, folder=folder)


def five_bytes(folder: Path) -> None:
    (folder / "a").write_bytes(b"12345")


def test_what_is_put_can_be_got_by_anyone(tmp_path: Path) -> None:
    texts = {"One.": vector(1, 2), "": vector(0.1, -3e-8), "\ud800 é": vector(5, 6)}
    open_cache(tmp_path).put(texts)
    found = open_cache(tmp_path).get([*texts, "unknown"])
    assert found.keys() == texts.keys()
    for text, row in texts.items():
        assert np.array_equal(found[text], row) and found[text].dtype == np.float32
        found[text][0] = 9  # a copy: the caller may change it


def test_nothing_known_makes_no_file(tmp_path: Path) -> None:
    store = open_cache(tmp_path / "new")
    assert store.get(["One."]) == {}
    store.put({})
    assert not (tmp_path / "new").exists()


def test_more_texts_than_one_query_takes(tmp_path: Path) -> None:
    texts = {f"Text {i}.": vector(i, -i) for i in range(1234)}
    open_cache(tmp_path).put(texts)
    found = open_cache(tmp_path).get(list(texts))
    assert len(found) == 1234 and found["Text 777."].tolist() == [777, -777]


def test_the_first_vector_of_a_text_stays(tmp_path: Path) -> None:
    open_cache(tmp_path).put({"One.": vector(1, 1)})
    open_cache(tmp_path).put({"One.": vector(2, 2), "Two.": vector(3, 3)})
    found = open_cache(tmp_path).get(["One.", "Two."])
    assert found["One."].tolist() == [1, 1] and found["Two."].tolist() == [3, 3]


def test_vectors_of_another_size_are_not_used(tmp_path: Path) -> None:
    VectorCache(model="toy", dimension=3, folder=tmp_path).put({"One.": vector(1, 2, 3)})
    assert open_cache(tmp_path).get(["One."]) == {}


def test_models_do_not_share(tmp_path: Path) -> None:
    open_cache(tmp_path).put({"One.": vector(1, 1)})
    assert VectorCache(model="other", dimension=2, folder=tmp_path).get(["One."]) == {}


@pytest.mark.parametrize(
    "damage", [b"not a database at all" * 99, b"SQLite format 3\x00" + b"\xff" * 5000]
)
def test_a_damaged_file_steps_aside(tmp_path: Path, damage: bytes) -> None:
    store = open_cache(tmp_path)
    store.path.write_bytes(damage)
    store.put({"One.": vector(1, 2)})
    assert store.get(["One."]) == {}


def test_a_file_cut_short_steps_aside(tmp_path: Path) -> None:
    store = open_cache(tmp_path)
    store.put({f"Text {i}.": vector(i, i) for i in range(2000)})
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[: len(whole) // 2])
    for row in store.get([f"Text {i}." for i in range(2000)]).values():
        assert row[0] == row[1]  # what is still found is right
    store.put({"One.": vector(1, 2)})


def test_a_folder_that_cannot_be_written_steps_aside(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_cache(tmp_path / "file" / "vectors")  # refused to root as well
    store.put({"One.": vector(1, 2)})
    assert store.get(["One."]) == {}


WRITER = """
import sys
from pathlib import Path
import numpy as np
from fabula.core.build_once import built
from fabula.text.encoders.cache import VectorCache
start = int(sys.argv[2])
for i in range(start, start + 60):
    store = VectorCache(model="toy", dimension=2, folder=Path(sys.argv[1]))
    store.put({f"Text {i}.": np.array([i, -i], dtype=np.float32)})
"""


def test_two_processes_may_write_at_once(tmp_path: Path) -> None:
    line = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*line, start]) for start in ("0", "30")]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    found = open_cache(tmp_path).get([f"Text {i}." for i in range(90)])
    assert {text: row.tolist() for text, row in found.items()} == {
        f"Text {i}.": [i, -i] for i in range(90)
    }


def test_contents_and_clear(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert contents(folder) == [] and clear(folder) == 0
    VectorCache(model="toy", dimension=2, folder=folder / "vectors").put({"One.": vector(1, 2)})
    built(folder / "lm" / "toy", five_bytes)
    ((path, size), other) = contents(folder)[::-1]
    assert path == folder / "vectors" / "toy.sqlite" and other[1] == 5
    assert clear(folder) == size + 5
    assert contents(folder) == []


def test_clearing_leaves_what_fabula_did_not_cache(tmp_path: Path) -> None:
    cache = VectorCache(model="toy", dimension=2, folder=tmp_path / "vectors")
    cache.put({"One.": vector(1, 2)})
    mine = [tmp_path / "vectors" / "thesis.txt", tmp_path / "answers" / "answers.sqlite"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("years of work")
    clear(tmp_path)
    assert [path.read_text() for path in mine] == ["years of work"] * 2
    assert not cache.path.exists()


def test_a_folder_of_somebody_else_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "vectors").mkdir()
    (tmp_path / "vectors" / "thesis.txt").write_text("years of work")
    cache = VectorCache(model="toy", dimension=2, folder=tmp_path / "vectors")
    cache.put({"One.": vector(1, 2)})
    assert cache.get(["One."]) == {} and clear(tmp_path) == 0
    assert [path.name for path in (tmp_path / "vectors").iterdir()] == ["thesis.txt"]


def test_a_changed_vector_is_dropped(tmp_path: Path) -> None:
    cache = open_cache(tmp_path)
    cache.put({"One.": vector(1, 2)})
    stored = cache.path.read_bytes()
    at = stored.index(vector(1, 2).tobytes())
    cache.path.write_bytes(stored[:at] + b"\x01" + stored[at + 1 :])
    assert cache.get(["One."]) == {}
    cache.put({"One.": vector(1, 2)})
    assert cache.get(["One."])["One."].tolist() == [1, 2]


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path))
    VectorCache(model="toy", dimension=2).put({"One.": vector(1, 2)})
    assert (tmp_path / "vectors" / "toy.sqlite").is_file()
    assert "toy.sqlite" in [path.name for path, _ in contents()]
