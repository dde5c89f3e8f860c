from __future__ import annotations

import pytest

from fabula.text.segment.headings import (
    dated_headings,
    is_report,
    numbered_headings,
    plain_headings,
    timed_headings,
)
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document

MINUTES = """Present: A. Brook, C. Dunn

1. Summer fair
The fair is on Saturday. Ann has booked the hall.

2. Break-in at the shed
Somebody forced the lock on Friday.

4. Any other business
The crossing still has no lights."""


def headings(text: str) -> list[str]:
    sentences = split_sentences(text)
    return [sentences[at].text for at in numbered_headings(sentences)]


def test_items_of_minutes() -> None:
    assert headings(MINUTES) == [
        "1. Summer fair",
        "2. Break-in at the shed",
        "4. Any other business",
    ]
    agenda = MINUTES.replace("1.", "Item 1:").replace("2.", "Item 2:").replace("4.", "Item 3:")
    assert headings(agenda) == [
        "Item 1: Summer fair",
        "Item 2: Break-in at the shed",
        "Item 3: Any other business",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. Summer fair\nThe fair is on Saturday.",  # one alone
        "1. The lock was forced.\n2. The mower was taken.",  # sentences of a list
        "1. Bread\n2. Milk\n3. Eggs",  # a list without prose
        "3. Summer fair\nIt is on Saturday.\n2. Shed\nIt was forced.",  # not rising
        "12 Main Street\nWe met there.\n14 Main Street\nNobody came.",  # addresses
        "It rained. 1. Fair\nSo it was. 2. Shed\nThe lock was forced.",  # not alone on a line
        "",
    ],
)
def test_what_is_no_heading(text: str) -> None:
    assert headings(text) == []


def test_lines_count_within_a_paragraph() -> None:
    document = Document("a", ("1. Fair", "It rains.", "2. Shed", "It leaks."), lines=())
    sentences = split_sentences(document)
    assert numbered_headings(sentences) == [0, 2]


def days(text: str, date: str | None = None) -> list[tuple[str, str]]:
    sentences = split_sentences(text)
    return [(sentences[at].text, day) for at, day in dated_headings(sentences, date).items()]


def test_days_of_a_diary() -> None:
    text = "Friday, 13 December 1862\nFog till ten.\n\nDec. 15\nRain.\n\n2 January.\nSnow."
    assert days(text) == [
        ("Friday, 13 December 1862", "1862-12-13"),
        ("Dec. 15", "1862-12-15"),
        ("2 January.", "1863-01-02"),
    ]
    assert days("13 May\nFog.\n14 May\nRain.", "1940-06-01") == [
        ("13 May", "1940-05-13"),
        ("14 May", "1940-05-14"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "13 May 1940\nFog till ten.",  # one: the document's own date
        "13 May\nFog.\n14 May\nRain.",  # no year
        "13 May 1940\n14 May 1940",  # a list of dates
        "It was 13 May 1940. Fog.\nIt was 14 May 1940. Rain.",
        "31 June 1940\nFog.\n14 May 1940\nRain.",  # no such day
    ],
)
def test_what_is_no_diary(text: str) -> None:
    assert days(text) == []


BULLETIN = """Ammonia leak in hall B

Three colleagues were injured on Friday. We demand an inquiry.

Canteen

From April lunch will cost five euros."""


def plain(text: str) -> list[str]:
    document = Document("a", tuple(text.split("\n\n")))
    sentences = split_sentences(document)
    return [sentences[at].text for at in plain_headings(sentences)]


def test_headings_without_numbers() -> None:
    assert plain(BULLETIN) == ["Ammonia leak in hall B", "Canteen"]


@pytest.mark.parametrize(
    "text",
    [
        BULLETIN.replace("Canteen", "canteen"),  # one left
        BULLETIN.replace("Canteen", "Canteen:"),
        BULLETIN.replace("Canteen", "Ammonia leak in hall B"),  # the same twice: a speaker's name
        BULLETIN.replace("Canteen", "The canteen and what lunch will cost now"),
        BULLETIN.replace(" We demand an inquiry.", " We demand an inquiry"),
        "Bread\n\nMilk\n\nEggs",
    ],
)
def test_what_is_no_plain_heading(text: str) -> None:
    assert plain(text) == []


def test_headings_of_the_parts_of_a_report() -> None:
    assert is_report(["1. Background", "2. What we found", "3. Recommendations"])
    assert not is_report(["1. Summer fair", "2. Break-in at the shed"]) and not is_report([])


DIGEST = """Ellen DeGeneres to host 2014 Oscars

Ellen DeGeneres was so nice as an Oscars host the first time, she does it twice. She said so.

4.6 magnitude quake recorded in Sonoma County

An earthquake was recorded in the North Bay this morning. There are no reports of damage."""


def test_headlines_of_a_digest() -> None:
    sentences = split_sentences(Document("digest", tuple(DIGEST.split("\n\n"))))
    assert [sentences[at].text for at in plain_headings(sentences)] == [
        "Ellen DeGeneres to host 2014 Oscars",
        "4.6 magnitude quake recorded in Sonoma County",
    ]
    bare = DIGEST.replace(" She said so.", "").replace(" There are no reports of damage.", "")
    short = split_sentences(Document("list", tuple(bare.split("\n\n"))))
    assert plain_headings(short) == [], "as many lines without an end as with one"


def test_a_numbered_heading_may_begin_with_a_number() -> None:
    assert headings(MINUTES.replace("Break-in at the shed", "4.6 magnitude quake"))[1] == (
        "2. 4.6 magnitude quake"
    )


LIVE = "9.10 am\nSmoke is seen.\n\n10:05\nTwo crews arrive. All are well.\n\n2.45pm GMT\nIt is out."


def test_times_above_the_entries_of_a_live_blog() -> None:
    sentences = split_sentences(LIVE)
    assert timed_headings(sentences) == {0: 550, 2: 605, 5: 885}
    for text in ("9.10\n10.20\n11.30", "9.10 am\nSmoke is seen.", "9\nOne.\n10\nTwo."):
        assert timed_headings(split_sentences(text)) == {}
