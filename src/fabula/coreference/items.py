"""A coreference item: a passage with its question or gold clusters; an answer: a resolution."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from fabula.errors import UsageError
from fabula.task import View

__all__ = [
    "CoreferenceModel",
    "Passage",
    "Question",
    "Resolution",
    "Span",
    "call",
    "check",
    "from_row",
    "present",
    "to_row",
]

Span = tuple[int, int]  # characters of the passage, [start, end)
Clusters = tuple[tuple[Span, ...], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """GAP's question: a pronoun, and names it may mean. ``gold`` is None when a model sees it."""

    pronoun: Span
    names: tuple[Span, ...]
    gold: tuple[bool, ...] | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A text in which mentions are resolved.

    ``tokens`` and ``sentences`` (the first token of each sentence) are given where a file has
    them (CoNLL). It has a ``question`` (GAP) or, when it is scored, gold ``clusters`` (CoNLL).
    """

    id: str
    text: str
    tokens: tuple[Span, ...] = ()
    sentences: tuple[int, ...] = ()
    question: Question | None = None
    clusters: Clusters | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """Clusters of mentions; for a question also the probability that each name is meant.

    A name counts as an answer from one half on.
    """

    clusters: Clusters = ()
    names: tuple[float, ...] = field(default=())


class CoreferenceModel(Protocol):
    """What resolves coreference: passages in, a resolution of each out."""

    def resolve(self, passages: list[Passage], /) -> Sequence[Resolution]: ...


def present(
    item: Passage, rng: random.Random, options: Mapping[str, Any]
) -> View[Passage, Resolution]:
    """The passage without gold; the names of its question are shuffled, as their order may tell."""
    question = item.question
    if question is None:
        return View(replace(item, clusters=None), lambda answer: answer)
    order = list(range(len(question.names)))
    rng.shuffle(order)
    names = tuple(question.names[i] for i in order)
    hidden = replace(item, clusters=None, question=Question(question.pronoun, names))

    def restore(answer: Resolution) -> Resolution:
        if not answer.names:
            return answer
        back = [0.0] * len(order)
        for seen, source in enumerate(order):
            back[source] = answer.names[seen]
        return replace(answer, names=tuple(back))

    return View(hidden, restore)


def call(model: Any, items: Sequence[Passage]) -> list[Resolution]:
    """The model's resolutions; a question it did not answer is answered from its clusters."""
    if not callable(getattr(model, "resolve", None)):
        raise UsageError(
            f"a {type(model).__name__} is no coreference model: it has no method 'resolve'"
        )
    answers = list(model.resolve(list(items)))
    return [
        replace(answer, names=_names_meant(item.question, answer.clusters))
        if item.question is not None and not answer.names
        else answer
        for item, answer in zip(items, answers, strict=True)
    ]


def _names_meant(question: Question, clusters: Clusters) -> tuple[float, ...]:
    """1.0 for each name whose mention, which overlaps it most, is in the pronoun's cluster."""
    cluster_of = {span: number for number, cluster in enumerate(clusters) for span in cluster}
    pronoun = cluster_of.get(question.pronoun)

    def overlap(span: Span, name: Span) -> float:
        shared = min(span[1], name[1]) - max(span[0], name[0])
        return shared / (max(span[1], name[1]) - min(span[0], name[0]))

    meant = []
    for name in question.names:
        best = max(cluster_of, key=lambda span: overlap(span, name), default=(0, 0))
        known = pronoun is not None and cluster_of.get(best) == pronoun
        meant.append(float(known and overlap(best, name) > 0))
    return tuple(meant)


def check(item: Passage, answer: Resolution) -> None:
    """Spans lie in the text, no mention stands twice, every name asked for has a probability."""
    seen: set[Span] = set()
    for span in (span for cluster in answer.clusters for span in cluster):
        if not 0 <= span[0] < span[1] <= len(item.text):
            raise UsageError(f"the mention {span} is not in the text")
        if span in seen:
            raise UsageError(f"the mention {span} stands in two clusters, or twice in one")
        seen.add(span)
    asked = len(item.question.names) if item.question else 0
    if len(answer.names) != asked:
        raise UsageError(f"{asked} names are asked for; the model answered {len(answer.names)}")
    if not all(0 <= probability <= 1 for probability in answer.names):
        raise UsageError("a name's probability is not between 0 and 1")


def to_row(answer: Resolution) -> dict[str, Any]:
    """A resolution as JSON values; ``from_row`` gives it back."""
    clusters = [[list(span) for span in cluster] for cluster in answer.clusters]
    return {"clusters": clusters, "names": list(answer.names)}


def from_row(row: Mapping[str, Any]) -> Resolution:
    """The resolution that ``to_row`` made a row of."""
    clusters = tuple(
        tuple((int(start), int(end)) for start, end in cluster)
        for cluster in row.get("clusters", ())
    )
    return Resolution(clusters, tuple(map(float, row.get("names", ()))))
