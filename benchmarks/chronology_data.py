"""Annotated order of happening: documents with sentence pairs, from the development data.

For tuning: MEANTIME Apple, SemEval ``trial``, and documents of MEANTIME Apple and ECB+ ordered by
hand (``labels/happening.jsonl``); for reporting: TimeSET. A pair (a, b) says that
sentence a tells what happened before what b tells.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from pathlib import Path

from benchmarks.times import rows
from fabula.ordering.chronology.sentence_times import StorySentence

__all__ = [
    "OrderedDocument",
    "OrderedStory",
    "apple",
    "document_date",
    "labelled",
    "meantime",
    "news",
    "stories",
    "timelines",
    "timeset",
]

Pair = tuple[int, int]
_BEFORE = ("BEFORE", "IBEFORE", "BEGINS")
_AFTER = ("AFTER", "IAFTER", "BEGUN_BY")


@dataclass(frozen=True)
class OrderedDocument:
    name: str
    date: str | None
    sentences: tuple[str, ...]
    pairs: tuple[Pair, ...]


def _certain(pairs: set[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pair for pair in pairs if pair[::-1] not in pairs))


def timeset() -> list[OrderedDocument]:
    return [
        OrderedDocument(
            row["doc"], row["date"], tuple(row["sentences"]), tuple((a, b) for a, b in row["pairs"])
        )
        for row in rows("timeset")
    ]


def meantime(story: str = "apple") -> list[OrderedDocument]:
    documents = {row["doc"]: row for row in rows("meantime_docs") if story in row["story"]}
    pairs: dict[str, set[Pair]] = defaultdict(set)
    for row in rows("temporal_pairs_meantime"):
        if row["doc"] not in documents or row["n1"] == row["n2"]:
            continue
        if row["relation"] in _BEFORE:
            pairs[row["doc"]].add((row["n1"], row["n2"]))
        elif row["relation"] in _AFTER:
            pairs[row["doc"]].add((row["n2"], row["n1"]))
    return [
        OrderedDocument(
            name, documents[name]["date"], tuple(documents[name]["sentences"]), _certain(found)
        )
        for name, found in pairs.items()
    ]


def document_date(line: str) -> str | None:
    """The date in the second line of a SemEval document."""
    match = re.match(r"(\w+) (\d+) ?, ?(\d{4})", line.strip())
    if match is None:
        return None
    return datetime.strptime(" ".join(match.groups()), "%B %d %Y").date().isoformat()


def timelines(corpus: str = "trial") -> list[OrderedDocument]:
    """SemEval documents, with pairs of sentences whose events have different ranks."""
    documents = {
        row["doc"]: row for row in rows("timelines_semeval15_docs") if row["corpus"] == corpus
    }
    pairs: dict[str, set[Pair]] = defaultdict(set)
    for row in rows("timelines_semeval15"):
        if row["corpus"] != corpus:
            continue
        events = [
            (event["rank"], mention["doc"], mention["sentence"])
            for event in row["events"]
            for mention in event["mentions"]
            if event["rank"] and mention["doc"] in documents
        ]
        for rank, document, sentence in events:
            for other_rank, other_document, other in events:
                if document == other_document and rank < other_rank and sentence != other:
                    pairs[document].add((sentence, other))
    found = []
    for name, of_document in pairs.items():
        sentences = tuple(sentence["text"] for sentence in documents[name]["sentences"])
        found.append(
            OrderedDocument(name, document_date(sentences[1]), sentences, _certain(of_document))
        )
    return found


def news() -> list[OrderedDocument]:
    """ECB+ documents of the topics for tuning, without pairs."""
    dates = {row["doc"]: row["dct"] or "" for row in rows("timex_esc")}
    found = []
    for row in rows("ecb_docs"):
        if int(row["topic"]) % 4:
            day = re.search(r"\d{4}-\d\d-\d\d", dates.get(row["id"], ""))
            date = day[0] if day else None
            found.append(OrderedDocument(row["id"], date, tuple(row["sentences"]), ()))
    return found


@dataclass(frozen=True)
class OrderedStory:
    """The sentences of an entity's timeline, from several documents, with certain pairs."""

    entity: str
    sentences: tuple[StorySentence, ...]
    pairs: tuple[Pair, ...]


def stories(corpus: str = "trial", most: int = 80) -> list[OrderedStory]:
    """The timelines of SemEval, each as sentences; at most so many, the first of its events."""
    documents = {
        row["doc"]: row for row in rows("timelines_semeval15_docs") if row["corpus"] == corpus
    }
    found = []
    for row in rows("timelines_semeval15"):
        if row["corpus"] != corpus:
            continue
        ranks: dict[tuple[str, int], set[int]] = defaultdict(set)
        for event in row["events"]:
            for mention in event["mentions"]:
                if event["rank"] and mention["doc"] in documents:
                    ranks[mention["doc"], mention["sentence"]].add(event["rank"])
        places = sorted(ranks)[:most]
        sentences = []
        for name, number in places:
            of_document = documents[name]["sentences"]
            text = next(s["text"] for s in of_document if s["n"] == number)
            date = document_date(of_document[1]["text"])
            sentences.append(StorySentence(text, name, number, date))
        pairs = [
            (a, b)
            for a, one in enumerate(places)
            for b, two in enumerate(places)
            if max(ranks[one]) < min(ranks[two])
        ]
        found.append(OrderedStory(row["entity"], tuple(sentences), tuple(pairs)))
    return found


def apple() -> list[OrderedDocument]:
    """The documents of MEANTIME Apple, without pairs."""
    return [
        OrderedDocument(row["doc"], row["date"], tuple(row["sentences"]), ())
        for row in rows("meantime_docs")
        if "apple" in row["story"]
    ]


def labelled() -> list[OrderedDocument]:
    """Documents for tuning whose sentences were ordered by hand (``labels/happening.jsonl``).

    A chain is a list of levels of sentence numbers: what a level tells lies before what every later
    level of the chain tells. Sentences that stand in no chain together have no certain order.
    """
    of_id = {document.name: document for document in (*news(), *apple())}
    found = []
    with (Path(__file__).parent / "labels" / "happening.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["doc"] not in of_id:
                continue
            pairs = {
                (a, b)
                for chain in row["chains"]
                for earlier, later in combinations(chain, 2)
                for a in earlier
                for b in later
            }
            document = of_id[row["doc"]]
            date = document.date or row.get("date")
            found.append(replace(document, date=date, pairs=_certain(pairs)))
    return found
