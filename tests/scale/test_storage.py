"""Files that are not on this disk: read, written, and sent when they are whole."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from fabula.errors import InputError
from fabula.scale.storage import StorageFolder, writing
from fabula.text.io.documents import read_documents
from fabula.text.io.records import write_records

fsspec = pytest.importorskip("fsspec")


@pytest.mark.parametrize("kind", ["disk", "file", "memory"])
def test_a_place_keeps_files(tmp_path: Path, kind: str) -> None:
    folder = {"disk": str(tmp_path), "file": f"file://{tmp_path}", "memory": "memory://kept"}[kind]
    storage = StorageFolder(f"{folder}/below")
    assert storage.names() == [] and storage.get("a") is None
    storage.put("b", b"2")
    storage.put("a", b"1")
    assert storage.names() == ["a", "b"] and storage.get("a") == b"1"
    assert storage.get_many(["b", "a"]) == [b"2", b"1"] and storage.get_many(["a"]) == [b"1"]
    storage.delete(storage.names())
    assert storage.remove_empty() and not storage.exists()
    assert storage.names() == []


def test_a_result_is_sent_when_it_is_whole() -> None:
    url = "memory://fabula-sent/x.jsonl"
    with pytest.raises(RuntimeError), writing(url) as storage:
        write_records(storage.path, [{"id": 1}])
        raise RuntimeError("stopped")
    assert StorageFolder("memory://fabula-sent").names() == []
    with writing(url) as storage:
        write_records(storage.path, [{"id": 1}], meta={"items": 1})
        assert storage.shown(f"written to {storage.path}") == f"written to {url}"
    assert StorageFolder("memory://fabula-sent").names() == ["x.jsonl", "x.meta.json"]


def test_documents_are_read_from_urls(tmp_path: Path) -> None:
    files = fsspec.filesystem("memory")
    text = "".join(json.dumps({"id": f"d{i}", "text": f"Text {i}."}) + "\n" for i in range(3))
    files.pipe_file("/corpus/a.jsonl", text.encode())
    files.pipe_file("/corpus/below/b.jsonl.gz", gzip.compress(text.encode(), mtime=0))
    files.pipe_file("/corpus/.hidden.jsonl", b"not JSON")
    write_records(tmp_path / "c.parquet", [{"id": "p", "text": "Parquet."}])
    files.put_file(str(tmp_path / "c.parquet"), "/corpus/c.parquet")
    assert [d.id for d in read_documents("memory://corpus/a.jsonl")] == ["d0", "d1", "d2"]
    every = [d.id for d in read_documents("memory://corpus")]
    assert every == ["d0", "d1", "d2", "d0", "d1", "d2", "p"]
    assert [d.id for d in read_documents("memory://corpus/*.parquet")] == ["p"]
    with pytest.raises(InputError, match="does not exist"):
        list(read_documents("memory://corpus/none.jsonl"))
    with pytest.raises(InputError, match="cannot be opened"):
        list(read_documents("nowhere://x/y.jsonl"))
