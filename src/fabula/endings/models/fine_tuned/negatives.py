"""Hard negatives: a story's own last sentence against the last sentence of a similar story.

The negative is drawn from the 20 nearest last sentences by cosine, if possible one that begins with
the same word, so that neither topic nor a pronoun gives it away.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fabula.endings.items import Ending
from fabula.errors import UsageError

__all__ = ["read_stories", "self_made"]

_NEAR = 20  # stories to borrow from
_SENTENCES = tuple(f"sentence{i}" for i in range(1, 6))  # of the ROCStories table


def self_made(
    stories: Iterable[Sequence[str]], *, encoder: Any, seed: int = 0, name: str = "story"
) -> list[Ending]:
    """One item a story of at least three sentences; where the right ending stands is drawn."""
    usable = [tuple(story) for story in stories if len(story) >= 3]
    if len(usable) < 2:
        return []
    lasts = [story[-1] for story in usable]
    vectors = np.asarray(encoder.encode(lasts), dtype=np.float32)
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    items = []
    for index, story in enumerate(usable):
        rng = random.Random(f"{seed}:{' '.join(story)}")
        cosines = vectors @ vectors[index]
        near = [
            i for i in np.argsort(-cosines, kind="stable")[: _NEAR + 1].tolist()
            if lasts[i].strip() != lasts[index].strip()
        ]  # fmt: skip
        alike = [i for i in near if _opening(lasts[i]) == _opening(lasts[index])]
        if not near:
            continue
        wrong = lasts[rng.choice(alike or near)]
        gold = rng.randrange(2)
        options = (lasts[index], wrong) if gold == 0 else (wrong, lasts[index])
        items.append(Ending(f"{name}-{index}", story[:-1], options, gold))
    return items


def read_stories(path: str) -> list[tuple[str, ...]]:
    """Whole stories: the ROCStories table (``sentence1`` to ``sentence5``), or any documents."""
    from fabula.text.io.records import read_records
    from fabula.text.io.streams import split_name

    if split_name(path)[1] in (".csv", ".tsv", ".parquet"):
        rows = [record.data for record in read_records(path)]
        if rows and all(name in rows[0] for name in _SENTENCES):
            return [tuple(str(row[name]) for name in _SENTENCES) for row in rows]
    from fabula.text.io.documents import read_documents
    from fabula.text.segment.sentences import split_sentences

    stories = [tuple(s.text for s in split_sentences(d)) for d in read_documents(path)]
    if not stories:
        raise UsageError(f"{path}: there are no stories to learn from")
    return stories


def _opening(sentence: str) -> str:
    return sentence.split(maxsplit=1)[0].lower() if sentence.strip() else ""
