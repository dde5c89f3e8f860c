"""Reports cut from Wikipedia articles on wars and battles: one article is one story.

A report has 100 to 120 words and ends where a sentence ends, if one ends there. Titles are not
part of it. Where more reports are asked for than the articles give, further ones are cut from the
longest articles at another place, and overlap with the first.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from benchmarks.shared import DATA
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import in_part
from fabula.text.segment.sentences import split_sentences

WIKI = DATA / "wiki_conflict.jsonl.xz"
_LEAST, _MOST = 100, 120  # words


class Report(NamedTuple):
    """A report and the article it was cut from."""

    story: str
    text: str


def cut(paragraphs: Sequence[str], rng: random.Random, offset: int = 0) -> list[str]:
    """Reports from the words of an article, from the word at ``offset`` on."""
    words: list[str] = []
    ends: set[int] = set()
    for paragraph in paragraphs:
        for sentence in split_sentences(paragraph):
            words += sentence.text.split()
            ends.add(len(words))
    reports, start = [], offset
    while len(words) - start >= _LEAST:
        end = min(start + rng.randint(_LEAST, _MOST), len(words))
        last = min(start + _MOST, len(words))
        end = next((e for e in range(start + _LEAST, last + 1) if e in ends), end)
        reports.append(" ".join(words[start:end]))
        start = end
    return reports


@cache
def reports(part: str) -> tuple[Report, ...]:
    """All reports of a part of the data, article by article in a random order; no two overlap."""
    rng = random.Random(0)
    articles = [
        [Report(document.id, text) for text in cut(document.paragraphs, rng)]
        for document in in_part(read_documents(WIKI), part)
    ]
    random.Random(1).shuffle(articles)
    return tuple(report for article in articles for report in article)


def corpus(part: str, n: int) -> list[Report]:
    """``n`` reports of whole articles (the last may be cut short), the reports shuffled."""
    chosen = list(reports(part)[:n])
    if len(chosen) < n:
        chosen += _more(part, n - len(chosen))
    random.Random(2).shuffle(chosen)
    return chosen


def small_corpora(part: str, n: int) -> list[list[Report]]:
    """Corpora of 4 to 200 reports, 1 to 8 a story; half of them are cut to a few sentences."""
    rng = random.Random(4)
    by_story: dict[str, list[str]] = {}
    for report in reports(part):
        by_story.setdefault(report.story, []).append(report.text)
    names, found = sorted(by_story), []
    for _ in range(n):
        short, some = rng.random() < 0.5, []
        for name in rng.sample(names, rng.choice([1, 2, 3, 5, 8, 12, 20, 40])):
            texts = by_story[name]
            for text in rng.sample(texts, min(len(texts), rng.randint(1, 8))):
                if short:
                    sentences = [sentence.text for sentence in split_sentences(text)]
                    text = " ".join(sentences[: rng.randint(1, 3)])
                some.append(Report(name, text))
        if len(some) > 3:
            found.append(some)
    return found


def _more(part: str, n: int) -> list[Report]:
    """Reports cut from half a report further on, of the longest articles."""
    rng, found = random.Random(3), []
    articles = sorted(
        in_part(read_documents(WIKI), part), key=lambda d: (-sum(map(len, d.paragraphs)), d.id)
    )
    for document in articles:
        texts = cut(document.paragraphs, rng, _LEAST // 2)
        found += [Report(document.id, text) for text in texts]
        if len(found) >= n:
            break
    return found[:n]


def bcubed(gold: Sequence[object], found: Sequence[object]) -> tuple[float, float, float]:
    """BCubed precision, recall and F1 (Bagga and Baldwin 1998) over documents."""
    pairs = Counter(zip(gold, found, strict=True))
    of_gold, of_found = Counter(gold), Counter(found)
    precision = sum(n * n / of_found[label] for (_, label), n in pairs.items()) / len(gold)
    recall = sum(n * n / of_gold[story] for (story, _), n in pairs.items()) / len(gold)
    return precision, recall, 2 * precision * recall / (precision + recall)
