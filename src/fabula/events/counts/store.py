"""The counts of a corpus of chains: events, pairs, and which document holds what.

On disk it is a folder: ``counts.json`` names the arrays and their checksums, each array is one
safetensors file, read as a memory map. ``counting.py`` makes one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import DamagedFile, InputError
from fabula.events.counts.arrays import ArrayCard, read_array
from fabula.events.counts.pair_table import PairTable
from fabula.events.items import Chain, Event

__all__ = ["MANIFEST", "Counts", "is_store", "manifest_checksum", "open_counts", "read_manifest"]

MANIFEST = "counts.json"
FORMAT = 1
ARRAYS = (
    *("near_keys", "near_counts", "whole_keys", "whole_counts"),
    *("posting_keys", "posting_counts", "flat", "lengths", "chain_documents"),
)

Ids = NDArray[np.uint32]
Word = tuple[str, str]


@dataclass(frozen=True)
class Counts:
    """Everything the count models ask for.

    ``words`` are the event types (verb, slot), their places their ids. ``near`` counts pairs at
    most ``skip`` events apart, ``whole`` all pairs of a chain, a before b. ``postings`` counts
    (event, document). ``flat`` holds the chains one after the other, document by document.
    """

    words: list[Word]
    near: PairTable
    whole: PairTable
    postings: PairTable
    flat: Ids
    lengths: Ids
    chain_documents: Ids
    documents: list[str]
    titles: Mapping[str, str] = field(default_factory=dict)
    skip: int = 2
    recipe: str | None = None
    folder: Path | None = None

    @property
    def types(self) -> int:
        return len(self.words)

    @property
    def tokens(self) -> int:
        return len(self.flat)

    def __len__(self) -> int:
        """The number of chains."""
        return len(self.lengths)

    @cached_property
    def ids(self) -> dict[Word, int]:
        return {word: place for place, word in enumerate(self.words)}

    @cached_property
    def events(self) -> list[Event]:
        return [Event(verb, slot) for verb, slot in self.words]

    @cached_property
    def unigrams(self) -> NDArray[np.int64]:
        return np.bincount(self.flat, minlength=self.types).astype(np.int64)

    @cached_property
    def bits(self) -> NDArray[np.float64]:
        """The information content of each event type, -log2 of its share of the tokens."""
        return -np.log2(np.maximum(self.unigrams, 1) / max(self.tokens, 1))

    @cached_property
    def frequency_ranks(self) -> NDArray[np.int64]:
        """1 for the most frequent event type, and so on."""
        ranks = np.empty(self.types, np.int64)
        ranks[np.argsort(-self.unigrams, kind="stable")] = np.arange(1, self.types + 1)
        return ranks

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each chain begins in ``flat``, and the end."""
        return np.append(0, np.cumsum(self.lengths, dtype=np.int64))

    @cached_property
    def document_starts(self) -> NDArray[np.int64]:
        """The first chain of each document, and the end: chains stand document by document."""
        return np.searchsorted(self.chain_documents, np.arange(len(self.documents) + 1))

    def encode(self, events: Iterable[Event]) -> NDArray[np.int64]:
        """The ids of events; -1 for one never seen."""
        ids = self.ids
        return np.array([ids.get((e.verb, e.slot), -1) for e in events], dtype=np.int64)

    def chains(self) -> Iterator[Chain]:
        """The chains that were counted, read back (single-argument, entities numbered)."""
        events, starts = self.events, self.starts
        for place, document in enumerate(self.chain_documents.tolist()):
            some = self.flat[starts[place] : starts[place + 1]].tolist()
            yield Chain(self.documents[document], str(place), tuple(events[i] for i in some))

    def support(self, known: Iterable[int], wanted: int, most: int = 3) -> list[str]:
        """Documents that hold the event ``wanted``, those with most of the ``known`` first."""
        found, _ = self.postings.row(wanted)
        if not len(found):
            return []
        shared = np.zeros(len(found))
        for event in {k for k in known if k >= 0 and k != wanted}:
            shared += np.isin(found, self.postings.row(event)[0], assume_unique=True)
        best = np.argsort(-shared, kind="stable")[:most]
        return [self.documents[found[i]] for i in best if shared[i] > 0]


def is_store(path: str | PathLike[str]) -> bool:
    """Whether a folder holds counts."""
    return (Path(path) / MANIFEST).is_file()


def manifest_checksum(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of all that the manifest says but this."""
    rest = {key: value for key, value in manifest.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def open_counts(folder: str | PathLike[str], *, verify: bool = True) -> Counts:
    """A store from its folder; one that is truncated or altered is refused.

    ``verify=False`` leaves out the checksums (not the sizes), for stores of many gigabytes.
    """
    place = Path(folder)
    manifest = read_manifest(place)
    try:
        cards = {name: ArrayCard(**manifest["arrays"][name]) for name in ARRAYS}
        arrays = {name: read_array(place, card, verify=verify) for name, card in cards.items()}
        words = _read_list(place, manifest["words"], verify)
        documents = _read_list(place, manifest["documents"], verify)
        titles = dict(manifest.get("titles") or {})
        skip, recipe = manifest["skip"], manifest.get("recipe")
    except (KeyError, TypeError) as error:
        problem = f"{place / MANIFEST}: not a counts store ({error}); build it again"
        raise DamagedFile(problem) from error
    types = len(words)
    return Counts(
        words=[(verb, slot) for verb, slot in words],
        near=PairTable(arrays["near_keys"], arrays["near_counts"], types),
        whole=PairTable(arrays["whole_keys"], arrays["whole_counts"], types),
        postings=PairTable(arrays["posting_keys"], arrays["posting_counts"], types),
        flat=arrays["flat"],
        lengths=arrays["lengths"],
        chain_documents=arrays["chain_documents"],
        documents=[str(name) for name in documents],
        titles=titles,
        skip=int(skip),
        recipe=recipe,
        folder=place,
    )


def read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError("is no counts store; build one with: fabula build counts", path=folder)
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError(f"format {manifest['format']!r}, this version reads {FORMAT}")
        expected = manifest["checksum"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{path}: not a counts store ({error}); build it again") from error
    if manifest_checksum(manifest) != expected:
        raise DamagedFile(f"{path}: altered since it was written; build it again")
    return dict(manifest)


def _read_list(folder: Path, card: Mapping[str, Any], verify: bool) -> list[Any]:
    path = folder / card["file"]
    try:
        data = path.read_bytes()
        if verify and hashlib.sha256(data).hexdigest() != card["sha256"]:
            raise DamagedFile(f"{path}: altered since it was written; build it again")
        found = json.loads(data)
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path}: cannot be read ({error}); build it again") from error
    if not isinstance(found, list):
        raise DamagedFile(f"{path}: not a list; build it again")
    return found
