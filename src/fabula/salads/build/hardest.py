"""The recipe ``hardest`` (NYT-HARD, section 3): salads of the most similar topics."""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError
from fabula.salads.build.mix import Source, build_salads, mix, pools_of
from fabula.salads.build.nearest import Nearest, first_of_near
from fabula.salads.clustering.vectors import unit
from fabula.salads.items import Salad

__all__ = ["AMONG", "hardest_salads"]

AMONG = ("all", "built")
_POOL = 50  # salads built for each one taken, unless given; the paper took 1 of 574
NEAR_DUPLICATE = 0.98  # cosine above which two documents are near-duplicates


def hardest_salads(
    sources: Sequence[Source],
    *,
    base: str = "random",
    among: str = "built",
    n: int = 1000,
    documents: tuple[int, int] = (2, 2),
    pool: int | None = None,
    pattern: str | None = None,
    seed: int = 0,
) -> list[Salad]:
    """The ``n`` salads of highest topic cosine, the hardest first.

    ``among="built"`` takes them from ``pool`` salads of the ``base`` recipe, as the paper does;
    ``among="all"`` from every pair that recipe allows, without near-duplicates. The sources need
    topic vectors: see ``with_topics``.
    """
    if among not in AMONG:
        raise UsageError(f"among must be one of {', '.join(AMONG)}; not {among!r}")
    topics = [source.topic for source in sources if source.topic is not None]
    if len(topics) < len(sources):
        raise UsageError("the hardest salads are told by their topics; add them: with_topics")
    if n < 1:
        return []
    if among == "all":
        if documents != (2, 2):
            raise UsageError("among all is a search over pairs: 2 documents a salad, or use built")
        return _among_all(sources, np.stack(topics), pools_of(sources, base, 2, pattern), n, seed)
    built = build_salads(
        list(sources),
        recipe=base,
        n=pool or n * _POOL,
        documents=documents,
        pattern=pattern,
        seed=seed,
    )
    return heapq.nlargest(n, built, key=lambda salad: salad.cosine or 0.0)


def _among_all(
    sources: Sequence[Source],
    topics: NDArray[np.float32],
    pools: Sequence[Sequence[Source]],
    n: int,
    seed: int,
) -> list[Salad]:
    index_of = {id(source): index for index, source in enumerate(sources)}
    # Near-duplicates are similar after centring: means of word vectors all point one way, and any
    # two documents would be near-duplicates by their plain cosine.
    centred = unit(topics - topics.mean(axis=0)).astype(np.float32)
    nearest = Nearest(n)
    for pool in pools:
        indices = np.array([index_of[id(source)] for source in _without_duplicates(pool)])
        indices = indices[first_of_near(centred[indices], NEAR_DUPLICATE)]
        nearest.add(topics[indices], indices)
    rng = random.Random(seed)
    salads = [
        mix([sources[first], sources[second]], rng, f"hardest-{number:06d}")
        for number, (first, second) in enumerate(nearest.pairs(), 1)
    ]
    if not salads:
        raise UsageError("all documents that may meet are near-duplicates of each other")
    return salads


def _without_duplicates(pool: Sequence[Source]) -> list[Source]:
    """The sources without those of the same id or the same sentences in any order."""
    texts: set[frozenset[str]] = set()
    ids: set[str] = set()
    kept = []
    for source in pool:
        text = frozenset(source.sentences)
        if text not in texts and source.document.id not in ids:
            kept.append(source)
        texts.add(text)
        ids.add(source.document.id)
    return kept
