from __future__ import annotations

from pathlib import Path

from fabula.core.kv_cache import KeyValueCache


def test_kept_and_found(tmp_path: Path) -> None:
    cache = KeyValueCache(tmp_path / "deep" / "a.sqlite", "things")
    assert cache.get([b"a"]) == {}
    cache.put({})
    assert not cache.path.exists()  # nothing to keep makes no file
    cache.put({b"%d" % n: b"v%d" % n for n in range(1_200)})
    cache.put({b"7": b"later"})
    found = KeyValueCache(cache.path, "things").get([b"%d" % n for n in range(1_300)] * 2)
    assert len(found) == 1_200 and found[b"7"] == b"v7"


def test_a_damaged_file_is_an_empty_cache(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"no database at all, " * 100)
    cache = KeyValueCache(path, "things")
    cache.put({b"a": b"1"})
    assert cache.get([b"a"]) == {}
    (tmp_path / "file").write_text("x")
    KeyValueCache(tmp_path / "file" / "a.sqlite", "things").put(
        {b"a": b"1"}
    )  # no folder can be made here
