"""Headings: a document's sentences in, those that head a section or date an entry out.

Minutes, agendas and digests number their items, and each may be about something else. Diaries, logs
and chronicles write a date above what happened on it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from fabula.text.io.dates import date_in, date_near
from fabula.text.lexicon import words
from fabula.text.temporal.lexicon import WEEKDAY
from fabula.types import Sentence

__all__ = [
    "dated_headings",
    "is_report",
    "numbered_headings",
    "plain_headings",
    "timed_headings",
]

_NUMBERED = re.compile(
    r"(?:(?:Item|Section|Part|Agenda item|Point|Topic|No\.)\s+)?(?P<number>\d{1,2})\s*[.):–—-]?\s+"
    r"[A-Z0-9\"“‘](?:[^.!?]|\.(?=\d))*[^.!?:;,…]",
)
_MONTH = r"[A-Z][a-z]{2,8}\.?"  # what is no month has no date
_DATE = re.compile(
    rf"(?:(?i:{WEEKDAY}),? )?(?:the )?(?P<day>\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|"
    rf"{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?)(?P<year>,? \d{{4}})?[.:]?|\d{{4}}-\d\d-\d\d:?"
)
_CLOCK = re.compile(
    r"(?P<hour>[01]?\d|2[0-3])(?:[:.h](?P<minute>[0-5]\d))? ?(?P<half>[ap]\.?m\b\.?)?"
    r"(?: ?\(?[A-Z]{2,4}\)?)?[:.–—-]?",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[A-Z][^.!?:;,…|•]*[^\W_]")
_HEADLINE = re.compile(r"[A-Z0-9\"“‘](?:[^.!?…|•]|\.(?=\d))*[^\W_][\"”’)]?")
# Headings of the parts of one report.
_PARTS = words(
    """abstract analysis annex appendix assessment background chronology circumstances cause causes
    conclusion conclusions context details discussion evidence events facts findings history
    introduction investigation limitations lessons method methods outcome overview purpose
    recommendation recommendations response results scope sequence summary timeline"""
)
_ENDED = re.compile(r"[.!?…][\"'”’)\]]*$")
_MOST_WORDS = 10
_FEWEST = 2  # headings
_MOST_PLAIN_WORDS = 6
_MOST_HEADLINE_WORDS = 14
_BELOW_HEADLINE = 2  # sentences, on average
_FEWEST_BELOW = 6  # words of the sentence below a plain heading
_LARGEST_GAP = 2  # between two numbers: an item may have been left out


def numbered_headings(sentences: Sequence[Sentence]) -> list[int]:
    """The indices of a document's headings: numbered lines of a few words, the numbers rising, each
    alone on its line, without the end of a sentence, and with prose below the most of them.

    >>> lines = ["1. Fair", "The fair is on Saturday.", "2. Shed", "The lock was forced."]
    >>> numbered_headings([Sentence(text, line=at) for at, text in enumerate(lines)])
    [0, 2]
    """
    headings, numbers = list[int](), list[int]()
    for at in _alone(sentences):
        match = _NUMBERED.fullmatch(sentences[at].text)
        if match and len(sentences[at].text.split()) <= _MOST_WORDS:
            headings.append(at)
            numbers.append(int(match["number"]))
    rising = all(0 < b - a <= _LARGEST_GAP for a, b in pairwise(numbers))
    if len(headings) < _FEWEST or not rising or numbers[0] > _LARGEST_GAP:
        return []
    below = [at + 1 for at in headings if at + 1 < len(sentences)]
    prose = sum(_ENDED.search(sentences[at].text) is not None for at in below)
    return headings if 2 * prose >= len(headings) else []


def plain_headings(sentences: Sequence[Sentence]) -> list[int]:
    """The indices of headings without numbers: lines of up to six words, no two the same, that have
    a paragraph to themselves and prose above and below them. The headlines of a digest may be
    longer, if what stands below each is more than a sentence.

    >>> lines = ["Leak", "Gas escaped in hall B on Friday.", "Food", "Lunch is to cost 5 euros."]
    >>> plain_headings([Sentence(text, paragraph=at) for at, text in enumerate(lines)])
    [0, 2]
    """
    headlines = _heading_lines(sentences, _HEADLINE, _MOST_HEADLINE_WORDS)
    if len(sentences) - len(headlines) >= _BELOW_HEADLINE * len(headlines) > 0:
        return headlines
    return _heading_lines(sentences, _PLAIN, _MOST_PLAIN_WORDS)


def _heading_lines(
    sentences: Sequence[Sentence], form: re.Pattern[str], most_words: int
) -> list[int]:
    """The indices of the lines of a form between prose, if there are several and all differ."""
    in_paragraph = Counter(sentence.paragraph for sentence in sentences)
    headings = []
    for at, sentence in enumerate(sentences[:-1]):
        text, below = sentence.text, sentences[at + 1].text
        if (
            in_paragraph[sentence.paragraph] == 1
            and len(text.split()) <= most_words
            and form.fullmatch(text)
            and len(below.split()) >= _FEWEST_BELOW
            and _ENDED.search(below)
            and (at == 0 or _ENDED.search(sentences[at - 1].text))
        ):
            headings.append(at)
    distinct = len({sentences[at].text.lower() for at in headings}) == len(headings)
    return headings if len(headings) >= _FEWEST and distinct else []


def is_report(headings: Sequence[str]) -> bool:
    """Whether half of the headings or more name parts of one report: background, findings.

    >>> is_report(["1. Background", "2. Findings", "3. The valve"]), is_report(["1. Fair"])
    (True, False)
    """
    parts = sum(any(w in _PARTS for w in re.findall(r"[a-z]+", h.lower())) for h in headings)
    return 2 * parts >= len(headings) > 0


def dated_headings(sentences: Sequence[Sentence], date: str | None = None) -> dict[int, str]:
    """The indices of a document's date lines, where there are several, with their days (ISO).

    A date without a year is of the year that brings it nearest to the one before it, or to the
    document's own; where there is none, no line counts.

    >>> lines = ["11 December 1862", "The bridges were laid.", "13 December", "Fog till ten."]
    >>> dated_headings([Sentence(text, line=at) for at, text in enumerate(lines)])
    {0: '1862-12-11', 2: '1862-12-13'}
    """
    lines = [
        (at, match) for at in _alone(sentences) if (match := _DATE.fullmatch(sentences[at].text))
    ]
    if len(lines) < _FEWEST or len(lines) == len(sentences):
        return {}
    headings: dict[int, str] = {}
    before = date if date and len(date) >= len("2024-06-04") else None
    for at, match in lines:
        text = match[0].rstrip(".:")
        day = date_in(text) or (
            date_near(match["day"], [before[:10]]) if match["day"] and before else None
        )
        if day is None:
            return {}
        headings[at] = before = day
    return headings


def timed_headings(sentences: Sequence[Sentence]) -> dict[int, int]:
    """The indices of the lines of a live blog or log that are clock times alone, where there are
    several with text between them, and the minutes since midnight.

    >>> lines = ["9.10 am", "Smoke is seen.", "2:45 pm", "The fire is out."]
    >>> timed_headings([Sentence(text, line=at) for at, text in enumerate(lines)])
    {0: 550, 2: 885}
    """
    found: dict[int, int] = {}
    for at in _alone(sentences):
        match = _CLOCK.fullmatch(sentences[at].text)
        if match and (match["minute"] or match["half"]):
            hour = int(match["hour"])
            if match["half"]:
                hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
            found[at] = 60 * hour + int(match["minute"] or 0)
    return found if _FEWEST <= len(found) <= len(sentences) / 2 else {}


def _alone(sentences: Sequence[Sentence]) -> list[int]:
    """The indices of sentences that have a line to themselves."""
    on_line = Counter((sentence.paragraph, sentence.line) for sentence in sentences)
    return [at for at, s in enumerate(sentences) if on_line[s.paragraph, s.line] == 1]
