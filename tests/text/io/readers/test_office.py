"""PDF and Word documents, for which libraries have to be installed."""

from __future__ import annotations

import io
import sys

import pytest
from tests.text.io.readers.files import put, read, refused

from fabula.errors import MissingPart


def pdf(text: str = "Hello river.", password: str | None = None) -> bytes:
    import pypdf
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(300, 300)
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    fonts = DictionaryObject({NameObject("/F1"): writer._add_object(font)})
    page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    stream = DecodedStreamObject()
    stream.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode())
    page[NameObject("/Contents")] = writer._add_object(stream)
    writer.add_metadata({"/Title": "Rivers"})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_pdf(tmp_path):
    (document,) = read(put(tmp_path, "a.pdf", pdf()))
    assert (document.title, document.paragraphs) == ("Rivers", ("Hello river.",))
    assert "b.pdf: the PDF is encrypted" in refused(put(tmp_path, "b.pdf", pdf(password="x")))
    assert "c.pdf: cannot be read as PDF" in refused(put(tmp_path, "c.pdf", "%PDF-1.4 no"))
    assert "d.pdf: the PDF holds no text" in refused(put(tmp_path, "d.pdf", pdf(text="")))


def docx_bytes() -> bytes:
    import docx

    document = docx.Document()
    document.core_properties.title = ""
    document.add_heading("Rivers", 0)
    document.add_paragraph("One.")
    document.add_paragraph("")
    document.add_paragraph("Two.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_docx(tmp_path):
    (document,) = read(put(tmp_path, "a.docx", docx_bytes()))
    assert (document.title, document.paragraphs) == ("Rivers", ("One.", "Two."))
    assert "b.docx: cannot be read as a Word document" in refused(put(tmp_path, "b.docx", "PK"))


@pytest.mark.parametrize(("kind", "module"), [("pdf", "pypdf"), ("docx", "docx")])
def test_office_parts_may_be_missing(tmp_path, monkeypatch, kind, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPart, match=r"fabula\[office\]"):
        read(put(tmp_path, f"a.{kind}", "x"))
