"""From documents to salads.

A document gives its paragraphs in order until it has eight sentences or more; one that never
reaches eight is not used. Documents are drawn together by a recipe and their sentences shuffled.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from fabula.errors import UnknownName, UsageError
from fabula.progress import track
from fabula.salads.items import Salad
from fabula.text.sentences import split_sentences
from fabula.types import Document

__all__ = ["RECIPES", "Source", "build_salads", "read_sources"]

ENOUGH = 8  # sentences, as in the paper


@dataclass(frozen=True, slots=True)
class Source:
    """The opening of a document, split: what goes into a salad."""

    document: Document
    sentences: tuple[str, ...]


# A recipe says which documents may meet: those of the same key. None never meets anything.
RECIPES: dict[str, Callable[[Document], Hashable]] = {
    "random": lambda document: "all",
    "same-category": lambda document: document.category,
    "same-month": lambda document: document.month,
}


def read_sources(documents: Iterable[Document]) -> tuple[list[Source], int]:
    """The documents long enough to use, and how many were not."""
    sources, short = [], 0
    for document in track(documents, "reading documents"):
        taken: list[str] = []
        for paragraph in document.paragraphs:
            taken += [" ".join(sentence.text.split()) for sentence in split_sentences(paragraph)]
            if len(taken) >= ENOUGH:
                break
        if len(taken) >= ENOUGH:
            sources.append(Source(document, tuple(taken)))
        else:
            short += 1
    return sources, short


def build_salads(
    sources: list[Source],
    *,
    recipe: str = "random",
    n: int = 1000,
    documents: tuple[int, int] = (2, 2),
    seed: int = 0,
) -> Iterator[Salad]:
    """``n`` different salads of ``documents`` (least, most) sources each, drawn by ``recipe``.

    Fewer come when the corpus does not hold that many different ones.
    """
    if recipe not in RECIPES:
        raise UnknownName("salad recipe", recipe, RECIPES)
    least, most = documents
    if not 2 <= least <= most:
        raise UsageError(f"a salad needs 2 documents or more, from least to most; not {documents}")
    groups: dict[Hashable, list[Source]] = defaultdict(list)
    for source in sources:
        key = RECIPES[recipe](source.document)
        if key is not None:
            groups[key].append(source)
    pools = [pool for pool in groups.values() if len(pool) >= least]
    if not pools:
        raise UsageError(
            f"the recipe {recipe!r} finds no {least} documents that may meet among {len(sources)}"
        )
    rng = random.Random(seed)
    # A document is drawn, then its company: were every pair equally likely, the one or two
    # largest categories would fill nearly all salads.
    weights = [len(pool) for pool in pools]
    made: set[frozenset[str]] = set()
    misses = 0
    while len(made) < n and misses < 1000:
        pool = rng.choices(pools, weights)[0]
        chosen = rng.sample(pool, min(rng.randint(least, most), len(pool)))
        ids = frozenset(source.document.id for source in chosen)
        if ids in made or len(ids) < len(chosen):
            misses += 1
            continue
        misses = 0
        made.add(ids)
        yield mix(chosen, rng, f"{recipe}-{len(made):06d}")


def mix(chosen: list[Source], rng: random.Random, name: str) -> Salad:
    """One salad: all sentences of the chosen sources in random order."""
    pieces = [
        (sentence, label, position)
        for label, source in enumerate(chosen)
        for position, sentence in enumerate(source.sentences)
    ]
    rng.shuffle(pieces)
    homes: dict[str, Counter[int]] = defaultdict(Counter)
    for sentence, label, _ in pieces:
        homes[sentence][label] += 1
    also = {
        index: tuple(sorted(other for other in homes[sentence] if other != label))
        for index, (sentence, label, _) in enumerate(pieces)
        if len(homes[sentence]) > 1
    }
    return Salad(
        id=name,
        sentences=tuple(sentence for sentence, _, _ in pieces),
        labels=tuple(label for _, label, _ in pieces),
        also=also,
        stories=len(chosen),
        documents=tuple(source.document.id for source in chosen),
        positions=tuple(position for _, _, position in pieces),
    )
