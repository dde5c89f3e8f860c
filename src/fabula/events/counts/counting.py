"""Counting chains, in memory or into a store on disk, in bounded memory.

Chains are numbered and paired in batches; when the pairs fill their share of the memory they are
sorted, added up and set down as a run. At the end the runs are merged. A build into a folder keeps
its runs and a journal under ``.building`` there, so that a build that was killed goes on from its
last run; the store itself changes at one moment only, when its manifest is renamed into place.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import fingerprint, write_text
from fabula.errors import InputError, UsageError
from fabula.events.counts.arrays import ArrayCard, ArrayWriter, read_array, write_array
from fabula.events.counts.merge import Run, merge_runs
from fabula.events.counts.pair_table import PairTable
from fabula.events.counts.store import Counts, is_store, open_counts, read_manifest
from fabula.events.counts.tally import STREAMS, TABLES, Numbered, Numbers, Tally, reordered
from fabula.events.counts.writing import Names, settle
from fabula.events.items import Chain
from fabula.events.recipes import prepare, recipe_named

__all__ = ["count", "count_numbered_to", "count_to", "number_chains"]

_BATCH = 1 << 16  # chains numbered at once
WORK = ".building"


def count(chains: Iterable[Chain], *, skip: int = 2, recipe: str | None = None) -> Counts:
    """The counts of chains of two events or more, in memory.

    Pairs at most ``skip`` events apart are counted also on their own. ``recipe`` prepares the
    chains as the event tests of that name are: see ``recipes.prepare``.
    """
    tally = Tally(skip)
    for batch in _batches(chains, recipe):
        tally.read(batch)
    if not tally.words:
        raise UsageError("there is no chain of two events or more to count")
    runs, streams = tally.take()
    order = np.argsort(streams["chain_documents"], kind="stable")
    flat, lengths = reordered(streams["flat"], streams["lengths"], order)
    types = len(tally.words)
    return Counts(
        words=list(tally.words),
        near=PairTable(*runs["near"], types),
        whole=PairTable(*runs["whole"], types),
        postings=PairTable(*runs["posting"], types),
        flat=flat,
        lengths=lengths,
        chain_documents=streams["chain_documents"][order],
        documents=list(tally.documents),
        titles=tally.titles,
        skip=skip,
        recipe=recipe,
    )


def _prepared(chains: Iterable[Chain], recipe: str | None) -> Iterator[Chain]:
    if recipe is None:
        return (chain for chain in chains if len(chain.events) >= 2)
    rules = recipe_named(recipe)
    ready = (prepare(chain, rules) for chain in chains)
    return (chain for chain in ready if len(chain.events) >= 2)


def number_chains(
    chains: Iterable[Chain], recipe: str | None = None, after: int = 0
) -> Iterator[Numbered]:
    """The chains of two events or more as numbers, in batches; ``after`` leaves out the first."""
    return map(Numbered.of, _batches(chains, recipe, after))


def _batches(
    chains: Iterable[Chain], recipe: str | None = None, after: int = 0
) -> Iterator[list[Chain]]:
    pending = islice(_prepared(chains, recipe), after, None)
    while batch := list(islice(pending, _BATCH)):
        yield batch


def count_to(
    folder: str | PathLike[str],
    chains: Iterable[Chain],
    *,
    source: Iterable[str] = (),
    skip: int = 2,
    recipe: str | None = None,
    append: bool = False,
    memory: int = 512,
) -> Counts:
    """Count into a store, using about ``memory`` megabytes for pairs however many there are.

    ``source`` names what the chains come from (paths, sizes): a build that was stopped goes on
    only with the same. ``append`` adds to the store that is there; without it, the old store is
    replaced, and until the moment it is, it stays as it was.
    """

    def start(done: int) -> Iterator[Numbered]:
        return number_chains(chains, recipe, done)

    return _count_to(folder, start, source, skip, recipe, append, memory)


def count_numbered_to(
    folder: str | PathLike[str],
    batches: Iterable[Numbered],
    *,
    source: Iterable[str] = (),
    skip: int = 2,
    recipe: str | None = None,
    append: bool = False,
    memory: int = 512,
) -> Counts:
    """``count_to`` for chains that were numbered elsewhere: the same store."""

    def start(done: int) -> Iterator[Numbered]:
        before = 0
        for batch in batches:
            if before >= done:
                yield batch
            before += len(batch)

    return _count_to(folder, start, source, skip, recipe, append, memory)


def _count_to(
    folder: str | PathLike[str],
    start: Callable[[int], Iterator[Numbered]],
    source: Iterable[str],
    skip: int,
    recipe: str | None,
    append: bool,
    memory: int,
) -> Counts:
    """``start`` gives the batches after so many chains, which an earlier try has counted."""
    place = Path(folder)
    if place.is_dir() and not is_store(place) and any(p.name != WORK for p in place.iterdir()):
        raise InputError("is a folder of something else; name a new one", path=place)
    base = open_counts(place) if append and is_store(place) else None
    if base is not None and (base.skip, base.recipe) != (skip, recipe):
        raise UsageError(
            f"{place} was counted with skip {base.skip} and recipe {base.recipe}; "
            "append with the same"
        )
    try:
        (place / WORK).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", path=place) from error
    before = read_manifest(place) if base else {}
    name = fingerprint([*map(str, source), str(skip), str(recipe)])
    if base is not None and name in before["sources"]:
        return base  # a build that was killed after its last step and is run again
    identity = fingerprint([name, before.get("checksum", "")])
    with (place / WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError("another build is writing here", path=place) from error
        build = _Build(place, identity, skip, base)
        for batch in start(build.done):
            build.add(batch, memory)
        build.finish(recipe, [*before.get("sources", []), name])
    shutil.rmtree(place / WORK, ignore_errors=True)
    return open_counts(place)


class _Build:
    """A build in a folder, as far as its journal says it has come."""

    def __init__(self, place: Path, identity: str, skip: int, base: Counts | None) -> None:
        self.place, self.work, self.base = place, place / WORK, base
        self.tally = Tally(skip)
        self.identity = identity
        self.runs: list[dict[str, Any]] = []
        if base is not None:
            self.tally.words = Numbers(base.ids)
            self.tally.documents = Numbers((name, i) for i, name in enumerate(base.documents))
            self.tally.titles = dict(base.titles)
        self._resume()

    @property
    def done(self) -> int:
        return self.tally.chains

    def _resume(self) -> None:
        try:
            journal = json.loads((self.work / "journal.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            journal = {}
        if journal.get("identity") != self.identity:
            for path in self.work.iterdir():
                if path.name != "lock":
                    path.unlink()
            return
        for number, run in enumerate(journal["runs"]):
            new = json.loads((self.work / f"names-{number:05d}.json").read_text(encoding="utf-8"))
            for verb, slot in new["words"]:
                _ = self.tally.words[verb, slot]  # asked for in the old order: the old numbers
            for name in new["documents"]:
                _ = self.tally.documents[name]
            self.tally.titles |= new["titles"]
            self.tally.chains += run["chains"]
        self.runs = journal["runs"]

    def add(self, batch: Numbered, memory: int) -> None:
        words, documents = len(self.tally.words), len(self.tally.documents)
        if not self.tally.bytes:
            self._marks = (words, documents, self.tally.chains)
        self.tally.add(batch)
        if self.tally.bytes > memory * 1_000_000 // 3:  # sorting needs as much again
            self.set_down()

    def set_down(self) -> None:
        """Write the pairs since the last run as a run, and then say so in the journal."""
        number = len(self.runs)
        words, documents, chains = self._marks
        runs, streams = self.tally.take()
        cards: dict[str, Any] = {"chains": self.tally.chains - chains}
        for name, (keys, counts) in runs.items():
            cards[f"{name}_keys"] = self._write(f"{name}_keys-{number:05d}", keys)
            cards[f"{name}_counts"] = self._write(f"{name}_counts-{number:05d}", counts)
        for name, values in streams.items():
            cards[name] = self._write(f"{name}-{number:05d}", values)
        names = list(islice(self.tally.documents, documents, None))
        titles = self.tally.titles
        new = {
            "words": list(islice(self.tally.words, words, None)),
            "documents": names,
            "titles": {name: titles[name] for name in names if name in titles},
        }
        write_text(self.work / f"names-{number:05d}.json", json.dumps(new, ensure_ascii=False))
        self.runs.append(cards)
        journal = {"identity": self.identity, "runs": self.runs}
        write_text(self.work / "journal.json", json.dumps(journal))

    def _write(self, name: str, values: NDArray[Any]) -> dict[str, Any]:
        return write_array(self.work / f"{name}.safetensors", values).to_row()

    def finish(self, recipe: str | None, sources: list[str]) -> None:
        if self.tally.bytes:
            self.set_down()
        if not self.tally.words:
            raise UsageError("there is no chain of two events or more to count")
        generation = fingerprint([self.identity, *(json.dumps(run) for run in self.runs)])[:8]
        arrays: dict[str, dict[str, Any]] = {}
        for name in TABLES:
            keys = ArrayWriter(self.place / f"{name}_keys-{generation}.safetensors", np.uint64)
            sums = ArrayWriter(self.place / f"{name}_counts-{generation}.safetensors", np.uint32)
            for piece in merge_runs(list(self._tables(name))):
                keys.add(piece[0])
                sums.add(piece[1])
            arrays[f"{name}_keys"] = keys.close().to_row()
            arrays[f"{name}_counts"] = sums.close().to_row()
        arrays |= self._streams(generation)
        names = Names(list(self.tally.words), list(self.tally.documents), self.tally.titles)
        settle(self.place, generation, names, arrays, self.tally.skip, recipe, sources)

    def _tables(self, name: str) -> Iterator[Run]:
        if self.base is not None:
            table = {"near": self.base.near, "whole": self.base.whole}.get(name, self.base.postings)
            yield table.keys, table.counts
        for run in self.runs:
            keys = read_array(self.work, ArrayCard(**run[f"{name}_keys"]))
            yield keys, read_array(self.work, ArrayCard(**run[f"{name}_counts"]))

    def _streams(self, generation: str) -> dict[str, dict[str, Any]]:
        """The chains, document by document; one document's may have come in several pieces."""
        pieces: dict[str, list[NDArray[np.uint32]]] = {name: [] for name in STREAMS}
        for name in STREAMS:
            if self.base is not None:
                pieces[name].append(getattr(self.base, name))
            pieces[name] += [read_array(self.work, ArrayCard(**run[name])) for run in self.runs]
        documents = np.concatenate(pieces["chain_documents"])
        if bool((documents[1:] < documents[:-1]).any()):
            order = np.argsort(documents, kind="stable")
            flat, lengths = reordered(
                np.concatenate(pieces["flat"]), np.concatenate(pieces["lengths"]), order
            )
            pieces = {"flat": [flat], "lengths": [lengths], "chain_documents": [documents[order]]}
        cards = {}
        for name, some in pieces.items():
            writer = ArrayWriter(self.place / f"{name}-{generation}.safetensors", np.uint32)
            for values in some:
                writer.add(values)
            cards[name] = writer.close().to_row()
        return cards
