"""Documents to chains to numbers as steps: what a worker of ``fabula.scale`` does with rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from fabula.errors import InputError, UsageError
from fabula.events.counts.encoding import encode_chains
from fabula.events.extract.chains import Extraction, document_events
from fabula.events.extract.extraction import extract
from fabula.events.extract.rules import ExtractionRules
from fabula.events.formats.sources import chains_from, in_part
from fabula.events.items import Chain, chain_from_record
from fabula.scale.worker import Step, Tally, timed
from fabula.text.coref import resolve, resolvers
from fabula.text.io.records import Record
from fabula.text.parse.parsed import Parsed
from fabula.types import Document

__all__ = ["CHAINS", "NUMBERED", "chains", "numbered"]

CHAINS = "fabula.events.steps:chains"
NUMBERED = "fabula.events.steps:numbered"


def chains(*, rules: Mapping[str, Any] | None = None, coref: str = "best", least: int = 2) -> Step:
    """A step from documents to their chains: split, parse, events, coreference, chains.

    The parser forgets the words of a batch with the batch (a memory zone), so that a worker's
    memory does not grow with what it has read.
    """
    from fabula.text.parse.pipeline import Parser
    from fabula.text.segment.sentences import split_sentences

    chosen, resolver = ExtractionRules(**(rules or {})), resolvers.get(coref)()

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        inside = Tally()

        def read(doc: Any) -> Extraction:
            tally.add("tokens", len(doc))
            with timed(inside, "events"):
                parsed = Parsed.of(doc)
                predicates = extract(parsed, chosen)
            with timed(inside, "coreference"):
                clusters, certainty = resolve(resolver, parsed)
            return Extraction(parsed, predicates, clusters, certainty)

        documents = [Document.from_row(row) for row in rows]
        with timed(tally, "split"):
            sentences = [split_sentences(document) for document in documents]
        started = time.perf_counter()
        found = list(Parser().each(read, sentences))
        took = time.perf_counter() - started
        tally.add("parse seconds", took - sum(inside.values()))
        tally.merge(inside)
        for document, split, one in zip(documents, sentences, found, strict=True):
            with timed(tally, "chains"):
                made = document_events(document, split, one, least).chains
            tally.add("chains", len(made))
            for chain in made:
                yield chain.to_row()

    return step


def numbered(*, recipe: str | None = None, part: str | None = None) -> Step:
    """A step from chains to numbers.

    A row is a file of chains (``path``, and ``shard`` in a folder of shards), or a chain itself.
    """

    def step(rows: list[dict[str, Any]], tally: Tally) -> Iterator[dict[str, Any]]:
        for is_file, some in groupby(rows, key=lambda row: "path" in row):
            try:
                for chains in map(_chains_in, some) if is_file else [map(_chain_of, some)]:
                    for batch in encode_chains(in_part(chains, part), recipe):
                        tally.add("counted", len(batch))
                        yield batch.to_row()
            except InputError as error:
                # A document may be set aside; a whole file of chains may not.
                raise UsageError(str(error)) from error

    return step


def _chains_in(row: Mapping[str, Any]) -> Iterator[Chain]:
    return chains_from(row["path"], row.get("shard"))


def _chain_of(row: dict[str, Any]) -> Chain:
    return chain_from_record(Record(0, row), row["document"])
