"""From documents to salads, as in the paper (section 3).

A document contributes its paragraphs in order until it has eight sentences; a shorter one is not
used. Documents are drawn by a recipe and their sentences shuffled.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.errors import UnknownName, UsageError
from fabula.salads.items import Events, Salad
from fabula.text.segment.sentences import split_sentences
from fabula.types import Document

__all__ = [
    "RECIPES",
    "RULES",
    "Source",
    "build_salads",
    "categories",
    "mix",
    "pools_of",
    "read_sources",
]

MIN_SENTENCES = 8  # of a document, as in the paper


@dataclass(frozen=True, slots=True)
class Source:
    """The opening sentences of a document, from which salads are mixed.

    ``topic`` is a unit vector (``topics.py``), ``events`` the events of each sentence, for salads
    in event form (``event_form.py``).
    """

    document: Document
    sentences: tuple[str, ...]
    topic: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    events: Events | None = field(default=None, compare=False, repr=False)


def categories(document: Document) -> tuple[str, ...]:
    """All categories of a document: those of ``extra["categories"]``, with its category."""
    listed = document.extra.get("categories")
    every = [document.category, *(listed if isinstance(listed, list | tuple) else ())]
    return tuple(dict.fromkeys(name for name in every if isinstance(name, str) and name))


# Documents that share a key may be mixed; one without any is never mixed.
RULES: dict[str, Callable[[Document], Sequence[Hashable]]] = {
    "random": lambda document: ("all",),
    "same-category": categories,
    "same-month": lambda document: () if document.month is None else (document.month,),
}
RECIPES = (*RULES, "hardest")  # the last selects among the salads of a rule: ``hardest.py``


def read_sources(documents: Iterable[Document]) -> tuple[list[Source], int]:
    """The documents with enough sentences, and the number of those without."""
    sources, short = [], 0
    for document in track(documents, "reading documents"):
        taken: list[str] = []
        for paragraph in document.paragraphs:
            taken += [" ".join(sentence.text.split()) for sentence in split_sentences(paragraph)]
            if len(taken) >= MIN_SENTENCES:
                break
        if len(taken) >= MIN_SENTENCES:
            sources.append(Source(document, tuple(taken)))
        else:
            short += 1
    return sources, short


def pools_of(
    sources: Iterable[Source], rule: str, least: int = 2, pattern: str | None = None
) -> list[list[Source]]:
    """The sources in pools of those that may be mixed, each of ``least`` or more.

    A source is in the pool of each of its categories. ``pattern`` is a regular expression: only
    categories whose name has it as whole words, so that "war" is not found in "software".
    """
    if rule not in RULES:
        raise UnknownName("salad recipe", rule, RULES)
    if pattern is not None and rule != "same-category":
        raise UsageError(f"a pattern selects categories; the recipe {rule!r} knows none")
    try:
        wanted = re.compile(rf"\b(?:{pattern or ''})\b", re.IGNORECASE)
    except re.error as error:
        raise UsageError(f"the pattern {pattern!r} is no regular expression: {error}") from error
    groups: dict[Hashable, list[Source]] = defaultdict(list)
    total = 0
    for source in sources:
        for key in RULES[rule](source.document):
            if pattern is None or wanted.search(str(key)):
                groups[key].append(source)
        total += 1
    pools = [pool for pool in groups.values() if len(pool) >= least]
    if not pools:
        among = f" (pattern {pattern!r})" if pattern is not None else ""
        raise UsageError(
            f"the recipe {rule!r}{among} finds no {least} documents that may meet among {total}"
        )
    return pools


def build_salads(
    sources: list[Source],
    *,
    recipe: str = "random",
    n: int = 1000,
    documents: tuple[int, int] = (2, 2),
    pattern: str | None = None,
    seed: int = 0,
) -> Iterator[Salad]:
    """``n`` different salads of ``documents`` (least, most) sources each, drawn by ``recipe``.

    Fewer come when the corpus does not hold that many different ones.
    """
    least, most = documents
    if not 2 <= least <= most:
        raise UsageError(f"a salad needs 2 documents or more, from least to most; not {documents}")
    pools = pools_of(sources, recipe, least, pattern)
    rng = random.Random(seed)
    # A document is drawn, then others of its pool: were every pair equally likely, the one or two
    # largest categories would fill nearly all salads.
    weights = list(accumulate(len(pool) for pool in pools))
    made: set[frozenset[str]] = set()
    misses = 0
    while len(made) < n and misses < 1000:
        pool = rng.choices(pools, cum_weights=weights)[0]
        chosen = rng.sample(pool, min(rng.randint(least, most), len(pool)))
        ids = frozenset(source.document.id for source in chosen)
        if ids in made or len(ids) < len(chosen):
            misses += 1
            continue
        misses = 0
        made.add(ids)
        yield mix(chosen, rng, f"{recipe}-{len(made):06d}")


def mix(chosen: Sequence[Source], rng: random.Random, name: str) -> Salad:
    """One salad: the sentences of the chosen sources in random order."""
    pieces = [
        (sentence, label, position)
        for label, source in enumerate(chosen)
        for position, sentence in enumerate(source.sentences)
    ]
    rng.shuffle(pieces)
    return Salad(
        id=name,
        sentences=tuple(sentence for sentence, _, _ in pieces),
        labels=tuple(label for _, label, _ in pieces),
        also=_also(pieces),
        stories=len(chosen),
        documents=tuple(source.document.id for source in chosen),
        positions=tuple(position for _, _, position in pieces),
        cosine=_cosine(chosen),
        events=_events(chosen, pieces),
    )


def _also(pieces: Sequence[tuple[str, int, int]]) -> dict[int, tuple[int, ...]]:
    """For each sentence that occurs in other sources too, their labels."""
    if len({sentence for sentence, _, _ in pieces}) == len(pieces):
        return {}  # nearly always
    labels_of: dict[str, set[int]] = defaultdict(set)
    for sentence, label, _ in pieces:
        labels_of[sentence].add(label)
    return {
        index: tuple(sorted(labels_of[sentence] - {label}))
        for index, (sentence, label, _) in enumerate(pieces)
        if len(labels_of[sentence]) > 1
    }


def _events(chosen: Sequence[Source], pieces: Sequence[tuple[str, int, int]]) -> Events | None:
    events = [source.events for source in chosen if source.events is not None]
    if len(events) < len(chosen):
        return None
    return tuple(events[label][position] for _, label, position in pieces)


def _cosine(chosen: Sequence[Source]) -> float | None:
    """Topic similarity of the sources: the mean cosine of their pairs (equation 1)."""
    topics = [source.topic for source in chosen if source.topic is not None]
    if len(topics) < len(chosen):
        return None
    rows = np.stack(topics).astype(np.float64)
    # The squared sum contains each square once and each product twice.
    products = float((rows.sum(axis=0) ** 2).sum() - (rows**2).sum())
    return round(products / (len(rows) * (len(rows) - 1)), 6)
