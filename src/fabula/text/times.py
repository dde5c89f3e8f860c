"""``times``: text in, its time expressions out; the temporal tagger over spaCy's parse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from fabula.answer import AnswerList
from fabula.errors import UsageError
from fabula.text.temporal.tagger import Timex, tag_times

__all__ = ["STRATEGIES", "check_date", "times", "times_of_texts"]

STRATEGIES = ("auto", "news", "narrative")


def times(text: str, date: str | None = None, *, strategy: str = "auto") -> AnswerList[Timex]:
    """The time expressions of a text, typed and normalised as TIMEX3, in the order of the text.

    ``date`` is the document's (YYYY-MM-DD). With it, open dates are told from it by the tense
    (``strategy="news"``); without it, from the time last spoken of (``"narrative"``).
    """
    if not isinstance(text, str):
        raise UsageError(f"times takes one text; it is a {type(text).__name__}")
    (found,) = times_of_texts([text], [date], strategy=strategy)
    return AnswerList(found, "times", columns=[field.name for field in fields(Timex)])


def times_of_texts(
    texts: Iterable[str], dates: Iterable[str | None], *, strategy: str = "auto"
) -> Iterator[list[Timex]]:
    """``times`` of many texts, parsed in batches."""
    from fabula.text.parse.parsed import Parsed
    from fabula.text.parse.pipeline import Parser

    if strategy not in STRATEGIES:
        raise UsageError(f"strategy takes {', '.join(STRATEGIES)}; it is {strategy!r}")
    dates = [check_date(date) for date in dates]
    parses = Parser().each(Parsed.of, texts)
    for parsed, date in zip(parses, dates, strict=True):
        yield tag_times(parsed, date, strategy)


def check_date(date: str | None) -> str | None:
    """A document's date as given; anything else than YYYY[-MM[-DD]] is refused."""
    from datetime import date as calendar_date

    if date is None:
        return None
    head = date[:10]
    try:
        calendar_date.fromisoformat(f"{head}-01-01"[:10] if len(head) in (4, 7) else head)
    except ValueError as error:
        raise UsageError(
            f"a date is written YYYY, YYYY-MM or YYYY-MM-DD; it is {date!r:.40}"
        ) from error
    return date
