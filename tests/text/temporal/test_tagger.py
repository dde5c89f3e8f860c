"""The temporal tagger: what is found, its value and role, and what is no time."""

from __future__ import annotations

import pytest

import fabula
from fabula.errors import UsageError
from fabula.text.temporal.tagger import Timex
from fabula.text.times import times_of_texts

DATE = "1999-06-15"  # a Tuesday
# Text: the expressions in it, as (text, type, value).
NEWS: dict[str, list[tuple[str, str, str]]] = {
    "He was seen on 21 July 2013.": [("21 July 2013", "DATE", "2013-07-21")],
    "Sunday, July 21,2013": [("Sunday, July 21,2013", "DATE", "2013-07-21")],
    "It was signed on the third of May, 1940.": [("third of May, 1940", "DATE", "1940-05-03")],
    "It began on 4/9/2007.": [("4/9/2007", "DATE", "2007-04-09")],
    "It began on 16/08/2011.": [("16/08/2011", "DATE", "2011-08-16")],
    "The log says 2011-10-08T14:05.": [("2011-10-08T14:05", "TIME", "2011-10-08T14:05")],
    "It rained in March.": [("March", "DATE", "1999-03")],
    "It rained in August.": [("August", "DATE", "1998-08")],
    "It will open in August.": [("August", "DATE", "1999-08")],
    "She left on June 3.": [("June 3", "DATE", "1999-06-03")],
    "It will end on February 3.": [("February 3", "DATE", "2000-02-03")],
    "He came on Monday.": [("Monday", "DATE", "1999-06-14")],
    "He will come on Monday.": [("Monday", "DATE", "1999-06-21")],
    "He came last Tuesday.": [("last Tuesday", "DATE", "1999-06-08")],
    "He came on Sunday night.": [("Sunday night", "TIME", "1999-06-13TNI")],
    "The night to Friday was cold.": [("The night to Friday", "TIME", "1999-06-10TNI")],
    "They arrived yesterday evening.": [("yesterday evening", "TIME", "1999-06-14TEV")],
    "They arrived this morning (June 15).": [("this morning (June 15", "TIME", "1999-06-15TMO")],
    "Last night it burned.": [("Last night", "TIME", "1999-06-14TNI")],
    "It sold well last week.": [("last week", "DATE", "1999-W23")],
    "It sold well last year.": [("last year", "DATE", "1998")],
    "Profits rose in the last quarter.": [("the last quarter", "DATE", "1999-Q1")],
    "It was founded two years ago.": [("two years ago", "DATE", "1997")],
    "It was founded exactly two years ago.": [("exactly two years ago", "DATE", "1997-06-15")],
    "It grew in the summer of 1944.": [("the summer of 1944", "DATE", "1944-SU")],
    "It grew in early 2009.": [("early 2009", "DATE", "2009")],
    "It grew in the late 1980s.": [("the late 1980s", "DATE", "198")],
    "It grew in the 19th century.": [("the 19th century", "DATE", "18")],
    "Caesar fell in 44 BC.": [("44 BC", "DATE", "BC0044")],
    "They sang on Christmas Eve 1914.": [("Christmas Eve 1914", "DATE", "1914-12-24")],
    "They marched on Easter Monday 1916.": [("Easter Monday 1916", "DATE", "1916-04-24")],
    "They fought on May 3-5, 1940.": [
        ("May 3", "DATE", "1940-05-03"), ("5, 1940", "DATE", "1940-05-05"),
    ],
    "It ran from 1939 to 1945.": [("1939", "DATE", "1939"), ("1945", "DATE", "1945")],
    "The alarm rang at 06:00 BST.": [("06:00 BST", "TIME", "1999-06-15T06:00")],
    "They waited until 1630 GMT.": [("1630 GMT", "TIME", "1999-06-15T16:30Z")],
    "It opened at 8:30 p. m. Thursday.": [("8:30 p. m. Thursday", "TIME", "1999-06-10T20:30")],
    "It fell at 10:57 on 11 October 2011.": [
        ("10:57 on 11 October 2011", "TIME", "2011-10-11T10:57"),
    ],
    "By 6.30am the fire was out.": [("6.30am", "TIME", "1999-06-15T06:30")],
    "At half past four in the afternoon it fell.": [
        ("half past four in the afternoon", "TIME", "1999-06-15T16:30"),
    ],
    "They closed from 9 to 11 am.": [
        ("9", "TIME", "1999-06-15T09:00"), ("11 am", "TIME", "1999-06-15T11:00"),
    ],
    "At midnight it rang.": [("midnight", "TIME", "1999-06-15T24:00")],
    "It lasted a couple of days.": [("a couple of days", "DURATION", "P2D")],
    "It lasted 1hr 4 mins.": [("1hr 4 mins", "DURATION", "PT1H4M")],
    "It came four minutes after the alarm.": [("four minutes", "DURATION", "PT4M")],
    "It fell over the next six months.": [("the next six months", "DURATION", "P6M")],
    "They met every day.": [("every day", "SET", "P1D")],
    "They met twice a week.": [("twice a week", "SET", "P1W")],
    "They met on Mondays.": [("Mondays", "SET", "XXXX-WXX-1")],
    "It was recently sold.": [("recently", "DATE", "PAST_REF")],
}  # fmt: skip
NOT_TIMES = [
    "It happened on 31 February 2011.",
    "The score was 3-2 after extra time.",
    "He paid $10.20 for it, then 6.30 euros.",
    "See section 10.20 of the act.",
    "Version 2.10 and v10.15 were released.",
    "Call 555-1984 or 0800 1066 1066.",
    "In the year 9999 or year 0.",
    "She may march in the fall of the house.",
    "The second man took a second look.",
    "May said that April Jones and June Carter had left.",
    "Flight 1549 carried 2000 people.",
    "He won 6-4, 7-5.",
    "Prices may fall.",
    "Room 1812 was empty.",
    "The Sunday Times reported it.",
    "It costs 1,990 dollars; 1984 soldiers died.",
    "The host 192.168.10.20 failed.",
    "The sun shone, and they sat down.",
    "A 38-year-old from the Thirty Years' War.",
    "They crossed the Saint Lawrence River.",
]
ROLES = {
    "The company announced on Friday that it was closing.": "said",
    "The trial will begin on Wednesday.": "plan",
    "It must be repaired by Friday.": "deadline",
    "He had been dismissed in May.": "background",
    "The store has sold songs since 1978.": "background",
    "The 1991 agreement barred it.": "background",
    "(c) 2024": "published",
    "The bridge fell on Friday.": "happened",
}


@pytest.fixture(scope="module")
def news() -> dict[str, list[Timex]]:
    texts = [*NEWS, *NOT_TIMES, *ROLES]
    return dict(zip(texts, times_of_texts(texts, [DATE] * len(texts)), strict=True))


@pytest.mark.parametrize("text", NEWS)
def test_expressions_are_found_and_normalised(text: str, news: dict[str, list[Timex]]) -> None:
    assert [(t.text, t.type, t.value) for t in news[text]] == NEWS[text]
    assert all(text[t.start : t.end] == t.text for t in news[text])


@pytest.mark.parametrize("text", NOT_TIMES)
def test_what_is_no_time_is_not_found(text: str, news: dict[str, list[Timex]]) -> None:
    assert news[text] == []


@pytest.mark.parametrize("text", ROLES)
def test_each_expression_has_its_role(text: str, news: dict[str, list[Timex]]) -> None:
    assert [t.role for t in news[text]] == [ROLES[text]]


def test_a_narrative_is_told_from_the_time_last_spoken_of() -> None:
    found = fabula.times(
        "In 1911 they built it. On 3 June they left at half past two. The next morning at 9 the "
        "bell rang. Two days later they came back. He had been dismissed in May 1901. On 10 June "
        "it was over."
    )
    values = [t.value for t in found if t.type != "DURATION"]
    assert values == [
        "1911", "1911-06-03", "1911-06-03T02:30", "1911-06-04T09:00", "1911-06-06", "1901-05",
        "1911-06-10",
    ]  # fmt: skip
    assert [t.half_known for t in found][2:4] == [False, True]


def test_without_any_date_what_is_open_stays_open() -> None:
    found = fabula.times("On 3 June it rained. On Friday at 9 they left.")
    assert [t.value for t in found] == ["XXXX-06-03", "XXXX-WXX-5T09:00"]


def test_a_dateline_is_the_documents_date() -> None:
    found = fabula.times("Fire in Wellington\nJuly 22, 2013\nA fire broke out on Sunday.")
    assert [(t.value, t.role) for t in found] == [
        ("2013-07-22", "published"), ("2013-07-21", "happened"),
    ]  # fmt: skip


def test_what_times_cannot_take_is_refused() -> None:
    with pytest.raises(UsageError, match="YYYY-MM-DD"):
        fabula.times("It rained.", date="yesterday")
    with pytest.raises(UsageError, match="one text"):
        fabula.times(["It rained."])  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="strategy"):
        fabula.times("It rained.", strategy="poetry")


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\x00", "İ on 3 May 1911 ẞ", "9" * 5000])
def test_odd_text_is_no_trouble(text: str) -> None:
    assert all(text[t.start : t.end] == t.text for t in fabula.times(text, DATE))


# Constructs that the bundled articles showed to be read wrongly, one each.
@pytest.mark.parametrize(
    ("text", "date", "values"),
    [
        ("It broke on Friday 13 January at three in the afternoon.", "2012-02-01",
         ["2012-01-13T15:00"]),
        ("On Thursday at six in the morning he heard a knocking.", "2012-06-25",
         ["2012-06-21T06:00"]),
        ("It began on the night of Thursday 14 June.", "2012-06-22", ["2012-06-14TNI"]),
        ("It fell on 6 October at twenty-five past eleven.", "2011-10-20", ["2011-10-06T11:25"]),
        ("It struck at six on the foggy morning of 8 November.", "2011-12-01",
         ["2011-11-08T06:00"]),
        ("It happened shortly after 8:30 p. m. Thursday.", "2010-09-10", ["2010-09-09T20:30"]),
        ("He set out on 8 March. They came back on the 10th.", "2011-03-29",
         ["2011-03-08", "2011-03-10"]),
        ("It had burnt down on 2 January. He had been arrested two days afterwards.", "2011-10-20",
         ["2011-01-02", "2011-01-04"]),
        ("She came on Thursday 3 March. On Friday the stall was closed.", "2011-03-29",
         ["2011-03-03", "2011-03-04"]),
    ],
)  # fmt: skip
def test_days_and_hours_told_together(text: str, date: str, values: list[str]) -> None:
    assert [timex.value for timex in fabula.times(text, date)] == values


@pytest.mark.parametrize(
    "text",
    [
        "The party voted for her by nine to seven.",
        "They marched by night.",
        "He was sent out on the evening train.",
        "Suspicion settled on the night guard.",
        "She found that six were missing.",
    ],
)
def test_votes_trains_and_guards_are_no_times(text: str) -> None:
    assert fabula.times(text, "2011-10-20") == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("It fell at 10.40 p.m. Half an hour later they left.", ["T22:40", "T23:10"]),
        ("It fell at 10.40 p.m. An hour and a half later they left.", ["T22:40", "T00:10"]),
        ("It fell at 9 p.m. Two and a half hours later they left.", ["T21:00", "T23:30"]),
        ("It fell at 9 p.m. A quarter of an hour later they left.", ["T21:00", "T21:15"]),
        ("It fell at 9 p.m. Three quarters of an hour later they left.", ["T21:00", "T21:45"]),
        ("It fell at 9 p.m. An hour and ten minutes later they left.", ["T21:00", "T22:10"]),
    ],
)
def test_parts_of_hours_are_counted(text: str, values: list[str]) -> None:
    assert [timex.value[10:] for timex in fabula.times(text, "2024-03-06")] == values


def test_a_clock_time_is_of_the_night_the_report_is_about() -> None:
    text = (
        "A fire on Tuesday night destroyed a mill. The owner flew home yesterday morning. "
        "The roof came down at 10.40 p.m."
    )
    assert [timex.value for timex in fabula.times(text, "2024-03-07")][-1] == "2024-03-05T22:40"
    told = "The owner flew home yesterday. The roof came down at 10.40 p.m."
    assert [timex.value for timex in fabula.times(told, "2024-03-07")][-1] == "2024-03-06T22:40"


def test_a_question_in_the_present_asks_for_what_comes() -> None:
    (timex,) = fabula.times("Do you still want me on Wednesday?", "2024-03-11")
    assert timex.value == "2024-03-13"


# What articles that people wrote showed to be read wrongly, one each.
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("They waited for them on 28 November. The battle began at noon.",
         ["XXXX-11-28", "XXXX-11-28T12:00"]),
        ("It fell on 28 November. The next morning they left. Two days later it rained.",
         ["XXXX-11-28", "XXXX-11-29TMO", "XXXX-12-01"]),
        ("He wrote on 5 April at 5:00&nbsp;p.m. to his wife.", ["XXXX-04-05T17:00"]),
        ("At about 9:00 in the morning reinforcements arrived.", ["XXXX-XX-XXT09:00"]),
        ("We ask you to report tomorrow, 10 November, at 10:30 A.M.", ["XXXX-11-10T10:30"]),
        ("Aircraft came under fire at 1930h over the town.", ["XXXX-XX-XXT19:30"]),
        ("It happened at around 10:00 UTC+3.", ["XXXX-XX-XXT10:00"]),
        ("It happened at around 10:00 UTC.", ["XXXX-XX-XXT10:00Z"]),
        ("The war of 378-362 BC was long.", ["BC0378", "BC0362"]),
        ("The wars were fought between 580 and 265 BC.", ["BC0580", "BC0265"]),
        ("The next day they drew near.", ["XXXX-XX-XX"]),
        ("They prayed on Ash Wednesday.", ["XXXX-XX-XX"]),
        ("They prayed on Ash Wednesday 2024.", ["2024-02-14"]),
        ("Three-quarters of the food came by sea.", []),
        ("By midday the fort had fallen; they held it until 14 March 1968.",
         ["XXXX-XX-XXT12:00", "1968-03-14"]),
    ],
)  # fmt: skip
def test_narratives_without_a_day_of_writing(text: str, values: list[str]) -> None:
    assert [timex.value for timex in fabula.times(text)] == values


@pytest.mark.parametrize(
    ("text", "date", "values"),
    [
        ("He was let go on Dec. 11.", "2010-06-16", ["2009-12-11"]),
        ("We all came to realize it on the Fourth of July.", "1976-08-19", ["1976-07-04"]),
        ("It has changed within the last quarter of a century.", "1853-03-04", ["P100Y"]),
        ("Profits rose in the last quarter.", "2010-11-01", ["2010-Q3"]),
        ("He left on 29 February.", "2010-06-16", ["2008-02-29"]),
        ("The mayor was set on fire on Monday.", "2010-06-16", ["2010-06-14"]),
        ("The ship sank on Monday evening. On Wednesday he spoke. They were treated that night.",
         "2024-03-15", ["2024-03-11TEV", "2024-03-13", "2024-03-11TNI"]),
    ],
)  # fmt: skip
def test_reports_of_a_known_day(text: str, date: str, values: list[str]) -> None:
    assert [timex.value for timex in fabula.times(text, date)] == values
