"""Documents to pairs: sentences of two documents of a topic, in the shape of ECB+.

A document names its ``topic`` (or ``category``) and its ``event``. Two sentences of one event's
documents may mention one event, so they are not labelled; of two like events' documents they do
not (``same`` false). Annotated sentences (``mentions``: for each sentence the ids of the event
mentions in it, shared across documents) are labelled both ways.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from fabula.errors import InputError, UsageError
from fabula.pairs.items import Pair

__all__ = ["TopicDocument", "build_pairs", "read_topic_documents"]


@dataclass(frozen=True, slots=True)
class TopicDocument:
    """A document of one event of a topic, sentence by sentence, with its mentions if known."""

    id: str
    topic: str
    event: str
    sentences: tuple[str, ...]
    mentions: tuple[frozenset[str], ...] | None = None


def read_topic_documents(path: str | PathLike[str]) -> Iterator[TopicDocument]:
    """Documents of a JSONL or Parquet file: ``id``, ``topic``, ``event``, ``sentences`` and, where
    annotated, ``mentions``."""
    from fabula.text.io.records import read_records

    for record in read_records(path):
        try:
            yield _document(record.data, record.line)
        except UsageError as error:
            raise InputError(str(error), path=path, line=record.line) from error


def _document(row: Mapping[str, Any], line: int) -> TopicDocument:
    topic = row.get("topic", row.get("category"))
    sentences, mentions = row.get("sentences"), row.get("mentions")
    if topic is None or row.get("event") is None:
        raise UsageError("pairs are built of documents that name their 'topic' and their 'event'")
    if not isinstance(sentences, list) or not all(isinstance(s, str) for s in sentences):
        raise UsageError("'sentences' must be a list of texts")
    if mentions is not None and (not isinstance(mentions, list) or len(mentions) != len(sentences)):
        raise UsageError("'mentions' must be a list with the event mentions of each sentence")
    return TopicDocument(
        str(row.get("id", line)),
        str(topic),
        str(row["event"]),
        tuple(sentences),
        None if mentions is None else tuple(frozenset(map(str, ids)) for ids in mentions),
    )


def build_pairs(
    documents: Iterable[TopicDocument],
    *,
    n: int | None = None,
    context: bool = False,
    seed: int = 0,
) -> list[Pair]:
    """At most ``n`` pairs, drawn evenly over the topics; as many ``same`` as not, where labelled.

    ``context`` adds the texts of both documents.
    """
    topics: dict[str, list[TopicDocument]] = {}
    for document in documents:
        topics.setdefault(document.topic, []).append(document)
    rng = random.Random(seed)
    drawn = [_drawn(topics[topic], rng, context) for topic in sorted(topics)]
    pairs = [pair for row in _round_robin(drawn) for pair in row][:n]
    return [replace(pair, id=str(number)) for number, pair in enumerate(pairs, 1)]


def _drawn(
    documents: Sequence[TopicDocument], rng: random.Random, context: bool
) -> list[list[Pair]]:
    """The pairs of a topic, in groups of one ``same`` and one not, as far as there are both."""
    by_answer: dict[bool | None, list[Pair]] = {True: [], False: [], None: []}
    for at, first in enumerate(documents):
        for second in documents[at + 1 :]:
            for i, a in enumerate(first.sentences):
                for j, b in enumerate(second.sentences):
                    same = _same(first, i, second, j)
                    texts = ("\n".join(first.sentences), "\n".join(second.sentences))
                    contexts = texts if context else (None, None)
                    by_answer[same].append(Pair("", a, b, None, same, *contexts))
    for pairs in by_answer.values():
        rng.shuffle(pairs)
    if not by_answer[True]:  # nothing is annotated: the like events' pairs, and unlabelled ones
        return [list(both) for both in zip(by_answer[False], by_answer[None], strict=False)]
    return [list(both) for both in zip(by_answer[True], by_answer[False], strict=False)]


def _same(first: TopicDocument, i: int, second: TopicDocument, j: int) -> bool | None:
    if first.mentions is not None and second.mentions is not None:
        return bool(first.mentions[i] & second.mentions[j])
    return False if first.event != second.event else None


def _round_robin(rows: Sequence[Sequence[list[Pair]]]) -> Iterator[list[Pair]]:
    for at in range(max((len(row) for row in rows), default=0)):
        yield from (row[at] for row in rows if at < len(row))
