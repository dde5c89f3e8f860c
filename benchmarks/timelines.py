"""Dates and order of events across documents (SemEval-2015 task 4), mentions given.

    python -m benchmarks timelines

``corpus_1`` is for reporting, ``trial`` was for tuning. A date is right if it begins with the
digits the gold has. A pair of one entity's events with different ranks is right if the earlier has
the earlier time; of equal or unknown times, the document's date and place decide.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from benchmarks.chronology_data import document_date
from benchmarks.shared import measured
from benchmarks.times import rows
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser
from fabula.text.temporal.event_time import SOURCES, EventTimes
from fabula.text.temporal.interval import interval_of
from fabula.text.temporal.tagger import tag_times
from fabula.types import Sentence

BARS = {"dates": 0.7, "order": 0.85}
Key = tuple[float, str, int]


class Documents:
    """The parsed documents of a corpus."""

    def __init__(self, corpus: str) -> None:
        found = [row for row in rows("timelines_semeval15_docs") if row["corpus"] == corpus]
        texts = [[Sentence(s["text"]) for s in row["sentences"]] for row in found]
        self.read: dict[str, tuple[Parsed, EventTimes, list[int], str]] = {}
        for row, parsed in zip(found, Parser().each(Parsed.of, texts), strict=True):
            date = document_date(row["sentences"][1]["text"])
            times = EventTimes(parsed, tag_times(parsed, date), date)
            numbers = [s["n"] for s in row["sentences"]]
            self.read[row["doc"]] = parsed, times, numbers, date or ""

    def event(self, mention: dict[str, Any]) -> tuple[int, str, Key] | None:
        """(rank of its source, value, key to sort by) of a mention; None where it is not found."""
        if mention["doc"] not in self.read:
            return None
        parsed, times, numbers, date = self.read[mention["doc"]]
        token = _token(parsed, numbers.index(mention["sentence"]), mention["word"])
        if token is None:
            return None
        found = times.of(token)
        value = found.value or found.not_after
        interval = interval_of(value) if value else None
        own = interval_of(date) if date else None
        known = interval if interval is not None and interval.frame == "date" else own
        middle = (known.earliest + known.latest) / 2 if known is not None else 0.0
        rank = SOURCES.index(found.source) if found.source else len(SOURCES)
        return rank, found.value, (middle, date, token)


def _token(parsed: Parsed, sentence: int, word: str) -> int | None:
    first, last = parsed.bounds()[sentence]
    wanted = word.lower().split()[0]
    exact = [t for t in range(first, last) if parsed.words[t].lower() == wanted]
    part = [t for t in range(first, last) if wanted in parsed.words[t].lower()]
    return next(iter([*exact, *part]), None)


def score(corpus: str) -> dict[str, tuple[int, int]]:
    """Right and all: dates of dated events, and ordered pairs."""
    documents = Documents(corpus)
    dates = [0, 0]
    order = [0, 0]
    for row in rows("timelines_semeval15"):
        if row["corpus"] != corpus:
            continue
        ranked: list[tuple[int, Key]] = []
        for event in row["events"]:
            mentions = [m for m in map(documents.event, event["mentions"]) if m is not None]
            digits = event["date"].replace("-XX", "").strip("X")
            best = min(mentions, key=lambda m: m[0], default=None)
            if digits:
                dates[1] += 1
                dates[0] += best is not None and best[1].startswith(digits)
            if event["rank"] and best is not None:
                ranked.append((event["rank"], best[2]))
        for (one, first), (two, second) in combinations(ranked, 2):
            if one != two:
                order[1] += 1
                order[0] += (first < second) == (one < two)
    return {"dates": (dates[0], dates[1]), "order": (order[0], order[1])}


def run(quick: bool) -> list[dict[str, Any]]:
    if not rows("timelines_semeval15"):
        return [measured("timelines", None, note="the development data is not here")]
    lines = []
    for name, (right, total) in score("corpus_1").items():
        share = right / total
        note = f"{right} of {total}"
        lines.append(
            measured(f"timelines: {name}", share, None, BARS[name], share >= BARS[name], note)
        )
    return lines
