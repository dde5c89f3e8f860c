"""Event chains from any source: chain files by suffix, counts stores, shards, documents."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.core.files import fingerprint, sha256_of
from fabula.errors import UnknownName, UsageError
from fabula.events.cloze.event_test import read_tests
from fabula.events.counts.store import is_store, open_counts, read_manifest
from fabula.events.extract.chains import build_chains
from fabula.events.formats.conllu import read_conllu
from fabula.events.formats.corenlp import read_corenlp
from fabula.events.formats.nachos import read_nachos
from fabula.events.items import Chain, chain_from_record, read_chain_table
from fabula.scale.shards import Shards, is_shards
from fabula.text.io.records import Record, read_records
from fabula.text.io.splits import PARTS, part_of
from fabula.text.io.streams import iter_lines, split_name

__all__ = [
    "chains_from",
    "holds_text",
    "in_part",
    "read_chains",
    "read_training",
    "source_fingerprint",
]

_TABLES = (".jsonl", ".ndjson", ".parquet")
_READERS = {".conllu": read_conllu, ".conll": read_conllu, ".json": read_corenlp}


def read_chains(path: str | PathLike[str], *, least: int = 1) -> Iterator[Chain]:
    """Stream the chains of at least ``least`` events from one file, read by its suffix.

    The suffix counts before .gz, .bz2, .xz, .zst: ``.jsonl`` and ``.parquet`` hold chains;
    from ``.conllu`` and CoreNLP's ``.json`` they are extracted; anything else is the nachos text
    format. A wrong line is an error that names it.
    """
    _, suffix, _ = split_name(path)
    is_table = suffix in _TABLES or str(path) == "-"
    read = read_chain_table if is_table else _READERS.get(suffix, read_nachos)
    return (chain for chain in read(path) if len(chain.events) >= least)


def chains_from(source: str | PathLike[str], shard: int | None = None) -> Iterator[Chain]:
    """Stream the chains of a file, a counts store, or a folder of shards (all, or one by number).

    From a source that holds text they are extracted by the default rules.
    """
    if is_store(source):
        return open_counts(source).chains()
    if is_shards(str(source)):
        shards = Shards(str(source))
        rows = shards.rows() if shard is None else shards.read(shard)
        return (chain_from_record(Record(line, row), source) for line, row in enumerate(rows, 1))
    if Path(source).is_dir():
        raise UsageError(
            f"{source} is a folder, and neither a counts store nor finished shards; "
            "name the chain files in it"
        )
    if holds_text(source):
        from fabula.text.io.documents import read_documents

        return build_chains(read_documents(source))
    return read_chains(source)


def read_training(paths: Sequence[str | PathLike[str]]) -> Any:
    """Training data of a model: one counts store as it is, else the items of all files.

    A file of cloze tests is recognised by its ``hole``; the answers are filled in for training.
    """
    stores = [path for path in paths if is_store(path)]
    if stores:
        if len(paths) > 1:
            raise UsageError(
                f"{stores[0]} is a counts store: it cannot be mixed with other items; "
                "count them into one store with: fabula build counts"
            )
        return open_counts(stores[0])
    return [item for path in paths for item in _training_items(path)]


def _training_items(path: str | PathLike[str]) -> Iterable[Any]:
    return read_tests(path) if "hole" in _first_row(path) else chains_from(path)


def _first_row(path: str | PathLike[str]) -> Mapping[str, Any]:
    """The first row of a JSONL or Parquet table; empty for any other file."""
    if str(path) == "-" or split_name(path)[1] not in _TABLES:
        return {}
    first = next(read_records(path), None)
    return {} if first is None else first.data


def holds_text(source: str | PathLike[str]) -> bool:
    """Whether a source holds documents, from which chains are yet to be extracted.

    A table does if its first row has no ``events``; a plain text if it does not begin as a nachos
    file; JSON is CoreNLP's.
    """
    from fabula.text.io.documents import corpora, readers

    suffix = split_name(source)[1]
    if not Path(source).exists():
        return str(source) in corpora
    if suffix in _TABLES:
        first = _first_row(source)
        return bool(first) and not {"events", "hole"} & first.keys()
    if suffix in (".txt", ".text"):
        opening = next((text for _, text in iter_lines(source) if text.strip()), "<")
        return not opening.startswith("<") and "->" not in opening
    return suffix != ".json" and suffix[1:] in readers


def in_part(chains: Iterable[Chain], part: str | None) -> Iterator[Chain]:
    """The chains whose document is in ``part`` (train, dev or test by hash); None keeps all."""
    if part is not None and part not in PARTS:
        raise UnknownName("part", part, PARTS)
    return (chain for chain in chains if part is None or part_of(chain.document) == part)


def source_fingerprint(source: str | PathLike[str]) -> str:
    """A hash of what a source holds; for standard input, which is read once, its name."""
    path = Path(source)
    if is_store(path):
        return str(read_manifest(path)["checksum"])
    if is_shards(str(source)):
        shards = Shards(str(source))
        return fingerprint(json.dumps(m, sort_keys=True) for m in shards.markers(shards.done()))
    return sha256_of(path) if path.is_file() else str(source)
