"""What people really have in a folder: a clear answer, and nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.io.readers.files import put, read, refused

from fabula.text.io.streams import Skips
from fabula.text.segment.sentences import split_sentences

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0"
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01"
ELF = b"\x7fELF\x02\x01\x01\0\0\0"
ZIP = b"PK\x03\x04\x14\0\0\0"


def test_a_folder_of_binaries(tmp_path):
    for name, data in {
        "a.png": PNG,
        "b": ELF,
        "c.txt": JPEG,
        "d.docx": ZIP,
        "e.exe": b"MZ",
    }.items():
        put(tmp_path, name, data)
    skips = Skips()
    assert read(tmp_path, lenient=skips) == []
    assert len(skips.first) == 5
    (tmp_path / "only").mkdir()
    put(tmp_path, "only/a.png", PNG)
    assert "there is no file here that can be read" in refused(tmp_path / "only")


@pytest.mark.parametrize("text", ["", " \n\t\n", "\ufeff"])
def test_empty_documents_are_named(tmp_path, text):
    assert "a.txt: holds no text" in refused(put(tmp_path, "a.txt", text))
    put(tmp_path, "b.txt", "One sentence alone.")
    skips = Skips()
    (document,) = read(tmp_path, lenient=skips)
    assert [sentence.text for sentence in split_sentences(document)] == ["One sentence alone."]
    assert skips.notes() == [f"Skipped {tmp_path / 'a.txt'}: holds no text."]


def test_dates_in_the_future_and_impossible_ones(tmp_path):
    (document,) = read(put(tmp_path, "2099-12-31.txt", "It will have happened then."))
    assert document.date == "2099-12-31"
    mail = "From: a@b.c\nSubject: x\nDate: Thu, 31 Feb 2099 10:00:00 +0000\n\nIt fell.\n"
    (document,) = read(put(tmp_path, "a.eml", mail))
    assert document.date is None


def test_other_languages_stay_as_they_are(tmp_path):
    texts = ("Der Zug fiel in den Kanal.", "Лодки вернулись.", "船は港に戻った。", "عاد القارب.")
    for number, text in enumerate(texts):
        put(tmp_path, f"{number}.txt", text)
        put(tmp_path, f"{number}.html", f"<meta charset=utf-8><p>{text}</p>")
    assert sorted(document.text for document in read(tmp_path)) == sorted(texts * 2)


def test_what_cannot_be_read_says_what_to_do(tmp_path):
    assert "a.msg: is of no kind that can be read; save it as .eml" in refused(
        put(tmp_path, "a.msg", b"\xd0\xcf")
    )


LINES = st.lists(
    st.sampled_from(
        [
            "",
            "The van fell.",
            "It was late and",
            "nobody saw it.",
            "- one",
            "10:20 Ann: hi",
            "Title",
            "\t",
        ]
    ),
    max_size=12,
)


@settings(max_examples=150, deadline=None)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["txt", "eml", "mbox"]))
def test_every_sentence_is_found_on_the_line_it_names(tmp_path_factory, lines, end, kind):
    top = {
        "txt": "",
        "eml": f"Subject: a{end}{end}",
        "mbox": f"From a@b 10:20{end}Subject: a{end}{end}",
    }
    text = top[kind] + end.join(lines)
    path = put(tmp_path_factory.mktemp("a"), f"a.{kind}", text)
    source = text.split("\n")
    for document in read(path, lenient=Skips()):
        for sentence in split_sentences(document):
            assert sentence.text.splitlines()[0] in source[sentence.line - 1]
        kept = [document.title or "", document.text, *(part.text for part in document.aside)]
        assert [line for line in lines if line.strip() not in "\n".join(kept)] == []
