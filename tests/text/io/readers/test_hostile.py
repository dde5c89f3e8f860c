"""Whatever is thrown at a reader, it gives documents or a FabulaError, and ends."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabula.errors import FabulaError
from fabula.text.io.documents import Options, Reader, readers
from fabula.text.io.records import Skips
from fabula.types import Document

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}

# The pieces each format is made of, so that random bytes get past the front door.
PIECES = [
    b"<mediawiki>", b"</mediawiki>", b"<page>", b"</page>", b"<text>", b"</text>", b"<ns>0</ns>",
    b"<!DOCTYPE a>", b"<?xml version='1.0' encoding='utf-7'?>", b"{{", b"}}", b"[[", b"]]", b"{|",
    b"\n|}", b"&lt;ref&gt;", b"==", b"&#0;", b"&a;",
    b"<DOC id=\"a_19940701.1\">", b"<DOC>", b"</DOC>", b"<TEXT>", b"</TEXT>", b"<P>",
    b"From a\n", b"Subject: =?utf-8?b?//8=?=\n", b"Date: 99 Foo\n", b"\n\n",
    b"Content-Type: multipart/mixed; boundary=b\n", b"--b\n", b"--b--\n",
    b"Content-Type: text/html; charset=utf-7\n", b"Content-Transfer-Encoding: base64\n",
    b'{"id": 1, "text": "a"}', b'{"text": ', b"[", b"]", b",", b'"', b'"\\ud800"', b"NaN", b"text",
    b"id,text\n", b"id\ttext\n", b"a,b\n", b"PAR1", b"PK\x03\x04", b"%PDF-1.4\n", b"%%EOF",
    b"1 0 obj <</Type /Catalog /Pages 1 0 R>> endobj\n", b"trailer <</Root 1 0 R>>\n",
    b"startxref\n9",
    b"# a\n", b"- ", b"> ", b"```\n", b"|a|\n|-|\n", b"---\n", b"<div>", b"</p>",
    b"<title>", b"<table>",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\0", b"\r", b"\xe9", b"\xed\xa0\x80", b"One sentence. ",
]  # fmt: skip
HOSTILE = st.binary(max_size=300) | st.lists(
    st.sampled_from(PIECES) | st.binary(max_size=8), max_size=20
).map(b"".join)


def survives(reader: Reader, path: Path) -> list[Document]:
    """What every reader promises of any file: documents that are in order, or a FabulaError."""
    documents: list[Document] = []
    for options in (Options(), Options(lenient=Skips())):
        try:
            documents = list(reader(str(path), options))
        except FabulaError as error:
            assert str(path) in str(error)
            continue
        for document in documents:
            assert document.id
            assert document.paragraphs
            assert all(paragraph.strip() for paragraph in document.paragraphs)
            assert len(document.lines) in (0, len(document.paragraphs))
            assert list(document.lines) == sorted(document.lines)
            assert document.line >= 1
            document.text.encode()  # no half surrogates
    return documents


@pytest.mark.parametrize("kind", readers.names())
@SETTINGS
@given(data=HOSTILE)
def test_any_bytes(tmp_path, kind, data):
    path = tmp_path / f"a.{kind}"
    path.write_bytes(data)
    survives(readers.get(kind), path)


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("kind", ["txt", "jsonl", "csv", "xml", "sgml", "mbox"])
@settings(SETTINGS, max_examples=25)
@given(data=HOSTILE, cut=st.integers(0, 60), flip=st.integers(0, 400))
def test_damaged_archives(tmp_path, kind, pack, data, cut, flip):
    packed = bytearray(PACKERS[pack](data))
    if flip < len(packed):
        packed[flip] ^= 0x55
    path = tmp_path / f"a.{kind}{pack}"
    path.write_bytes(bytes(packed[: len(packed) - cut]))
    survives(readers.get(kind), path)


GOOD = {
    "jsonl": b'{"id": "a", "text": "One.\\n\\nTwo."}\n' * 3,
    "json": b'[{"id": "a", "text": "One."},\n {"id": "b", "text": "Two."}]',
    "csv": b'id,text\n1,"One\n\ntwo"\n2,b\n',
    "xml": b"<mediawiki><page><title>a</title><ns>0</ns><text>[[a]] b</text></page></mediawiki>",
    "sgml": b'<DOC id="a" type="b">\n<TEXT>\n<P>\nOne.\n</P>\n</TEXT>\n</DOC>\n',
    "mbox": b"From a\nSubject: b\n\nOne.\n\nFrom b\n\nTwo.\n",
    "eml": b"Subject: b\nContent-Type: text/plain; charset=latin-1\n\nOne.\n",
    "html": b"<title>a</title><p>One.<p>Two.",
    "md": b"# a\n\nOne *two*.\n",
    "txt": b"One.\n\nTwo.\n",
}


@pytest.mark.parametrize("kind", GOOD)
@settings(SETTINGS, max_examples=40)
@given(at=st.integers(0, 100), byte=st.integers(0, 255), cut=st.integers(0, 100))
def test_good_files_with_a_wrong_byte_or_end(tmp_path, kind, at, byte, cut):
    good = bytearray(GOOD[kind])
    path = tmp_path / f"a.{kind}"
    path.write_bytes(bytes(good))
    assert survives(readers.get(kind), path)
    if at < len(good):
        good[at] = byte
    path.write_bytes(bytes(good[: max(0, len(good) - cut)]))
    survives(readers.get(kind), path)
