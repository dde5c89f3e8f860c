"""Piles of whole documents, as salads with sources: to train ``salads/documents`` and to measure.

``python -m benchmarks.document_piles FOLDER`` writes the training piles: ECB+ topics that are not
divisible by four and the training part of ``wiki_conflict``, whose articles are cut into reports.
Ids, events and date lines of ECB+ never reach a pile.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.shared import DATA
from fabula.core.files import write_text
from fabula.salads.items import Salad
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import in_part
from fabula.text.segment.sentences import split_sentences

REAL = DATA / "real"
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE_LINE = re.compile(
    rf"^\W*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day\W+)?(?:(?:{_MONTHS})[a-z]*\.?\W+\d|"
    rf"\d{{1,2}}\W+(?:{_MONTHS})|\d{{4}}-\d\d|\d+/\d+/\d+|http|updated|published|posted)",
    re.IGNORECASE,
)


class Report(NamedTuple):
    """A document of ECB+ without what would give its event away."""

    topic: str
    event: str
    sentences: tuple[str, ...]


def ecb_documents() -> Iterator[tuple[dict[str, Any], list[tuple[int, str]]]]:
    """The documents of ECB+ as rows, with their numbered sentences but for date lines.

    None where the data is not there.
    """
    path = REAL / "ecb_docs.jsonl.xz"
    if not path.is_file():
        return
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            told = [(n, s) for n, s in enumerate(row["sentences"]) if not is_date_line(s)]
            if told:
                yield row, told


@cache
def reports() -> tuple[Report, ...]:
    """The documents of ECB+ without date lines."""
    return tuple(
        Report(row["topic"], row["event"], tuple(sentence for _, sentence in told))
        for row, told in ecb_documents()
    )


def is_date_line(sentence: str) -> bool:
    return len(sentence.split()) <= 12 and bool(_DATE_LINE.match(sentence))


def topics(*, held_out: bool) -> list[str]:
    """The topics divisible by four are held out."""
    numbers = sorted({int(report.topic) for report in reports()})
    return [str(number) for number in numbers if (number % 4 == 0) == held_out]


def events_of(topic: str) -> list[list[Report]]:
    """The reports of the two like events of a topic."""
    named = sorted({report.event for report in reports() if report.topic == topic})
    return [[r for r in reports() if r.event == event] for event in named]


def pile(name: str, stories: Sequence[Sequence[Sequence[str]]], rng: random.Random, group: str
         ) -> Salad:  # fmt: skip
    """Documents (lists of sentences) by story as one salad, the documents shuffled."""
    documents = [(label, d) for label, story in enumerate(stories) for d in story]
    rng.shuffle(documents)
    return Salad(
        id=name,
        sentences=tuple(sentence for _, document in documents for sentence in document),
        labels=tuple(label for label, document in documents for _ in document),
        sources=tuple(n for n, (_, document) in enumerate(documents) for _ in document),
        extra={"group": group},
    )


def sample(reports: Sequence[Report], n: int, rng: random.Random) -> list[tuple[str, ...]]:
    return [report.sentences for report in rng.sample(list(reports), min(n, len(reports)))]


def like_events(topic: str, n: int, rng: random.Random, name: str) -> Salad:
    """``n`` reports each of the two like events of a topic."""
    return pile(name, [sample(event, n, rng) for event in events_of(topic)], rng, topic)


def several(
    wanted: Sequence[str], stories: int, n: int, rng: random.Random, name: str, group: str
) -> Salad:
    """``n`` reports of one event in each of some topics."""
    chosen = [rng.choice(events_of(topic)) for topic in rng.sample(list(wanted), stories)]
    return pile(name, [sample(event, n, rng) for event in chosen], rng, group)


def training_piles(seed: int = 0) -> list[Salad]:
    """Piles of 1 to 20 stories; ``group`` is the topic where there is one."""
    rng = random.Random(seed)
    wanted = topics(held_out=False)
    piles = []
    for topic in wanted:
        for n in range(16):
            size = rng.choice([1, 2, 3, 3, 4, 5])
            piles.append(like_events(topic, size, rng, f"like-{topic}-{n}"))
        for n in range(10):
            event = rng.choice(events_of(topic))
            size = rng.choice([2, 3, 3, 4, 5, 6])
            piles.append(pile(f"one-{topic}-{n}", [sample(event, size, rng)], rng, topic))
    for part in range(4):  # piles of several topics, of folds that do not mix
        ours = wanted[part::4]
        for n in range(30):
            stories = rng.choice([2, 2, 3]) if n % 2 else min(len(ours), 3)
            size = rng.choice([1, 2, 3])
            group = ours[n % len(ours)]
            stories = min(stories, len(ours))
            piles.append(several(ours, stories, size, rng, f"few-{part}-{n}", group))
    for n in range(90):
        events = [event for topic in wanted for event in events_of(topic)]
        stories = rng.choice([3, 4, 4, 5, 6, 8, 10, 12, 16, 20])
        chosen = [
            sample(e, rng.choice([1, 2, 3, 3, 4, 5]), rng) for e in rng.sample(events, stories)
        ]
        piles.append(pile(f"many-{n}", chosen, rng, f"many-{n % 8}"))
    return piles + _article_piles(rng, 200)


def article_sentences(least: int) -> dict[str, list[list[str]]]:
    """The openings of the training articles by war, in sentences; those of at least so many."""
    by_war: dict[str, list[list[str]]] = {}
    for document in in_part(read_documents(DATA / "wiki_conflict.jsonl.xz"), "train"):
        if document.category:
            sentences = [s.text for p in document.paragraphs[:8] for s in split_sentences(p)]
            if len(sentences) >= least:
                by_war.setdefault(document.category, []).append(sentences[:40])
    return by_war


def _article_piles(rng: random.Random, n: int) -> list[Salad]:
    """Articles on wars and battles, of one war or of several, each cut into reports."""
    by_war: dict[str, list[list[str]]] = {}
    for document in in_part(read_documents(DATA / "wiki_conflict.jsonl.xz"), "train"):
        if document.category:
            by_war.setdefault(document.category, []).append(list(document.paragraphs))
    wars = sorted(war for war in by_war if len(by_war[war]) >= 2)
    piles = []
    for number in range(n):
        if rng.random() < 0.5:
            war = rng.choice(wars)
            articles = rng.sample(by_war[war], min(len(by_war[war]), rng.choice([2, 2, 3, 4])))
        else:
            chosen = rng.sample(wars, rng.choice([1, 2, 3, 5, 8, 12]))
            articles = [rng.choice(by_war[war]) for war in chosen]
        stories = [_cut(article, rng) for article in articles]
        stories = [story for story in stories if story]
        if sum(map(len, stories)) > 1:
            piles.append(pile(f"articles-{number}", stories, rng, f"articles-{number % 8}"))
    return piles


def _cut(paragraphs: Sequence[str], rng: random.Random) -> list[list[str]]:
    """One to three reports of 3 to 9 sentences from the opening of an article."""
    sentences = [s.text for p in paragraphs for s in split_sentences(p)][:24]
    parts, start = [], 0
    while len(sentences) - start >= 3:
        length = rng.randint(3, 9)
        parts.append(sentences[start : start + length])
        start += length
    return rng.sample(parts, min(len(parts), rng.choice([1, 2, 3])))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps(salad.to_row(), ensure_ascii=False) for salad in training_piles()]
    write_text(folder / "piles.jsonl", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
