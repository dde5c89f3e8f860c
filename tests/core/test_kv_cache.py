from __future__ import annotations

from pathlib import Path

from fabula.core.kv_cache import Shelf


def test_kept_and_found(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "deep" / "a.sqlite", "things")
    assert shelf.get([b"a"]) == {}
    shelf.put({})
    assert not shelf.path.exists()  # nothing to keep makes no file
    shelf.put({b"%d" % n: b"v%d" % n for n in range(1_200)})
    shelf.put({b"7": b"later"})
    found = Shelf(shelf.path, "things").get([b"%d" % n for n in range(1_300)] * 2)
    assert len(found) == 1_200 and found[b"7"] == b"v7"


def test_damage_is_an_empty_shelf(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"no database at all, " * 100)
    shelf = Shelf(path, "things")
    shelf.put({b"a": b"1"})
    assert shelf.get([b"a"]) == {}
    (tmp_path / "file").write_text("x")
    Shelf(tmp_path / "file" / "a.sqlite", "things").put({b"a": b"1"})  # no folder can be made here
