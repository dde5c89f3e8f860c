"""Summaries of stories: documents with stories in, a row a story out: title, dates, names."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.safety.checked_json import parse_json

__all__ = ["summarise"]

_NAMES, _SOURCES = 6, 20  # of a story that are kept
_TITLE_NAMES = 3
_STEM = 6  # letters by which forms of a name are told


def summarise(rows: Iterable[Mapping[str, Any]], vectors: NDArray[Any]) -> list[dict[str, Any]]:
    """The stories, largest first; ``rows`` are those of ``documents.parquet``.

    The most telling names are those that many documents of the story have and few others. The
    central document is the one whose vector is nearest to the story's mean.
    """
    members: dict[int, list[dict[str, Any]]] = defaultdict(list)
    everywhere: Counter[str] = Counter()
    for row in rows:
        names = parse_json(row["names"])
        everywhere.update(names.keys())
        kept = ("number", "unit", "source", "date", "title", "lead", "copy_of")
        members[row["story"]].append({**{key: row[key] for key in kept}, "names": names})
    total = sum(map(len, members.values()))
    stories = [
        _story(story, documents, everywhere, total, vectors) for story, documents in members.items()
    ]
    return sorted(stories, key=lambda row: (-row["documents"], row["story"]))


def _story(
    story: int, documents: list[dict[str, Any]], everywhere: Counter[str], total: int,
    vectors: NDArray[Any],
) -> dict[str, Any]:  # fmt: skip
    here = Counter(name for document in documents for name in document["names"])
    weight = {
        name: times * math.log((total + 1) / (everywhere[name] + 0.5))
        for name, times in here.items()
    }
    ranked = sorted(weight, key=lambda name: (-weight[name], name))
    names = _without_parts(ranked)[:_NAMES]
    distinct = [document for document in documents if document["copy_of"] is None]
    units = [document["unit"] for document in distinct]
    rows = np.asarray(vectors[units], np.float32)
    central = distinct[int((rows @ rows.mean(axis=0)).argmax())]
    dates = sorted(document["date"] for document in documents if document["date"])
    sources = Counter(document["source"] for document in documents if document["source"])
    title = central["title"] or ", ".join(names[:_TITLE_NAMES]) or central["lead"]
    return {
        "story": story, "title": title, "documents": len(documents),
        "copies": len(documents) - len(distinct),
        "first_date": dates[0] if dates else None, "last_date": dates[-1] if dates else None,
        "sources": [name for name, _ in sources.most_common(_SOURCES)],
        "source_count": len(sources), "names": names, "lead": central["lead"],
        "central": central["number"],
    }  # fmt: skip


def _without_parts(names: list[str]) -> list[str]:
    """Names that are no form of an earlier one: "Saddam" beside "Saddam Hussein", "Israeli"
    beside "Israel", "Oscars" beside "Oscar"."""
    kept: list[str] = []
    for name in names:
        words, others = _stems(name), map(_stems, kept)
        if not any(words <= other or other <= words for other in others):
            kept.append(name)
    return kept


def _stems(name: str) -> set[str]:
    return {word.lower().removesuffix("s")[:_STEM] for word in name.split()}
