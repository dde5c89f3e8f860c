"""Files of office programs, each written by the format's own library or in a program's own form."""

from __future__ import annotations

import datetime
import io
import sys
import zipfile

import pytest
from tests.text.io.readers.files import put, read, refused

from fabula.errors import MissingPart
from fabula.types import Document

FIRST = "A freight train left the rails near Holt on Tuesday evening, the railway said."
SECOND = "Nobody was hurt, but the line to the coast stays closed until Friday."


def kinds(document: Document) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in document.aside:
        found[part.kind] = f"{found.get(part.kind, '')} {part.text}".strip()
    return found


def docx_bytes() -> bytes:
    import docx

    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author = "", "Ann Lee"
    properties.created = datetime.datetime(2024, 3, 12, 9)
    document.add_heading("Train in canal", 0)
    document.add_heading("What happened", 1)
    document.add_paragraph(FIRST)
    document.add_paragraph("")
    for item in ("Two wagons fell.", "One was empty."):
        document.add_paragraph(item, style="List Bullet")
    table = document.add_table(rows=2, cols=3)
    rows = [["Train", "Time", "Place"], ["Goods", "10:20", "Holt"]]
    for row, cells in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    document.add_paragraph(SECOND)
    document.add_paragraph("Mill Lane 1\nHolt")
    document.sections[0].header.paragraphs[0].text = "County railway"
    document.sections[0].footer.paragraphs[0].text = "Confidential"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_docx(tmp_path):
    (document,) = read(put(tmp_path, "a.docx", docx_bytes()))
    assert (document.title, document.date) == ("Train in canal", "2024-03-12")
    assert document.extra == {
        "byline": "Ann Lee",
        "headings": ["What happened"],
        "date_from": "metadata",
    }
    assert document.paragraphs == (
        "What happened",
        FIRST,
        "Two wagons fell.",
        "One was empty.",
        "Train | Time Place",
        "Goods | 10:20 | Holt",
        SECOND,
        "Mill Lane 1",
        "Holt",
    )
    assert document.lines == (2, 3, 4, 5, 6, 7, 8, 9, 9)  # the numbers of the paragraphs
    assert kinds(document) == {"header": "County railway", "footer": "Confidential"}
    assert "b.docx: cannot be read as a Word document" in refused(put(tmp_path, "b.docx", "PK"))


def test_docx_with_notes_changes_and_a_text_box(tmp_path):
    space = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
    body = (
        f"<w:document {space} xmlns:mc='m'><w:body><w:p><w:ins><w:r><w:t>It fell</w:t></w:r>"
        "</w:ins>"
        "<w:del><w:r><w:delText>did not fall</w:delText></w:r></w:del><w:hyperlink><w:r><w:t> into "
        "the canal.</w:t></w:r></w:hyperlink></w:p><w:p><w:r><mc:AlternateContent><mc:Choice>"
        "<w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent></mc:Choice>"
        "<mc:Fallback><w:txbxContent><w:p><w:r><w:t>In a box.</w:t></w:r></w:p></w:txbxContent>"
        "</mc:Fallback></mc:AlternateContent></w:r></w:p></w:body></w:document>"
    )
    note = (
        f"<w:footnotes {space}><w:footnote><w:p><w:r><w:t>So they say.</w:t></w:r></w:p>"
        "</w:footnote></w:footnotes>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", body)
        archive.writestr("word/footnotes.xml", note)
    (document,) = read(put(tmp_path, "a.docx", out.getvalue()))
    assert document.paragraphs == ("It fell into the canal.", "In a box.")
    assert kinds(document) == {"note": "So they say."}


def test_odt(tmp_path):
    from odf.dc import Title
    from odf.meta import CreationDate
    from odf.opendocument import OpenDocumentText
    from odf.table import Table, TableCell, TableRow
    from odf.text import H, LineBreak, List, ListItem, Note, NoteBody, NoteCitation, P, Span

    book = OpenDocumentText()
    book.meta.addElement(Title(text="Train in canal"))
    book.meta.addElement(CreationDate(text="2024-03-12T09:00:00"))
    book.text.addElement(H(outlinelevel=1, text="What happened"))
    first = P(text=FIRST[:20])
    first.addElement(Span(text=FIRST[20:]))
    note = Note(noteclass="footnote")
    note.addElement(NoteCitation(text="1"))
    body = NoteBody()
    body.addElement(P(text="So they say."))
    note.addElement(body)
    first.addElement(note)
    book.text.addElement(first)
    items = List()
    for text in ("Two wagons fell.", "One was empty."):
        item = ListItem()
        item.addElement(P(text=text))
        items.addElement(item)
    book.text.addElement(items)
    table, row = Table(name="t"), TableRow()
    for text in ("Goods", "10:20"):
        cell = TableCell()
        cell.addElement(P(text=text))
        row.addElement(cell)
    table.addElement(row)
    book.text.addElement(table)
    last = P(text="Mill Lane 1")
    last.addElement(LineBreak())
    last.addText("Holt")
    book.text.addElement(last)
    path = tmp_path / "a.odt"
    book.save(str(path))
    (document,) = read(path)
    assert (document.title, document.date) == ("Train in canal", "2024-03-12")
    assert document.paragraphs == (
        "What happened",
        FIRST,
        "Two wagons fell.",
        "One was empty.",
        "Goods | 10:20",
        "Mill Lane 1",
        "Holt",
    )
    assert document.lines == (1, 2, 3, 4, 5, 6, 6)
    assert kinds(document) == {"note": "So they say."}
    assert "cannot be read as an OpenDocument text" in refused(put(tmp_path, "b.odt", "PK"))


def sheet(*rows: list[object]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "Log"
    for row in rows:
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_xlsx(tmp_path):
    log = sheet(
        ["When", "What"], [], [datetime.datetime(2024, 3, 12, 10, 20), "It fell."], [7.0, None]
    )
    (document,) = read(put(tmp_path, "a.xlsx", log))
    assert (document.id, document.title) == ("a:Log", "Log")
    assert document.paragraphs == ("When | What", "2024-03-12 10:20:00 | It fell.", "7")
    assert document.lines == (1, 3, 4)
    table = sheet(
        ["id", "text", "date"], ["x", FIRST, datetime.datetime(2024, 3, 12)], ["y", SECOND]
    )
    first, second = read(put(tmp_path, "b.xlsx", table))
    assert (first.id, first.text, first.date, first.line) == ("x", FIRST, "2024-03-12", 2)
    assert (second.text, second.date) == (SECOND, None)
    assert "holds no text" in refused(put(tmp_path, "c.xlsx", sheet()))
    assert "cannot be read as a spreadsheet" in refused(put(tmp_path, "d.xlsx", "PK"))


def test_epub(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<?xml version="1.0"?><container version="1.0" '
            'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/content.opf"/></rootfiles></container>',
        )
        book.writestr(
            "OEBPS/content.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Train in canal</dc:title>'
            "<dc:creator>Ann Lee</dc:creator><dc:date>2024-03-12</dc:date></metadata><manifest>"
            '<item id="two" href="text/two%20b.xhtml"/><item id="one" href="text/one.xhtml"/>'
            '</manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>',
        )
        page = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{}</p></body></html>'
        book.writestr("OEBPS/text/one.xhtml", page.format(FIRST))
        book.writestr("OEBPS/text/two b.xhtml", page.format(SECOND))
    (document,) = read(put(tmp_path, "a.epub", out.getvalue()))
    assert document.paragraphs == (FIRST, SECOND)
    assert (document.title, document.date, document.lines) == (
        "Train in canal",
        "2024-03-12",
        (1, 2),
    )
    assert document.extra["byline"] == "Ann Lee"
    assert "cannot be read as an EPUB" in refused(put(tmp_path, "b.epub", "PK"))


WORD_RTF = r"""{\rtf1\adeflang1025\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0\fbidi \froman\fcharset0
Times New Roman;}}{\colortbl;\red0\green0\blue0;}{\stylesheet{\ql \snext0 Normal;}}
{\*\generator Riched20 10.0.19041}{\info{\title Train in canal}{\author Ann Lee}
{\creatim\yr2024\mo3\dy12\hr9}}{\header \pard\plain County railway\par}
\pard\plain\f0\fs24 The caf\'e9\rquote s guests heard it at ten.\par
\pard A \b freight\b0  train left the rails near Holt{\footnote \pard So they say.} on Tue\-sday.
\par
\trowd\cellx1000\cellx2000 Goods\cell 10:20\cell\row
\pard She said \u8220?no\u8221? and \uc2\u8364\'80\'80 went \{home\}.\line It was late.\par
}"""
COCOA_RTF = r"""{\rtf1\ansi\ansicpg1252\cocoartf2639
\cocoatextscaling0\cocoaplatform0{\fonttbl\f0\fswiss\fcharset0 Helvetica;}
{\*\expandedcolortbl;;}
\pard\tx566\pardirnatural\partightenfactor0

\f0\fs24 \cf0 First we heard a bang.\
\
Then \'93smoke\'94 came.}"""


def test_rtf_as_word_writes_it(tmp_path):
    path = put(tmp_path, "a.rtf", WORD_RTF)
    (document,) = read(path)
    assert document.paragraphs == (
        "The café’s guests heard it at ten.",
        "A freight train left the rails near Holt on Tuesday.",
        "Goods | 10:20",
        "She said “no” and € went {home}.",
        "It was late.",
    )
    assert (document.title, document.date) == ("Train in canal", "2024-03-12")
    assert kinds(document) == {"header": "County railway", "note": "So they say."}
    source = WORD_RTF.split("\n")
    for line, word in zip(
        document.lines, ("The caf", "freight", "Goods", "She", "late"), strict=True
    ):
        assert word in source[line - 1]
    assert "a.txt: not RTF" not in refused(put(tmp_path, "b.rtf", "no"))
    assert "b.rtf:1: not RTF" in refused(tmp_path / "b.rtf")


def test_rtf_as_textedit_writes_it(tmp_path):
    (document,) = read(put(tmp_path, "a.rtf", COCOA_RTF))
    assert document.paragraphs == ("First we heard a bang.", "Then “smoke” came.")
    assert document.lines == (6, 8)


@pytest.mark.parametrize(("kind", "module"), [("pdf", "pypdf"), ("xlsx", "openpyxl")])
def test_office_parts_may_be_missing(tmp_path, monkeypatch, kind, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingPart, match=r"fabula\[office\]"):
        read(put(tmp_path, f"a.{kind}", "x"))


def test_a_first_heading_is_the_title_and_a_template_dates_nothing(tmp_path):
    import docx
    from odf.opendocument import OpenDocumentText
    from odf.text import H, P

    written = docx.Document()  # made at the minute of python-docx's template, it says
    written.core_properties.author = "Pat Clerk"
    book = OpenDocumentText()
    for heading, level in (("Train in canal", 1), ("What happened", 2)):
        written.add_heading(heading, level)
        book.text.addElement(H(outlinelevel=level, text=heading))
        written.add_paragraph(FIRST)
        book.text.addElement(P(text=FIRST))
    written.save(str(tmp_path / "a.docx"))
    book.save(str(tmp_path / "b.odt"))
    for name in ("a.docx", "b.odt"):
        (document,) = read(tmp_path / name)
        assert (document.title, document.extra["headings"]) == ("Train in canal", ["What happened"])
        assert document.paragraphs == (FIRST, "What happened", FIRST)
    assert read(tmp_path / "a.docx")[0].date is None
    assert read(tmp_path / "a.docx")[0].extra["byline"] == "Pat Clerk"
