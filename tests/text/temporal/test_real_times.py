"""Each construct of time on sentences that people wrote, with values decided by reading them.

The texts are the development data's and not ours to keep: ``real_times.jsonl`` has the document,
the place of the paragraph in it, the characters of the expression and its values. What is still
read wrongly is there as well, as missed.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fabula.text.times import times_of_texts

DATA = Path(__file__).parents[4] / "shared" / "data"
FILES = {
    "wiki_conflict": (DATA / "wiki_conflict.jsonl.xz", "id", "paragraphs"),
    "speeches": (DATA / "speeches.jsonl.xz", "id", "paragraphs"),
    "meantime_docs": (DATA / "real" / "meantime_docs.jsonl.xz", "doc", "sentences"),
}
ROWS = [
    json.loads(line)
    for line in Path(__file__)
    .with_name("real_times.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
CONSTRUCTS = sorted({row["construct"] for row in ROWS})
here = pytest.mark.skipif(
    not all(path.is_file() for path, _, _ in FILES.values()),
    reason="needs the development data in ../shared/data",
)


@cache
def texts(source: str) -> dict[tuple[str, int], tuple[str, str | None]]:
    """The text and the date of each place that is tested. An article has no day of writing."""
    path, name, parts = FILES[source]
    wanted = defaultdict(set)
    for row in ROWS:
        if row["source"] == source:
            wanted[row["id"]].add(row["place"])
    found: dict[tuple[str, int], tuple[str, str | None]] = {}
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            document: dict[str, Any] = json.loads(line)
            date = None if source == "wiki_conflict" else document["date"]
            for place in wanted.get(document[name], ()):
                found[document[name], place] = document[parts][place], date
    return found


def test_each_construct_has_ten_sentences() -> None:
    counts = Counter(row["construct"] for row in ROWS if not row.get("missed"))
    assert min(counts.values()) >= 10 and len(counts) == 14
    assert sum(bool(row.get("missed")) for row in ROWS) <= 4


@here
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_times_in_sentences_that_people_wrote(construct: str) -> None:
    rows = [row for row in ROWS if row["construct"] == construct and not row.get("missed")]
    places = [texts(row["source"])[row["id"], row["place"]] for row in rows]
    answers = times_of_texts([text for text, _ in places], [date for _, date in places])
    wrong = []
    for row, found in zip(rows, answers, strict=True):
        start, end = row["span"]
        values = [t.value for t in found if t.start < end and start < t.end]
        if values != row["values"]:
            wrong.append((row["id"], row["place"], values, row["values"]))
    assert not wrong
