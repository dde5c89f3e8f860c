from __future__ import annotations

import codecs
import logging

import pytest
from tests.text.io.readers.files import put, read, refused

from fabula.text.io.encodings import detect
from fabula.text.io.streams import iter_lines

TEXT = "The café’s owner – Mrs. Müller – left at 9 p.m.\r\n\r\nNobody saw “her”.\n"
RUSSIAN = "Лодки вернулись в гавань, и рыбаки пошли домой. Никто не видел капитана.\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT.encode(), "utf-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "utf-8"),
        (TEXT.encode("utf-16"), "utf-16-le"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.encode("utf-16-le"), "utf-16-le"),
        (TEXT.encode("utf-16-be"), "utf-16-be"),
        (TEXT.encode("utf-32"), "utf-32-le"),
        (TEXT.encode("windows-1252"), "windows-1252"),
    ],
)
def test_a_text_file_is_the_same_in_every_encoding(tmp_path, data, encoding):
    (document,) = read(put(tmp_path, "a.txt", data))
    assert document.paragraphs == tuple(TEXT.strip().split("\r\n\r\n"))
    assert document.lines == (1, 3)
    assert document.extra.get("encoding", "utf-8") == encoding
    path = put(tmp_path, "b.txt", data)
    assert [line for _, line in iter_lines(path, encoding="auto")] == TEXT.splitlines()
    assert [number for number, _ in iter_lines(path, encoding="auto")] == [1, 2, 3]


def test_latin_1_and_other_alphabets():
    assert detect("Das Schloß in Köln".encode("latin-1")) == "latin-1"
    assert detect("Ein Brief aus Köln\x81".encode("latin-1")) == "latin-1"
    assert (RUSSIAN * 3).encode("cp1251").decode(detect((RUSSIAN * 3).encode("cp1251"))) == (
        RUSSIAN * 3
    )


def test_a_character_cut_at_the_end_of_the_sample_is_no_other_encoding():
    assert detect("ä".encode()[:1], cut=True) == "utf-8"
    assert detect("ä".encode()[:1]) == "latin-1"


def test_a_stray_byte_leaves_the_rest_as_it_is(tmp_path):
    data = "“Ägypten”\n".encode() * 3 + b"caf\xe9\n"
    (document,) = read(put(tmp_path, "a.txt", data))
    assert document.text == "“Ägypten”\n" * 3 + "café"
    assert document.extra["encoding"] == "utf-8 and windows-1252"


def test_a_table_out_of_a_spreadsheet(tmp_path):
    rows = "id,text\n1,“Schön” was said.\n"
    for encoding in ("windows-1252", "utf-16"):
        (document,) = read(put(tmp_path, "a.csv", rows.encode(encoding)))
        assert (document.text, document.line) == ("“Schön” was said.", 2)
        assert document.extra["encoding"] in ("windows-1252", "utf-16-le")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", bytes(range(1, 32)) * 9])
def test_what_is_no_text_is_refused(tmp_path, data):
    assert "not a text file" in refused(put(tmp_path, "a.txt", data))


def test_a_page_that_is_not_of_its_declared_encoding_is_logged(tmp_path, caplog):
    caplog.set_level(logging.INFO, "fabula.text")
    page = "<html><head><meta charset=ascii></head><body><p>The café was shut.</p></body></html>"
    (document,) = read(put(tmp_path, "a.html", page.encode()))
    assert document.paragraphs == ("The café was shut.",)
    assert "a.html: not of the encoding it declares" in caplog.text
