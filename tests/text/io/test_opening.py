from __future__ import annotations

import pytest
from tests.text.io.readers.files import put, read

from fabula.text.io.dates import date_in
from fabula.text.io.opening import read_opening

BODY = "The old bridge fell into the river on Friday, police said. Two people are missing."


@pytest.mark.parametrize(
    ("opening", "place", "agency", "date"),
    [
        ("PARIS, 3 May (Reuters) - ", "PARIS", "Reuters", None),
        ("PARIS, 3 May 2024 (Reuters) - ", "PARIS", "Reuters", "2024-05-03"),
        ("PARIS, May 3, 2024 (AFP) – ", "PARIS", "AFP", "2024-05-03"),
        ("LONDON (AP) -- ", "LONDON", "AP", None),
        ("HALLAN, 12 March (Northmark Wire) - ", "HALLAN", "Northmark Wire", None),
        ("NAIROBI, Kenya — ", "NAIROBI, Kenya", None, None),
        ("ST. LOUIS — ", "ST. LOUIS", None, None),
        ("Holt, England (AP) — ", "Holt, England", "AP", None),
        ("NEW YORK, March 12, 2024 /PRNewswire/ -- ", "NEW YORK", "PRNewswire", "2024-03-12"),
    ],
)
def test_datelines(tmp_path, opening, place, agency, date):
    (document,) = read(put(tmp_path, "a.txt", opening + BODY))
    assert document.paragraphs == (BODY,)
    assert document.extra["dateline"] == place
    assert (document.extra.get("agency"), document.date) == (agency, date)
    assert document.extra.get("date_from") == ("dateline" if date else None)
    assert [(part.kind, part.text) for part in document.aside] == [("dateline", opening.strip())]


@pytest.mark.parametrize(
    "text",
    [
        "A man - he was old - fell into the river.",
        "IBM - the company - fell behind.",
        "The bank (AP) - as it was called - closed.",
        "I - we - fell.",
        "3 May 2024\nWe sailed at dawn.\n\n4 May 2024\nWe lay becalmed.",
        "By the river stood a mill.",
        "see you at five\n\nok\n\nbring the book please",
        "First the bridge\n\n- fell\n\n- broke",
        "Shopping:\n\nThe old bridge fell into the river on Friday, police said.",
        "It fell.\n\nThe old bridge fell into the river on Friday, police said.",
        "The mill burned.\n\nRead more, 3 May 2024, below\n\nIt was old.",
        "10:20 train leaves\n\nThe old bridge fell into the river on Friday, police said.",
    ],
)
def test_what_is_no_opening_stays(tmp_path, text):
    (document,) = read(put(tmp_path, "a.txt", text))
    assert (document.text, document.title, document.aside) == (text, None, ())
    assert document.extra == {}


@pytest.mark.parametrize(
    "opening",
    [
        "Bridge falls in Paris\n\nBy Jane Doe\n\n3 May 2024\n\n",
        "Bridge falls in Paris\nBy Jane Doe, Staff Writer\n3 May 2024\n\n",
        "Bridge falls in Paris\n\n3 May 2024\nBy JANE DOE\nPARIS (AP) -- ",
    ],
)
def test_headline_and_byline(tmp_path, opening):
    path = put(tmp_path, "a.txt", opening + BODY)
    (document,) = read(path)
    assert document.title == "Bridge falls in Paris"
    assert document.extra["byline"].lower() == "jane doe"
    assert document.text.endswith(BODY)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[document.lines[-1] - 1].endswith(BODY)
    kept = f"{document.title} {document.text} " + " ".join(part.text for part in document.aside)
    assert [word for word in opening.split() if word not in kept] == []


def test_the_date_of_a_file_name_is_weak(tmp_path):
    for name in ("2024-03-12-report.txt", "20240312_wire.txt", "report 2024.03.12.html"):
        (document,) = read(put(tmp_path, name, BODY))
        assert (document.date, document.extra["date_from"]) == ("2024-03-12", "file name")
    (document,) = read(put(tmp_path, "2024-03-12.txt", f"PARIS, 3 May 2023 (AP) - {BODY}"))
    assert (document.date, document.extra["date_from"]) == ("2023-05-03", "dateline")
    for name in ("20241312.txt", "report-2024.txt", "120240312.txt"):
        assert read(put(tmp_path, name, BODY))[0].date is None


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Tue, 12 Mar 2024 09:14:00", "2024-03-12"),
        ("March 12th, 2024", "2024-03-12"),
        ("12.03.2024", None),
        ("2024/3/12", "2024-03-12"),
        ("31 February 2024", None),
        ("12 March", None),
    ],
)
def test_dates(text, date):
    assert date_in(text) == date


@pytest.mark.parametrize(
    "line",
    [
        "By Jane Doe, Friday 3 May 2024",
        "Radio Marl web desk, Friday 3 May 2024, 1.20 p.m.",
        "Marl Town Council, press release, Friday 3 May 2024",
        "The Marl Courier | 3 May 2024",
    ],
)
def test_a_line_below_the_headline_that_ends_in_a_date_is_not_text(tmp_path, line):
    (document,) = read(put(tmp_path, "a.txt", f"Bridge falls in Paris\n\n{line}\n\n{BODY}"))
    assert (document.title, document.date) == ("Bridge falls in Paris", "2024-05-03")
    assert document.paragraphs == (BODY,)
    assert [part.text for part in document.aside] == [line]


def test_a_line_that_is_a_date_makes_the_one_above_it_a_headline() -> None:
    text = (
        "Music store passes its rivals\nApril 9, 2008\nThe store passed them in February.\nIt grew."
    )
    opening = read_opening([(1, text)])
    assert (opening.title, opening.date) == ("Music store passes its rivals", "2008-04-09")
    assert opening.paragraphs == [(3, "The store passed them in February.\nIt grew.")]
    diary = "Our trip\n3 May 2008\nWe left.\n4 May 2008\nWe came back."
    assert read_opening([(1, diary)]).date is None


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Minutes of Hallan's Parents, Tuesday 4 June 2024", "Minutes of Hallan's Parents"),
        ("Meeting of the board held on June 4, 2024", "Meeting of the board"),
        ("Weekly report (4 June 2024)", "Weekly report"),
        ("From the council's web site, 4 June 2024", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_first_line_with_a_date_is_title_and_date(tmp_path, line, title, gap):
    (document,) = read(put(tmp_path, "a.txt", line + gap + BODY))
    assert (document.text, document.title, document.date) == (BODY, title, "2024-06-04")
    assert [(part.kind, part.text) for part in document.aside] == [("dateline", line)]


@pytest.mark.parametrize(
    "text",
    [
        "The mill burned down on 3 May 2024.\n\n" + BODY,
        "Fall of the mill, 4 June 1900\nFall of the inn, 5 June 1901\nThe barn, 6 June 1902",
        "Minutes of the board, 4 June\n" + BODY,
        "Minutes of the board, 31 June 2024\n" + BODY,
        "Minutes of the board, 4 June 2024",
    ],
)  # fmt: skip
def test_what_is_no_dated_title(tmp_path, text):
    (document,) = read(put(tmp_path, "a.txt", text))
    assert (document.text, document.date) == (text, None)


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("Posted: 03/14/2013 06:37:46 AM PDT Updated: 03/14/2013 07:51:21 AM PDT", "2013-03-14"),
        ("Published 14 March 2013 | Updated 15 March 2013, 9:20 am", "2013-03-14"),
        ("Last updated: 03/04/2013 06:37 PM", None),  # March or April
    ],
)
def test_when_a_page_was_posted_and_updated_is_not_text(tmp_path, line, date):
    (document,) = read(put(tmp_path, "a.txt", f"4.6 quake rattles Sonoma\n\n{line}\n\n{BODY}"))
    assert (document.title, document.date) == ("4.6 quake rattles Sonoma", date)
    assert document.paragraphs == (BODY,)
    assert [part.text for part in document.aside] == [line]


def test_a_day_that_no_calendar_has_is_told(tmp_path):
    (document,) = read(put(tmp_path, "a.txt", f"Bridge falls\n\n31 February 2013\n\n{BODY}"))
    assert (document.title, document.date, document.paragraphs) == ("Bridge falls", None, (BODY,))
    assert document.extra["notes"] == ["“31 February 2013” is no day of the calendar"]


def test_the_title_of_a_speech_stands_above_whom_it_addresses(tmp_path):
    text = f"Message on the Bridges\n\nTo the Senate and House of Representatives:\n\n{BODY}"
    (document,) = read(put(tmp_path, "a.txt", text))
    assert document.title == "Message on the Bridges"
    assert document.paragraphs == ("To the Senate and House of Representatives:", BODY)


def test_only_the_opening_goes_where_paragraphs_share_a_line_number() -> None:
    """The line of a PDF's paragraph is its page."""
    page = [(1, "Bridge falls in Paris"), (1, BODY), (1, "It was old."), (2, "It had been closed.")]
    opening = read_opening(page)
    assert (opening.title, opening.paragraphs) == ("Bridge falls in Paris", page[1:])
