"""PDF files written by ReportLab and pypdf: columns, hyphens, running heads, page numbers."""

from __future__ import annotations

import io
from typing import Any

import pytest
from tests.text.io.readers.files import put, read, refused

WHO = "Ann Bob Cid Dot Eve Fay Guy Hal Ida Jan".split()
WHERE = ("at the mill", "by the ford", "in the yard", "on the quay")


def paragraph(number: int) -> str:
    who, where = WHO[number % 10], WHERE[number // 10]
    return (
        f"{who} stood {where} when the old bridge fell into the river in the middle of the night. "
        "Nobody who was there could say afterwards whether the lorry or the well-known flood had "
        f"done it, said the investigators of county council {number}."
    )


def two_columns(count: int) -> bytes:
    """Set by ReportLab's own layout, with a running head and page numbers."""
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph

    def head(canvas: Any, document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(57, 808, "The Holt Courier")
        canvas.drawCentredString(298, 28, f"Page {document.page}")

    out = io.BytesIO()
    document = BaseDocTemplate(out, pagesize=A4, title="The bridge", author="Ann Lee")
    columns = [Frame(57, 57, 227, 709), Frame(312, 57, 227, 709)]
    document.addPageTemplates([PageTemplate(frames=columns, onPage=head)])
    style = getSampleStyleSheet()
    story = [Paragraph("The night of the flood", style["Heading2"])]
    document.build(story + [Paragraph(paragraph(i), style["BodyText"]) for i in range(count)])
    return out.getvalue()


def drawn(*pages: list[tuple[float, float, str]], title: str = "") -> bytes:
    """Lines at places, in the order given."""
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out)
    if title:
        canvas.setTitle(title)
    for page in pages:
        for x, y, text in page:
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def test_two_columns_over_pages(tmp_path):
    (document,) = read(put(tmp_path, "a.pdf", two_columns(40)))
    assert document.paragraphs == ("The night of the flood", *map(paragraph, range(40)))
    assert document.extra["pages"] == 2 and (document.lines[0], document.lines[-1]) == (1, 2)
    assert (document.title, document.extra["byline"]) == ("The bridge", "Ann Lee")
    aside = [(part.kind, part.text, part.line) for part in document.aside]
    assert ("header", "The Holt Courier", 2) in aside and ("footer", "Page 1", 1) in aside
    assert len(aside) == 4


def test_lines_written_across_two_columns(tmp_path):
    left = [
        "The bridge at Holt fell",
        "into the river in the",
        "night, and nobody knows",
        "why it did so at all.",
    ]
    right = [
        "The council will look",
        "for the lorry, which is",
        "said to have been the",
        "cause of the whole.",
    ]
    page = [(60.0, 760.0, "Bridge falls in Holt")]
    for row, (a, b) in enumerate(zip(left, right, strict=True)):
        page += [(60.0, 700.0 - 14 * row, a), (320.0, 700.0 - 14 * row, b)]
    (document,) = read(put(tmp_path, "a.pdf", drawn(page, title="The bridge")))
    assert document.paragraphs == ("Bridge falls in Holt", " ".join(left), " ".join(right))


def test_divided_words_and_paragraphs_over_pages(tmp_path):
    first = [
        (60.0, 700.0, "It was an extra-"),
        (60.0, 686.0, "ordinary and well-known night, for the well-"),
        (60.0, 672.0, "known bridge had fallen into the river, and the"),
    ]
    second = [(60.0, 700.0, "council had to look for it in the dark of the night.")]
    (document,) = read(put(tmp_path, "a.pdf", drawn(first, second)))
    assert document.paragraphs == (
        "It was an extraordinary and well-known night, for the well-known bridge had fallen into "
        "the river, and the council had to look for it in the dark of the night.",
    )
    assert document.lines == (1,)


def test_pdfs_that_cannot_be_read(tmp_path):
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(drawn([(60.0, 700.0, "Hello river.")])))
    writer.encrypt("x", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    assert "b.pdf: the PDF is encrypted" in refused(put(tmp_path, "b.pdf", locked.getvalue()))
    assert "c.pdf: cannot be read as PDF" in refused(put(tmp_path, "c.pdf", "%PDF-1.4 no"))
    assert "d.pdf: the PDF holds no text" in refused(put(tmp_path, "d.pdf", drawn([(0, 0, " ")])))


@pytest.mark.parametrize("name", ["a.pdf", "a"])
def test_a_pdf_is_known_by_its_beginning(tmp_path, name):
    page = drawn([(60.0, 700.0, "Hello river.")], title="Rivers")
    (document,) = read(put(tmp_path, name, page))
    assert (document.title, document.paragraphs) == ("Rivers", ("Hello river.",))


@pytest.mark.parametrize("title", ["", "untitled", "(anonymous)", "Microsoft Word - bridge 3.doc"])
def test_a_headline_on_the_page_is_the_title_where_the_file_has_none(tmp_path, title):
    lines = paragraph(3).replace(", said", ",\nsaid").split("\n")
    page = [(60.0, 760.0, "Bridge falls in Holt")]
    page += [(60.0, 700.0 - 14 * row, line) for row, line in enumerate(lines)]
    page += [(60.0, 640.0, paragraph(4))]
    (document,) = read(put(tmp_path, "a.pdf", drawn(page, title=title)))
    assert document.title == "Bridge falls in Holt"
    assert document.text.split() == f"{paragraph(3)} {paragraph(4)}".split(), (
        "the page is all there"
    )
