"""Cues of a dated report, and times that a sentence tells in another clause than its main one."""

import numpy as np
import pytest

from fabula.ordering.chronology.cues import CUES, cues_of
from fabula.ordering.chronology.sentence_times import StorySentence, read_times
from fabula.ordering.chronology.solver import find_chronology
from fabula.ordering.chronology.story_calendar import place_times


def report(*texts: str, date: str | None = "2012-03-01") -> list[StorySentence]:
    return [StorySentence(text, "report", place, date) for place, text in enumerate(texts)]


def cue(name: str, sentences: list[StorySentence]) -> list[float]:
    read = read_times(sentences)
    none = [[0.0] * len(sentences)] * len(sentences)
    placed = place_times(read, np.array(none))
    return list(cues_of(sentences, read, placed)[:, CUES.index(name)])


def test_what_goes_on_after_a_time_long_past_is_background() -> None:
    sentences = report(
        "The mob boss died in prison on Monday.",
        "A jury found him guilty in 1997.",
        "He was sentenced to twelve years.",
        '"He was the last of them," said a detective.',
    )
    background = cue("background", sentences)
    assert background[2] > 0
    assert background[0] == background[1] == background[3] == 0.0


def test_a_dated_report_is_not_kept_in_the_order_of_its_text() -> None:
    texts = (
        "The mine will close next year.",
        "Officials previously rejected the offer.",
    )
    assert find_chronology(report(*texts), model=None).order == (1, 0)
    assert find_chronology(report(*texts, date=None), model=None).order == (0, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("He was let go on Dec. 11.", "2011-12-11"),
        ("The firm posted on Twitter that it was restored on 11 October.", "2011-10-11"),
        ("By 8.30am crews were using cameras.", "2012-03-01T08:30"),
    ],
)
def test_a_time_in_the_clause_that_tells_the_event(text: str, value: str) -> None:
    (read,) = read_times(report(text))
    assert read.event.value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The trial is scheduled for June.", "2012-06"),
        ("A hearing was scheduled for June 3.", "2012-06-03"),
        ("The trial is scheduled to begin in June.", "2012-06"),
        ("The hearing is set to begin on Friday.", "2012-03-02"),
        ("The service is intended to launch in the autumn of 2012.", "2012-FA"),
        ("The bridge is to be closed next month.", "2012-04"),
        ("He was expected to arrive on Sunday.", "2012-03-04"),
    ],
)
def test_what_is_scheduled_is_planned_and_lies_ahead(text: str, value: str) -> None:
    sentences = report(text)
    read = read_times(sentences)
    (placed,) = place_times(read, np.zeros((1, 1)))
    assert placed.value == value
    assert placed.planned


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The suit claims that the firm violated the 1991 agreement.", "guess"),
        ("Woman Convicted of Double Murder In 2010 Kraft Foods Rampage In Philadelphia", "guess"),
        ("The woman had just been escorted out 10 minutes earlier.", "guess"),
        ("People think nobody looks out of the window at two in the morning.", "document"),
        ("In 2010 Apple released a tablet.", "told"),
    ],
)
def test_a_time_that_may_not_be_when_is_a_guess(text: str, source: str) -> None:
    (read,) = read_times(report(text))
    assert read.source == source


def test_a_day_that_comes_back_every_year_dates_nothing() -> None:
    (read,) = read_times(report("The liberation is annually celebrated on 24 May.", date=None))
    assert read.event.value == ""
    (read,) = read_times(report("A boat takes over on Friday with two crossings a day."))
    assert read.event.value == "2012-03-02"


def test_a_former_job_is_not_an_earlier_event() -> None:
    (noun, adverb) = read_times(
        report("A former employee opened fire.", "He previously worked in a bank.")
    )
    assert (noun.earlier, adverb.earlier) == (False, True)
