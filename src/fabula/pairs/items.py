"""A pair item: two sentences, how the second follows from the first, and if they share an event."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, NamedTuple, Protocol

from fabula.errors import InputError, UsageError
from fabula.task import View

__all__ = [
    "LABELS",
    "NEGATED",
    "Pair",
    "PairModel",
    "Relation",
    "check",
    "parse_pair",
    "present",
    "read_pairs",
    "read_relation",
    "with_answers",
]

LABELS = ("entailment", "neutral", "contradiction")  # the order of a model's three probabilities
NEGATED = {"not_entailment": "entailment", "not_contradiction": "contradiction"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences. ``label`` and ``same`` are None when a model sees them, or if not labelled.

    ``label`` is one of ``LABELS`` or a key of ``NEGATED``; ``same``: they mention one event.
    ``context_a`` and ``context_b`` are the texts of their documents, where given.
    """

    id: str
    a: str
    b: str
    label: str | None = None
    same: bool | None = None
    context_a: str | None = None
    context_b: str | None = None

    def to_row(self) -> dict[str, Any]:
        row = {"id": self.id, "a": self.a, "b": self.b, "label": self.label, "same": self.same}
        row |= {"context_a": self.context_a, "context_b": self.context_b}
        return {name: value for name, value in row.items() if value is not None}


class Relation(NamedTuple):
    """Probabilities: the second sentence follows, neither, they contradict; and of one event."""

    entailment: float
    neutral: float
    contradiction: float
    same: float

    @property
    def label(self) -> str:
        """The likeliest of ``LABELS``."""
        return max(LABELS, key=lambda label: float(getattr(self, label)))


def parse_pair(row: Mapping[str, Any], number: int) -> Pair:
    """A pair of a file's row; other columns than a pair's own are never read.

    >>> parse_pair({"a": "It rained.", "b": "It was dry.", "label": "contradiction"}, 7).id
    '7'
    """
    for name in ("a", "b"):
        if not isinstance(row.get(name), str):
            raise UsageError(
                f"a pair has two sentences, 'a' and 'b'; {name!r} is {row.get(name)!r}"
            )
    label, same = row.get("label"), row.get("same")
    if label is not None and label not in (*LABELS, *NEGATED):
        allowed = ", ".join((*LABELS, *NEGATED))
        raise UsageError(f"a pair's label is one of {allowed}; it is {label!r}")
    if same is not None and not isinstance(same, bool):
        raise UsageError(f"a pair's 'same' is true or false; it is {same!r}")
    contexts = [row.get(name) for name in ("context_a", "context_b")]
    if any(text is not None and not isinstance(text, str) for text in contexts):
        raise UsageError("a pair's context_a and context_b are texts")
    return Pair(str(row.get("id", number)), row["a"], row["b"], label, same, *contexts)


def read_pairs(path: str | PathLike[str]) -> Iterator[Pair]:
    """The pairs of a JSONL or Parquet file (``.gz`` and ``.xz`` too), numbered from 1."""
    from fabula.text.io.records import read_records

    for number, record in enumerate(read_records(path), 1):
        try:
            yield parse_pair(record.data, number)
        except UsageError as error:
            raise InputError(str(error), path=path, line=record.line) from error


def present(item: Pair, rng: random.Random, options: Mapping[str, Any]) -> View[Pair, Relation]:
    """The pair without its labels."""
    return View(replace(item, label=None, same=None), lambda relation: relation)


def check(item: Pair, relation: Relation) -> None:
    """An answer is four probabilities, of which the first three are shares of one."""
    if len(relation) != len(Relation._fields):
        raise UsageError(f"pair {item.id!r}: a relation has 4 probabilities, not {len(relation)}")
    if not all(0 <= value <= 1 for value in relation):
        raise UsageError(f"pair {item.id!r}: a probability is not between 0 and 1: {relation}")
    if abs(sum(relation[:3]) - 1) > 1e-3:
        raise UsageError(f"pair {item.id!r}: the shares of the labels are not 1: {relation}")


def read_relation(item: Pair, value: Any) -> Relation:
    """A relation from a label, a mapping of probabilities or of ``label`` and ``same``, or numbers.

    An answer about the labels alone takes what neither follows nor clashes for another event.

    >>> read_relation(Pair("1", "It rained.", "It was dry."), "contradiction")
    Relation(entailment=0.0, neutral=0.0, contradiction=1.0, same=1.0)
    """
    if isinstance(value, Relation):
        return value
    if isinstance(value, str):
        value = {"label": value}
    if not isinstance(value, Mapping):
        return Relation(*(float(number) for number in value))
    row = {name: value[name] for name in Relation._fields if value.get(name) is not None}
    label = value.get("label")
    if label is not None and not any(name in row for name in LABELS):
        if label not in LABELS:
            raise ValueError(f"an answer's label is one of {', '.join(LABELS)}; it is {label!r}")
        row[label] = 1.0
    if not row:
        raise ValueError("'label' or probabilities are missing")
    shares = {name: float(row.get(name, 0.0)) for name in LABELS}
    if not any(shares.values()):  # an answer about one event alone
        shares = dict.fromkeys(LABELS, 1.0)
    total = sum(shares.values())
    shares = {name: share / total for name, share in shares.items()}
    return Relation(**shares, same=float(row.get("same", 1 - shares["neutral"])))


def with_answers(items: Iterable[Pair], why: str = "cannot be trained on") -> list[Pair]:
    """The pairs, if every one is labelled; one that is not is named."""
    found = list(items)
    for item in found:
        if item.label is None and item.same is None:
            raise UsageError(f"pair {item.id!r} has neither label nor same; it {why}")
    return found


class PairModel(Protocol):
    """What a model of pairs has to have."""

    def relate(self, pairs: list[Pair], /) -> Sequence[Sequence[float]]: ...
