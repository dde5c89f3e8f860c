"""Count chains into a store on disk by external merge sort, in bounded memory, resumable.

When the pair keys fill their share of the memory they are sorted, counted and spilled as a run;
at the end the runs are merged. Runs and a journal stand in ``.building`` inside the store's
folder, so a build that was killed resumes after its last run. The store itself changes at one
moment, when its manifest is renamed into place.
"""

from __future__ import annotations

import fcntl
import json
import logging
import re
from collections.abc import Iterable, Iterator
from itertools import chain as chained
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import TEMPORARY, fingerprint, make_folder, write_text
from fabula.core.safety.checked_json import parse_json
from fabula.core.safety.ownership import remove_files
from fabula.errors import DamagedFile, InputError, UsageError
from fabula.events.counts.arrays import ArrayCard, ArrayWriter, read_array, write_array
from fabula.events.counts.counting import PairCounter, reorder_chains
from fabula.events.counts.encoding import EncodedChains, Vocabulary, encode_chains
from fabula.events.counts.event_counts import Counts
from fabula.events.counts.pairs import PairTable, Run, merge_runs
from fabula.events.counts.store import (
    CHAIN_ARRAYS,
    PAIR_TABLES,
    STORE_FILE,
    is_store,
    open_counts,
    read_manifest,
    write_manifest,
)
from fabula.events.items import Chain

__all__ = ["count_to_store"]

WORK = ".building"
_RUN_FILE = re.compile(rf"journal\.json|\w+-\d{{5}}\.(?:json|safetensors)|{TEMPORARY.pattern}")
_WORK_FILE = re.compile(rf"lock|{_RUN_FILE.pattern}")
_log = logging.getLogger("fabula.events")


def count_to_store(
    folder: str | PathLike[str],
    chains: Iterable[Chain | EncodedChains],
    *,
    source: Iterable[str] = (),
    skip: int = 2,
    recipe: str | None = None,
    append: bool = False,
    memory: int = 512,
) -> Counts:
    """Count chains into a store, with about ``memory`` megabytes for pairs, and open it.

    ``chains`` may be encoded in batches elsewhere; the store is the same. ``source`` names what
    the chains come from (paths, checksums): a build that was stopped resumes only with the same.
    ``append`` adds to the store that is there; without it, the old store is replaced, and until
    the moment it is, it stays as it was.
    """
    path = Path(folder)
    if path.is_dir() and not _may_write(path):
        raise InputError("is a folder of something else; name a new one", path=path)
    base = open_counts(path) if append and is_store(path) else None
    if base is not None and (base.skip, base.recipe) != (skip, recipe):
        raise UsageError(
            f"{path} was counted with skip {base.skip} and recipe {base.recipe}; "
            "append with the same"
        )
    make_folder(make_folder(path) / WORK)
    base_manifest = read_manifest(path) if base else {}
    name = fingerprint([*map(str, source), str(skip), str(recipe)])
    if base is not None and name in base_manifest["sources"]:
        return base  # a build that was killed after its last step and is run again
    identity = fingerprint([name, base_manifest.get("checksum", "")])
    with (path / WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError("another build is writing here", path=path) from error
        build = _StoreBuild(path, identity, skip, base)
        for batch in _batches_after(build.counter.chains, chains, recipe):
            build.add(batch, memory)
        build.finish(recipe, [*base_manifest.get("sources", []), name])
    remove_files(path / WORK, _WORK_FILE)
    if not any((path / WORK).iterdir()):
        (path / WORK).rmdir()
    return open_counts(path)


def _may_write(folder: Path) -> bool:
    """Whether a folder is a store, an unfinished one, or empty."""
    names = {path.name for path in folder.iterdir()}
    if WORK in names and not all(_WORK_FILE.fullmatch(p.name) for p in (folder / WORK).glob("*")):
        return False
    if not is_store(folder):
        return names <= {WORK}
    try:
        read_manifest(folder)
    except DamagedFile:
        return any(map(STORE_FILE.fullmatch, names))
    return True


def _batches_after(
    done: int, chains: Iterable[Chain | EncodedChains], recipe: str | None
) -> Iterator[EncodedChains]:
    """Encoded batches without the first ``done`` chains, which an earlier try has counted."""
    pending: Iterator[Any] = iter(chains)
    first = next(pending, None)
    pending = chained([first] if first is not None else [], pending)
    if not isinstance(first, EncodedChains):
        yield from encode_chains(pending, recipe, done)
        return
    for batch in pending:
        if len(batch) > done:
            yield batch.after(done)
        done = max(0, done - len(batch))


class _StoreBuild:
    """A build in a folder, resumed from the runs its journal lists."""

    def __init__(self, folder: Path, identity: str, skip: int, base: Counts | None) -> None:
        self.folder, self.work, self.base = folder, folder / WORK, base
        self.counter = PairCounter(skip)
        self.identity = identity
        self.runs: list[dict[str, Any]] = []
        if base is not None:
            self.counter.event_types = Vocabulary(base.ids)
            self.counter.documents = Vocabulary((name, i) for i, name in enumerate(base.documents))
            self.counter.titles = dict(base.titles)
        self._resume()
        self._mark()

    def _resume(self) -> None:
        counter, path = self.counter, self.work / "journal.json"
        try:
            journal = parse_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            journal = {}
        except (OSError, ValueError) as error:
            _log.warning("%s: the journal is unreadable (%s); counting from the start", path, error)
            journal = {}
        if journal.get("identity") != self.identity:
            remove_files(self.work, _RUN_FILE)
            return
        for number, run in enumerate(journal["runs"]):
            new = parse_json((self.work / f"names-{number:05d}.json").read_text(encoding="utf-8"))
            for verb, slot in new["words"]:
                _ = counter.event_types[verb, slot]  # looked up in the old order: the old ids
            for name in new["documents"]:
                _ = counter.documents[name]
            counter.titles |= new["titles"]
            counter.chains += run["chains"]
        self.runs = journal["runs"]
        _log.info("%s: resuming after %d counted chains", self.folder, counter.chains)

    def _mark(self) -> None:
        """Remember the sizes at the start of a run: what is new in it is written with it."""
        counter = self.counter
        self._marks = len(counter.event_types), len(counter.documents), counter.chains

    def add(self, batch: EncodedChains, memory: int) -> None:
        self.counter.add(batch)
        if self.counter.bytes > memory * 1_000_000 // 3:  # sorting needs as much again
            self._spill()

    def _spill(self) -> None:
        """Write the pairs since the last run as a sorted run, then list it in the journal."""
        number = len(self.runs)
        types, documents, chains = self._marks
        runs, arrays = self.counter.take()
        cards: dict[str, Any] = {"chains": self.counter.chains - chains}
        for name, (keys, counts) in runs.items():
            cards[f"{name}_keys"] = self._write_run(f"{name}_keys", number, keys)
            cards[f"{name}_counts"] = self._write_run(f"{name}_counts", number, counts)
        for name, values in arrays.items():
            cards[name] = self._write_run(name, number, values)
        names = list(islice(self.counter.documents, documents, None))
        titles = self.counter.titles
        new = {
            "words": list(islice(self.counter.event_types, types, None)),
            "documents": names,
            "titles": {name: titles[name] for name in names if name in titles},
        }
        write_text(self.work / f"names-{number:05d}.json", json.dumps(new, ensure_ascii=False))
        self.runs.append(cards)
        journal = {"identity": self.identity, "runs": self.runs}
        write_text(self.work / "journal.json", json.dumps(journal))
        self._mark()

    def _write_run(self, name: str, number: int, values: NDArray[Any]) -> dict[str, Any]:
        return write_array(self.work / f"{name}-{number:05d}.safetensors", values).to_row()

    def finish(self, recipe: str | None, sources: list[str]) -> None:
        """Merge the runs, and the store that is appended to, into the arrays of a new store."""
        counter = self.counter
        if counter.bytes:
            self._spill()
        if not counter.event_types:
            raise UsageError("there is no chain of two events or more to count")
        generation = fingerprint([self.identity, *(json.dumps(run) for run in self.runs)])[:8]
        cards: dict[str, dict[str, Any]] = {}
        for name in PAIR_TABLES:
            keys = ArrayWriter(self.folder / f"{name}_keys-{generation}.safetensors", np.uint64)
            sums = ArrayWriter(self.folder / f"{name}_counts-{generation}.safetensors", np.uint32)
            for run in merge_runs(list(self._runs_of(name))):
                keys.add(run[0])
                sums.add(run[1])
            cards[f"{name}_keys"] = keys.close().to_row()
            cards[f"{name}_counts"] = sums.close().to_row()
        for name, pieces in self._chain_arrays().items():
            path = self.folder / f"{name}-{generation}.safetensors"
            cards[name] = write_array(path, *pieces).to_row()
        write_manifest(
            self.folder,
            generation,
            cards,
            event_types=list(counter.event_types),
            documents=list(counter.documents),
            titles=counter.titles,
            skip=counter.skip,
            recipe=recipe,
            sources=sources,
        )

    def _runs_of(self, name: str) -> Iterator[Run]:
        if self.base is not None:
            table: PairTable = getattr(self.base, PAIR_TABLES[name])
            yield table.keys, table.counts
        for run in self.runs:
            keys = read_array(self.work, ArrayCard(**run[f"{name}_keys"]))
            yield keys, read_array(self.work, ArrayCard(**run[f"{name}_counts"]))

    def _chain_arrays(self) -> dict[str, list[NDArray[np.uint32]]]:
        """The chains, sorted by document; one document's may have come in several pieces."""
        pieces: dict[str, list[NDArray[np.uint32]]] = {}
        for name, field in CHAIN_ARRAYS.items():
            base = [] if self.base is None else [getattr(self.base, field)]
            runs = [read_array(self.work, ArrayCard(**run[name])) for run in self.runs]
            pieces[name] = base + runs
        documents = np.concatenate(pieces["chain_documents"])
        if not bool((documents[1:] < documents[:-1]).any()):
            return pieces
        order = np.argsort(documents, kind="stable")
        event_ids, lengths = reorder_chains(
            np.concatenate(pieces["flat"]), np.concatenate(pieces["lengths"]), order
        )
        return {"flat": [event_ids], "lengths": [lengths], "chain_documents": [documents[order]]}
