from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.core.files import (
    atomic,
    cache_folder,
    canonical,
    data_folder,
    filesystem,
    fingerprint,
    sha256_of,
    write_page,
    write_text,
)
from fabula.errors import InputError, MissingPart, UsageError


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "naïve\nline\n")
    assert path.read_bytes() == "naïve\nline\n".encode()
    assert names(tmp_path) == ["a.txt"]


def test_the_file_is_on_the_disk_before_it_gets_its_name_and_the_folder_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "x.json"
    seen = []
    monkeypatch.setattr(
        "fabula.core.files.sync", lambda path: seen.append((path.is_dir(), target.exists()))
    )
    write_text(target, "{}")
    assert seen == [(False, False), (True, True)]


def test_a_failure_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="power"), atomic(path) as beside:
        beside.write_text("half of the n")
        assert path.read_text() == "old"
        raise RuntimeError("the power went out")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_failure_leaves_no_new_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), atomic(tmp_path / "a.txt"):
        raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_the_file_beside_keeps_the_suffixes(tmp_path: Path) -> None:
    with atomic(tmp_path / "b.jsonl.gz") as beside:
        assert beside.parent == tmp_path and beside.name.endswith(".jsonl.gz")


def test_others_may_read_what_was_written(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "a.txt", "x")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no/a\.txt: the folder .*no does not exist"):
        write_text(tmp_path / "no" / "a.txt", "x")
    with pytest.raises(InputError, match="is a folder"):
        write_text(tmp_path, "x")


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:  # as root, no folder refuses by itself
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    with pytest.raises(InputError, match=r"a\.txt: cannot write there \(Permission denied\)"):
        write_text(tmp_path / "a.txt", "x")


def test_a_generated_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.md"
    assert write_page([str(path), "--check"], "new\n", "the runs") == 1  # there is none
    assert write_page([str(path)], "old\n", "the runs") == 0
    assert capsys.readouterr().err == f"{path} does not match the runs; run: make docs\n"
    assert write_page(["--check", str(path)], "new\n", "the runs") == 1
    assert path.read_text() == "old\n"  # a check changes nothing
    assert write_page(["--check", str(path)], "old\n", "the runs") == 0
    for wrong in (["--help"], [], [str(path), str(path)]):
        with pytest.raises(SystemExit, match="usage"):
            write_page(wrong, "new\n", "the runs")


def test_a_url_needs_what_opens_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec")
    files, path = filesystem("memory://here/a.jsonl")
    assert path.endswith("here/a.jsonl") and not files.exists(path)
    with pytest.raises(InputError, match="nosuch://a: cannot be opened"):
        filesystem("nosuch://a")
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(MissingPart, match=r"fsspec is not installed.*fabula\[scale\]"):
        filesystem("memory://a")


def test_sha256(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc" * 100_000)
    assert sha256_of(tmp_path / "a") == hashlib.sha256(b"abc" * 100_000).hexdigest()


@given(st.lists(st.text(max_size=4), max_size=5), st.lists(st.text(max_size=4), max_size=5))
def test_a_fingerprint_is_of_the_parts(one: list[str], other: list[str]) -> None:
    assert (fingerprint(one) == fingerprint(other)) == (one == other)


def test_a_fingerprint_is_short_the_same_everywhere_and_takes_any_text() -> None:
    assert fingerprint(["a", "b"]) == "cf6ab613e3942391"
    assert len(fingerprint(["\ud800"])) == 16


@pytest.mark.parametrize(
    ("folder", "ours", "xdg", "below_home"),
    [
        (cache_folder, "FABULA_CACHE", "XDG_CACHE_HOME", ".cache"),
        (data_folder, "FABULA_DATA", "XDG_DATA_HOME", ".local/share"),
    ],
)
def test_where_the_cache_and_the_data_are(
    monkeypatch: pytest.MonkeyPatch,
    folder: Callable[[], Path],
    ours: str,
    xdg: str,
    below_home: str,
) -> None:
    monkeypatch.setenv(ours, "/somewhere/else")
    assert folder() == Path("/somewhere/else")
    monkeypatch.delenv(ours)
    monkeypatch.setenv(xdg, "/xdg")
    assert folder() == Path("/xdg/fabula")
    monkeypatch.delenv(xdg)
    monkeypatch.setenv("HOME", "/home/ann")
    assert folder() == Path(f"/home/ann/{below_home}/fabula")


@dataclass(frozen=True)
class Thing:
    id: str
    extra: Any = None


def test_equal_content_has_one_canonical_text() -> None:
    one = Thing("a", MappingProxyType({"y": {3, 1}, "x": np.array([1.5, 2])}))
    other = Thing("a", {"x": [1.5, 2.0], "y": [1, 3]})
    assert canonical(one) == canonical(other)


def test_what_has_no_content_is_refused() -> None:
    with pytest.raises(UsageError, match="a object has no plain JSON form"):
        canonical(Thing("a", object()))
