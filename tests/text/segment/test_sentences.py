"""Sentences: nothing lost, every place exact, and the cuts where a reader would make them."""

from __future__ import annotations

import textwrap
import time
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fabula.errors import UsageError
from fabula.text.segment.sentences import LineBreaks, spans, split_sentences
from fabula.types import Document

# Full Unicode, and text made of the pieces that the rules look at.
MARKS = [".", "!", "?", "…", '"', "”", "(", ")", " ", "  ", "\n", "\r", "\r\n", "\u2028", "- "]
WORDS = ["Mr.", "He", "left", "U.S.", "I.", "5", "the", "\x00", "\u200b", "\ufeff", "😀", "x" * 500]
PIECES = st.lists(st.sampled_from(MARKS + WORDS)).map("".join)
TEXTS = st.one_of(st.text(), PIECES)


def pieces(text: str, line_breaks: LineBreaks = "auto") -> list[str]:
    return [text[start:end] for start, end in spans(text, line_breaks=line_breaks)]


def sentences(text: str, line_breaks: LineBreaks = "auto") -> list[str]:
    return [sentence.text for sentence in split_sentences(text, line_breaks=line_breaks)]


@given(TEXTS, st.sampled_from(["auto", "wrap", "end"]))
@example("\n\n \x00", "auto")
@example("a.\r\rb", "auto")
@settings(deadline=None)
def test_the_pieces_rejoin_to_the_text(text: str, line_breaks: LineBreaks) -> None:
    found = pieces(text, line_breaks=line_breaks)
    assert "".join(found) == text
    assert all(found)
    assert found == pieces(text, line_breaks=line_breaks)


def is_visible(character: str) -> bool:
    """No space, no control character, no mark without width, nothing unassigned."""
    return not character.isspace() and unicodedata.category(character) not in ("Cc", "Cf", "Cn")


@given(st.lists(TEXTS, max_size=4))
@settings(deadline=None)
def test_every_visible_character_is_in_exactly_one_sentence(paragraphs: list[str]) -> None:
    document = Document("d", tuple(paragraphs), lines=tuple(range(1, len(paragraphs) + 1)))
    covered = [[0] * len(paragraph) for paragraph in paragraphs]
    for sentence in split_sentences(document):
        assert sentence.text.strip()
        assert sentence.text == paragraphs[sentence.paragraph][sentence.start : sentence.end]
        for position in range(sentence.start, sentence.end):
            covered[sentence.paragraph][position] += 1
    for paragraph, counts in zip(paragraphs, covered, strict=True):
        for character, count in zip(paragraph, counts, strict=True):
            assert count == 1 if is_visible(character) else count <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Smith met Dr. Jones at 5 p.m. on Friday.|He left.",
        "The U.S. Army came.|It was No. 5 on the list.",
        "J. R. Smith wrote it, e.g. this.|Gen. Lee and Lt. Col. Jones fought ca. 1500 men.",
        "They slept until 9 a.m.|The men were tired.",
        "He lived in the U.S.|He left.",
        "It ended World War I.|The peace did not last.",
        "Gas escaped in hall B.|According to the owner nobody was hurt.",
        "The VII. corps crossed the Canada–U.S. border.",
        '"Come here!" he said.|"I will."|She left.',
        '"Stop!" John cried.|"Why?"|She said nothing.',
        "He said, “Go.”|(Nobody went.)|[Laughter.]|Then it rained.",
        "Wait... what?|Well… I know.|So . . . we wait.",
        "Really?!|Yes!!|It cost $5.50.",
        "1. First thing.|2. Second thing.",
        "We won! 😀|They lost. 😀",
        "Turned to the south.|Drake was ill.|So am I.",
        "See example.com for more.|Then write to j.doe@example.com.",
    ],
)
def test_where_sentences_end(text: str) -> None:
    assert sentences(text.replace("|", " ")) == text.split("|")


def test_a_lost_space_is_noticed() -> None:
    assert sentences("We lost the territory.Commerce, too, suffered.") == [
        "We lost the territory.",
        "Commerce, too, suffered.",
    ]
    assert len(sentences("Open www.example.The file")) == 1


PROSE = (
    "It was the best of times, it was the worst of times. Mr. Smith and Col. John Jones of the "
    "army went to the United States of America with J. Brown. They left at five and, as far as "
    "anybody knows, never came back."
)


@pytest.mark.parametrize("width", [25, 40, 60, 72, 100])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_wrapped_prose_reads_as_one_line(width: int, end: str) -> None:
    wrapped = textwrap.fill(PROSE, width).replace("\n", end)
    assert [" ".join(text.split()) for text in sentences(wrapped)] == sentences(PROSE)


@pytest.mark.parametrize(
    "lines",
    [
        ["see you at five", "ok", "bring the book please", "why", "no idea"],
        ["[12:03] Anna: hi", "[12:04] Bob: hello there, how are you", "[12:09] Anna: fine"],
        ["- milk", "- eggs", "- bread and butter"],
        ["1. wash the dishes", "2. sweep the floor of the hall", "3. rest"],
        ["He works at Acme Inc.", "Sales rose in the second quarter of last year.", "He is glad."],
        ["Shall I compare thee to a summer's day", "Thou art more lovely and more temperate"],
    ],
)
def test_one_thing_a_line(lines: list[str]) -> None:
    assert sentences("\n".join(lines)) == lines


def test_a_heading_stands_apart_from_the_prose_below_it() -> None:
    assert sentences("CHAPTER ONE\n" + textwrap.fill(PROSE, 60))[0] == "CHAPTER ONE"


def test_a_list_item_may_be_wrapped() -> None:
    text = "- one item that is long enough to have been\n  wrapped at the margin\n- another item"
    assert [" ".join(item.split()) for item in sentences(text)] == [
        "- one item that is long enough to have been wrapped at the margin",
        "- another item",
    ]


def test_the_caller_may_say_what_a_line_break_is() -> None:
    assert sentences("one\ntwo", line_breaks="wrap") == ["one\ntwo"]
    assert sentences("one\ntwo", line_breaks="end") == ["one", "two"]
    assert sentences("one\n \ntwo", line_breaks="wrap") == ["one", "two"]
    with pytest.raises(UsageError, match="auto, wrap, end"):
        spans("one", line_breaks="never")  # type: ignore[arg-type]


def test_nothing_gives_nothing() -> None:
    assert spans("") == []
    assert split_sentences(" \n\u200b\n") == []
    assert spans(" \n ") == [(0, 3)]


def test_a_sentence_knows_where_it_stands() -> None:
    document = Document(
        "d", ("One. Two.", "Three\r\nis long.\r\n\rFour."), source="a.txt", line=7, lines=(7, 10)
    )
    found = [(s.text, s.line, s.paragraph, s.start) for s in split_sentences(document)]
    assert found == [
        ("One.", 7, 0, 0),
        ("Two.", 7, 0, 5),
        ("Three", 10, 1, 0),
        ("is long.", 11, 1, 7),
        ("Four.", 13, 1, 18),
    ]
    assert {(s.source, s.document) for s in split_sentences(document)} == {("a.txt", "d")}
    unplaced = Document("d", ("One.\nTwo.",), line=7)
    assert [s.line for s in split_sentences(unplaced)] == [7, 7]


@pytest.mark.parametrize(
    "text",
    [
        "word " * 200_000,
        "a" * 10**6,
        ".)" * 500_000,
        ". " * 500_000,
        '." ' * 100_000,
        "ab\n" * 300_000,
    ],
    ids=["no marks", "one word", "marks in a word", "marks", "quotes", "lines"],
)
def test_a_megabyte_of_anything_takes_seconds(text: str) -> None:
    started = time.perf_counter()
    found = spans(text)
    assert time.perf_counter() - started < 20  # quadratic would be hours
    assert found[0][0] == 0 and found[-1][1] == len(text)


@pytest.mark.parametrize(
    "expected",
    [
        ['Jobs called it "the best in the world."', "iOS will show ads.", "iTunes 9 will not."],
        ["He bought shares of Apple Inc. iPhone sales rose."],
        ["The van left the yard at 9 p.m.", "Nobody saw it again."],
        [
            "It was about 4 p.m.",
            "Police locked the street.",
            "It was 10:30 a.m.",
            '"We ran," he said.',
        ],
        ["He came at 5 p.m. Friday and left at 6 a.m. EST.", "She left at 7 p.m. Tues."],
        ["Const. Tim Fanning spoke.", "Msgr. Farmer did not."],
        ["The Troy, Mich. police came.", "Yahoo! News reported it."],
        ['"Stop!" he cried.', '"Go!" Ellen tweeted.', '"Who?" asked Ann.'],
    ],
)
def test_abbreviations_hours_and_marks(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected
    assert sentences("\n".join(expected)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        [
            "10:20 The train left the old station with two hundred people aboard and no guard",
            "10:41 Nobody had seen it at Holt, said the signalman there, and he rang the next",
            "10:55 It was found in the canal",
        ],
        [
            "Ann Lee: I saw the van at the bridge when I came home from work, and\nit was empty.",
            "Bob Roe: It was gone by the time that I came over the bridge to look at it",
        ],
        [
            "Name\tTime\tPlace of the sighting",
            "Ann\t10:20\tHolt, by the old mill",
            "Bob\t10:41\tHolt",
        ],
        [
            "The old mill by the river burnt down on Monday night at about 9 p.m.",
            "Firemen from four towns fought it for six hours, said Acme Fire Inc.",
            "Nobody was hurt, and the cause is not known, police said in Troy, Mich.",
        ],
    ],
)
def test_lines_that_are_whole_units(expected: list[str]) -> None:
    assert sentences("\n".join(expected)) == expected


NAMES = """He received $59 million for his performance in the position. Analyst
Charles Golvin predicts that the resignation will not begin to affect
Apple performance for 1.5 to 2 years."""
MAIL = """Steve Jobs, founder of Apple, has chosen to step down from his post as
CEO of the company. The former Chief Operating Officer, Tim Cook will be
succeeding Jobs as CEO.

In that same letter, Jobs stated that his desire was to remain as
chairman of the board."""


def test_a_paragraph_is_wrapped_at_the_margin_of_its_document() -> None:
    """By itself it may as well be three lines: each begins with a name."""
    told = ["Analyst", "Charles Golvin predicts that the resignation will not begin to affect"]
    assert sentences(NAMES)[1:3] == told
    whole = "Analyst Charles Golvin predicts that the resignation will not begin to affect Apple"
    for source in (f"{MAIL}\n\n{NAMES}", Document("mail", (*MAIL.split("\n\n"), NAMES))):
        found = [" ".join(sentence.text.split()) for sentence in split_sentences(source)]
        assert found[-1] == f"{whole} performance for 1.5 to 2 years."
    short = "Ann Lee\nBob Roe\nCarla Diaz"
    assert sentences(f"{MAIL}\n\n{short}")[-3:] == ["Ann Lee", "Bob Roe", "Carla Diaz"]
