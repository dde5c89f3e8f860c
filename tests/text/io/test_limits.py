"""Archives that unpack to more than text does are refused while they are read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from fabula.errors import InputError
from fabula.text.io import limits
from fabula.text.io.documents import read_documents
from fabula.text.io.limits import open_zip
from fabula.text.io.streams import Skips, open_bytes

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.compress(data, "zstd", asbytes=True),
}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED", 1 << 20)
    monkeypatch.setattr(limits, "MOST_XML", 1 << 20)
    monkeypatch.setattr(limits, "MOST_ELEMENTS", 1000)


@pytest.mark.parametrize("kind", sorted(PACK))
def test_an_archive_bomb_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"zeros.txt.{kind}"
    path.write_bytes(PACK[kind](b"a" * (8 << 20)))
    with pytest.raises(InputError, match=r"zeros\.txt\.\w+: unpacks to more than 200 times"):
        list(read_documents(path))


@pytest.mark.parametrize("kind", sorted(PACK))
def test_text_unpacks_as_far_as_it_goes(tmp_path: Path, kind: str) -> None:
    text = b"".join(b"%d bottles of %x stood there.\n" % (n, n * n) for n in range(60_000))
    path = tmp_path / f"text.txt.{kind}"
    path.write_bytes(PACK[kind](text))
    with open_bytes(path) as stream:
        assert stream.read() == text and len(text) > limits.UNPACKED


def packed(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.xml", data)
    return buffer.getvalue()


def test_office_documents_are_small_enough_to_parse() -> None:
    with open_zip(packed(a=b"<a/>" * 900), "x.docx") as archive:
        assert archive.namelist() == ["a.xml"]
    with (
        pytest.raises(InputError, match=r"x\.docx: holds more than 1 MB of XML"),
        open_zip(packed(a=b"a" * 600_000, b=b"b" * 600_000), "x.docx"),
    ):
        pass
    with (
        pytest.raises(InputError, match=r"more than 1,000 XML elements in a\.xml"),
        open_zip(packed(a=b"<a/>" * 3000), "x.docx"),
    ):
        pass


@pytest.mark.parametrize(
    ("name", "small", "large"),
    [
        ("a.sgml", '<DOC id="{}">\n<TEXT>\n<P>\nIt rained.\n</P>\n</TEXT>\n</DOC>\n', "It rained."),
        ("a.mbox", "From a@b.c Mon\nSubject: {}\n\nIt rained.\n\n", "It rained."),
    ],
)
def test_a_document_too_large_for_its_file_is_skipped_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, small: str, large: str
) -> None:
    for reader in ("sgml", "mail.mbox"):
        monkeypatch.setattr(f"fabula.text.io.readers.{reader}.LIMIT", 1000)
    endless = small.format("b").replace(large, f"{large}\n" * 200)
    (tmp_path / name).write_text(small.format("a") + endless + small.format("c"), "utf-8")
    skips = Skips()
    documents = list(read_documents(tmp_path / name, lenient=skips))
    assert [document.paragraphs[-1] for document in documents] == ["It rained."] * 2
    assert skips.counts.total() == 1 and "larger than 0 MB" in skips.notes()[0]
