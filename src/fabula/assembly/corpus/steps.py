"""Steps of a corpus run: rows in, rows out; they know nothing of shards, workers and engines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from fabula.scale.worker import Step, Tally, timed
from fabula.types import Document

__all__ = ["facts", "links", "solve"]


def facts() -> Step:
    """Documents to their facts: vector, terms, sketch (``facts_of``)."""
    from fabula.assembly.corpus.facts import facts_of, pack
    from fabula.text.encoders.sentence import MiniLM

    encoder = MiniLM(cached=False)  # a corpus is read once; its vectors are kept with it

    def run(rows: list[Any], tally: Tally) -> Iterable[dict[str, Any]]:
        with timed(tally, "split and count"):
            found = [facts_of(Document.from_row(row["document"])) for row in rows]
        with timed(tally, "encode"):
            # Copies within a shard are encoded once, by the encoder itself.
            vectors = encoder.encode([fact.pop("text") for fact in found])
        for row, fact, vector in zip(rows, found, vectors, strict=True):
            tally.add("sentences", fact["sentences"])
            document = row["document"]
            thread = (document.get("extra") or {}).get("thread")
            yield {
                "number": row["number"], **fact, "date": document.get("date"),
                "thread": None if thread is None else str(thread),
                "vector": pack(vector.astype(np.float16)),
            }  # fmt: skip

    return run


def links(folder: str) -> Step:
    """Ranges of documents to their candidate pairs and features; ``folder`` has the index."""
    from fabula.assembly.corpus.facts import pack
    from fabula.assembly.corpus.links.candidate_pairs import Linker
    from fabula.assembly.corpus.links.index import CorpusIndex

    linker = Linker(CorpusIndex.load(Path(folder)))

    def run(rows: list[Any], tally: Tally) -> Iterable[dict[str, Any]]:
        for row in rows:
            pairs = linker.among(np.arange(row["start"], row["end"]))
            tally.add("candidate pairs", len(pairs.first))
            yield {
                "first": pack(pairs.first.astype(np.int32)),
                "second": pack(pairs.second.astype(np.int32)),
                "features": pack(pairs.features),
            }

    return run


def solve(absent: float, least: float) -> Step:
    """Blocks of linked documents to groups, each block by itself."""
    from fabula.assembly.corpus.facts import pack, unpack
    from fabula.salads.clustering.sparse_correlation import sparse_clusters

    def run(rows: list[Any], tally: Tally) -> Iterable[dict[str, Any]]:
        for row in rows:
            members = unpack(row["members"], np.int32)
            labels = sparse_clusters(
                len(members), unpack(row["first"], np.int32), unpack(row["second"], np.int32),
                unpack(row["log_odds"], np.float64), absent=absent, least=least,
            )  # fmt: skip
            yield {"members": row["members"], "labels": pack(labels.astype(np.int32))}

    return run
