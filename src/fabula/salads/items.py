"""A salad: the mixed sentences of several documents, and a model's grouping of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol

from fabula.errors import InputError, UsageError
from fabula.task import View, read_answers
from fabula.text.io.records import Record, read_records

__all__ = [
    "Events", "Grouping", "Salad", "SaladModel", "call", "check",
    "check_grouping", "present", "read_grouping", "read_salads",
]  # fmt: skip

Events = tuple[tuple[tuple[str, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Salad:
    """Mixed sentences. ``labels`` is gold and None when a model sees the salad.

    ``also`` holds further correct labels of a sentence that occurs in more than one source.
    ``stories`` is the number of stories, None when the model has to choose it. ``events`` is the
    event form: for each sentence its tuples (verb, subject, object, preposition, its object, ...).
    ``sources`` is the number of the document each sentence came in, where documents were kept
    whole; their sentences then stand in their own order.
    """

    id: str
    sentences: tuple[str, ...]
    labels: tuple[int, ...] | None = None
    also: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    stories: int | None = None
    documents: tuple[str, ...] = ()
    positions: tuple[int, ...] = ()
    cosine: float | None = None
    events: Events | None = None
    sources: tuple[int, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def right_labels(self, index: int) -> tuple[int, ...]:
        """All correct labels of a sentence."""
        if self.labels is None:
            raise UsageError(f"salad {self.id!r} has no labels; it cannot be scored")
        return (self.labels[index], *self.also.get(index, ()))

    def to_row(self) -> dict[str, Any]:
        """The salad as a JSON row (docs: file formats); empty optional fields are left out."""
        row: dict[str, Any] = {"id": self.id, "sentences": list(self.sentences)}
        if self.labels is not None:
            row["labels"] = list(self.labels)
        if self.also:
            row["also"] = {str(index): list(more) for index, more in sorted(self.also.items())}
        if self.stories is not None:
            row["stories"] = self.stories
        row["documents"] = list(self.documents)
        if self.positions:
            row["positions"] = list(self.positions)
        if self.cosine is not None:
            row["cosine"] = self.cosine
        if self.events is not None:
            row["events"] = [[list(event) for event in sentence] for sentence in self.events]
        if self.sources:
            row["sources"] = list(self.sources)
        return {**row, **self.extra}


@dataclass(frozen=True, slots=True)
class Grouping:
    """A model's answer: for each sentence its story (from 0) and the probability of it."""

    labels: tuple[int, ...]
    probabilities: tuple[float, ...]

    @property
    def stories(self) -> int:
        return len(set(self.labels))


def read_salads(path: str | PathLike[str]) -> Iterator[Salad]:
    """Salads from JSONL or Parquet, one at a time; a wrong row is an error with its line."""
    for record in read_records(path):
        try:
            yield _salad(record)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(_explain(error), path=path, line=record.line) from error


_FIELDS = {
    "id", "sentences", "labels", "also", "stories", "documents", "positions", "cosine", "events",
    "sources",
}  # fmt: skip


def _salad(record: Record) -> Salad:
    row = record.data
    sentences = _strings(row, "sentences")
    labels = row.get("labels")
    if labels is not None:
        labels = _integers(labels, "labels")
        if len(labels) != len(sentences):
            raise ValueError(f"{len(labels)} labels for {len(sentences)} sentences")
    stories = row.get("stories")
    if stories is None and labels is not None:
        stories = len(set(labels))
    if stories is not None and (type(stories) is not int or stories < 1):
        raise ValueError(f"'stories' must be a number from 1; it is {stories!r}")
    positions = _integers(row.get("positions") or [], "positions")
    if positions and len(positions) != len(sentences):
        raise ValueError(f"{len(positions)} positions for {len(sentences)} sentences")
    sources = _integers(row.get("sources") or [], "sources")
    if sources and len(sources) != len(sentences):
        raise ValueError(f"{len(sources)} sources for {len(sentences)} sentences")
    documents, cosine = row.get("documents") or [], row.get("cosine")
    if not isinstance(documents, list):
        raise ValueError("'documents' must be a list of ids")
    if cosine is not None and type(cosine) not in (int, float):
        raise ValueError(f"'cosine' must be a number; it is {cosine!r}")
    return Salad(
        id=str(record.line if row.get("id") is None else row["id"]),
        sentences=sentences,
        labels=labels,
        also=_also(row.get("also") or {}, len(sentences)),
        stories=stories,
        documents=tuple(map(str, documents)),
        positions=positions,
        cosine=cosine,
        events=_events(row.get("events"), len(sentences)),
        sources=sources,
        extra={key: value for key, value in row.items() if key not in _FIELDS},
    )


def _also(values: Any, sentences: int) -> dict[int, tuple[int, ...]]:
    if isinstance(values, list) and all(isinstance(pair, Mapping) for pair in values):
        # As files without a type of mappings have it.
        values = {pair["key"]: pair["value"] for pair in values}
    if not isinstance(values, Mapping) or not all(str(key).isdecimal() for key in values):
        raise ValueError("'also' must map the number of a sentence to a list of labels")
    also = {int(key): _integers(more, "also") for key, more in values.items() if more}
    if any(index >= sentences for index in also):
        raise ValueError(f"'also' names a sentence outside 0..{sentences - 1}")
    return also


def _events(values: Any, sentences: int) -> Events | None:
    if values is None:
        return None
    if not isinstance(values, list) or len(values) != sentences:
        raise ValueError(f"'events' must be a list with an entry for each of {sentences} sentences")
    for events in values:
        if not isinstance(events, list) or not all(
            isinstance(event, list) and event and all(isinstance(word, str) for word in event)
            for event in events
        ):
            raise ValueError(
                "'events' must hold for each sentence a list of events, each a list of strings: "
                "verb, subject, object, preposition, its object, ..."
            )
    return tuple(tuple(map(tuple, events)) for events in values)


def _strings(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
    values = row[key]
    if not isinstance(values, list) or not values or not all(isinstance(v, str) for v in values):
        raise ValueError(f"{key!r} must be a list of at least one string")
    return tuple(values)


def _integers(values: Any, key: str) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(v) is int and v >= 0 for v in values):
        raise ValueError(f"{key!r} must be a list of numbers from 0")
    return tuple(values)


def _explain(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def present(salad: Salad, rng: random.Random, options: Mapping[str, Any]) -> View[Salad, Grouping]:
    """The salad without gold, its sentences shuffled again; ``unknown_k`` hides the number.

    Of a salad with sources the documents are shuffled, and each keeps its order.
    """
    shuffled = list(range(len(salad.sentences)))
    rng.shuffle(shuffled)
    if salad.sources:
        order = {source: rank for rank, source in enumerate(dict.fromkeys(
            salad.sources[i] for i in shuffled))}  # fmt: skip
        shuffled.sort(key=lambda i: (order[salad.sources[i]], i))
    hidden = Salad(
        id=salad.id,
        sentences=tuple(salad.sentences[i] for i in shuffled),
        stories=None if options.get("unknown_k") else salad.stories,
        events=None if salad.events is None else tuple(salad.events[i] for i in shuffled),
        sources=tuple(order[salad.sources[i]] for i in shuffled) if salad.sources else (),
    )

    def restore(grouping: Grouping) -> Grouping:
        position = sorted(range(len(shuffled)), key=shuffled.__getitem__)
        return replace(
            grouping,
            labels=tuple(grouping.labels[i] for i in position),
            probabilities=tuple(grouping.probabilities[i] for i in position),
        )

    return View(hidden, restore)


def check_grouping(grouping: Grouping, what: str, n: int, parts: str) -> None:
    """Refuse a grouping without one label and one probability in [0, 1] for each of ``n`` parts."""
    if len(grouping.labels) != n or len(grouping.probabilities) != n:
        raise UsageError(
            f"{what} has {n} {parts}; the model gave {len(grouping.labels)} labels "
            f"and {len(grouping.probabilities)} probabilities"
        )
    if not all(0.0 <= p <= 1.0 for p in grouping.probabilities):
        raise UsageError(f"{what}: a probability is outside 0..1")


def check(salad: Salad, grouping: Grouping) -> None:
    """Refuse an answer without one label and one probability in [0, 1] for each sentence."""
    check_grouping(grouping, f"salad {salad.id!r}", len(salad.sentences), "sentences")
    if salad.stories is not None and grouping.stories > salad.stories:
        raise UsageError(
            f"salad {salad.id!r}: {salad.stories} stories were asked for, {grouping.stories} came"
        )


class SaladModel(Protocol):
    """The contract of a salad model. ``salad.stories`` is None when the model has to choose k."""

    def group(self, salads: list[Salad], /) -> Sequence[Grouping]: ...


def read_grouping(salad: Salad, value: Any) -> Grouping:
    """A grouping from ``labels``, with or without ``probabilities``, or from the labels alone.

    >>> read_grouping(Salad("a", ("x", "y")), [0, 1])
    Grouping(labels=(0, 1), probabilities=(1.0, 1.0))
    """
    if isinstance(value, Grouping):
        return value
    row = value if isinstance(value, Mapping) else {"labels": value}
    labels = _integers(_plain(row["labels"]), "labels")
    probabilities = _plain(row.get("probabilities")) or [1.0] * len(labels)
    return Grouping(labels, tuple(map(float, probabilities)))


def _plain(values: Any) -> Any:
    """A list of a tuple or an array."""
    return (
        list(values) if isinstance(values, tuple) else getattr(values, "tolist", lambda: values)()
    )


def call(model: SaladModel, salads: Sequence[Salad]) -> list[Grouping]:
    """The groupings of a model, one for each salad; labels alone will do."""
    return read_answers(salads, model.group(list(salads)), read_grouping)
