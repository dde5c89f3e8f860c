"""Where chains come from: chain files, nachos files, counts stores, and documents to extract."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.errors import UnknownName, UsageError
from fabula.events.counts.store import is_store, open_counts
from fabula.events.items import Chain, chain_from, read_chains
from fabula.scale.shards import Shards, is_shards
from fabula.text.io.parts import PARTS, part_of
from fabula.text.io.records import Record
from fabula.text.io.streams import split_name

__all__ = ["chains_of", "holds_text", "identify", "in_part", "read_training"]

_TABLES = (".jsonl", ".ndjson", ".parquet")


def read_training(paths: Sequence[str | PathLike[str]]) -> Any:
    """What a model learns from: one counts store as it is, else the items of all files.

    A file of event tests is recognised by its ``hole``; the answers are filled in for training.
    """
    stores = [path for path in paths if is_store(path)]
    if stores:
        if len(paths) > 1:
            raise UsageError(
                f"{stores[0]} is a counts store: it cannot be mixed with other items; "
                "count them into one store with: fabula build counts"
            )
        return open_counts(stores[0])
    return [item for path in paths for item in _items(path)]


def _items(path: str | PathLike[str]) -> Iterable[Any]:
    from fabula.events.cloze.event_test import read_tests

    return read_tests(path) if _holds_tests(path) else chains_of(path)


def _holds_tests(path: str | PathLike[str]) -> bool:
    return "hole" in _first_row(path)


def _first_row(path: str | PathLike[str]) -> Mapping[str, Any]:
    """The first row of a table of rows; nothing for what is none."""
    from fabula.text.io.records import read_records

    if str(path) == "-" or split_name(path)[1] not in _TABLES:
        return {}
    first = next(read_records(path), None)
    return {} if first is None else first.data


def holds_text(path: str | PathLike[str]) -> bool:
    """Whether a source holds documents, from which chains are yet to be extracted.

    A table does if its first row has no ``events``; a plain text if it does not begin as a nachos
    file; JSON is CoreNLP's.
    """
    from fabula.text.io.documents import corpora, readers
    from fabula.text.io.streams import iter_lines

    suffix = split_name(path)[1]
    if not Path(path).exists():
        return str(path) in corpora
    if suffix in _TABLES:
        first = _first_row(path)
        return bool(first) and not {"events", "hole"} & first.keys()
    if suffix in (".txt", ".text"):
        opening = next((text for _, text in iter_lines(path) if text.strip()), "<")
        return not opening.startswith("<") and "->" not in opening
    return suffix != ".json" and suffix[1:] in readers


def chains_of(path: str | PathLike[str], shard: int | None = None) -> Iterator[Chain]:
    """The chains of a file, of a counts store, or of shards (all, or the one of this number).

    Of a source that holds text they are extracted, by the default rules.
    """
    if is_store(path):
        return open_counts(path).chains()
    if is_shards(str(path)):
        shards = Shards(str(path))
        rows = shards.rows() if shard is None else shards.read(shard)
        return (chain_from(Record(line, row), path) for line, row in enumerate(rows, 1))
    if Path(path).is_dir():
        raise UsageError(
            f"{path} is a folder, and neither a counts store nor finished shards; "
            "name the chain files in it"
        )
    if holds_text(path):
        from fabula.events.extract.chains import build_chains
        from fabula.text.io.documents import read_documents

        return build_chains(read_documents(path))
    return read_chains(path)


def in_part(chains: Iterable[Chain], part: str | None) -> Iterator[Chain]:
    """The chains of the documents of one part."""
    if part is not None and part not in PARTS:
        raise UnknownName("part", part, PARTS)
    return (chain for chain in chains if part is None or part_of(chain.document) == part)


def identify(path: str | PathLike[str]) -> str:
    """A name for what a source holds, by its content; standard input has none but its own."""
    from fabula.core.files import fingerprint, sha256_of
    from fabula.events.counts.store import read_manifest

    place = Path(path)
    if is_store(place):
        return str(read_manifest(place)["checksum"])
    if is_shards(str(path)):
        shards = Shards(str(path))
        return fingerprint(json.dumps(m, sort_keys=True) for m in shards.markers(shards.done()))
    return sha256_of(place) if place.is_file() else str(path)
