"""A counts store: a folder of memory-mapped arrays and the manifest that lists them.

``counts.json`` names each array's file and checksum. Files are never changed after they are
finished, and a new manifest is renamed into place when its arrays are, so a store is always whole.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import fingerprint, make_folder, write_text
from fabula.core.safety.checked_json import parse_json
from fabula.errors import DamagedFile, InputError
from fabula.events.counts.arrays import ArrayCard, read_array, write_array
from fabula.events.counts.event_counts import Counts, EventType
from fabula.events.counts.pairs import PairTable

__all__ = [
    "MANIFEST",
    "STORE_FILE",
    "checksums",
    "is_store",
    "open_counts",
    "read_manifest",
    "save_counts",
    "write_manifest",
]

MANIFEST = "counts.json"
FORMAT = 1
# The names of the tables and chain arrays in a store, and the fields of Counts they hold.
PAIR_TABLES = {"near": "skip_bigrams", "whole": "chain_pairs", "posting": "postings"}
CHAIN_ARRAYS = {
    "flat": "event_ids",
    "lengths": "chain_lengths",
    "chain_documents": "chain_documents",
}
# The files of a store: of these, and of no others, those of an older store are removed.
STORE_FILE = re.compile(
    rf"(?:(?:{'|'.join(PAIR_TABLES)})_(?:keys|counts)|{'|'.join(CHAIN_ARRAYS)})-[0-9a-f]{{8}}"
    r"\.safetensors|(?:words|documents)-[0-9a-f]{8}\.json"
)
_log = logging.getLogger("fabula.events")


def is_store(path: str | PathLike[str]) -> bool:
    """Whether a folder is a counts store."""
    return (Path(path) / MANIFEST).is_file()


def open_counts(folder: str | PathLike[str], *, verify: bool = True) -> Counts:
    """Open a store without reading its arrays into memory; a truncated or altered one is refused.

    ``verify=False`` leaves out the checksums (not the sizes), for stores of many gigabytes.
    """
    path = Path(folder)
    manifest = read_manifest(path)

    def array(name: str) -> NDArray[Any]:
        return read_array(path, ArrayCard(**manifest["arrays"][name]), verify=verify)

    try:
        event_types = _read_list(path, manifest["words"], verify)
        arrays: dict[str, Any] = {
            field: PairTable(array(f"{name}_keys"), array(f"{name}_counts"), len(event_types))
            for name, field in PAIR_TABLES.items()
        }
        arrays |= {field: array(name) for name, field in CHAIN_ARRAYS.items()}
        return Counts(
            **arrays,
            event_types=[(verb, slot) for verb, slot in event_types],
            documents=[str(name) for name in _read_list(path, manifest["documents"], verify)],
            titles=dict(manifest.get("titles") or {}),
            skip=int(manifest["skip"]),
            recipe=manifest.get("recipe"),
            folder=path,
        )
    except (KeyError, TypeError) as error:
        problem = f"{path / MANIFEST}: not a counts store ({error}); build it again"
        raise DamagedFile(problem) from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a store, its checksum compared."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError("is no counts store; build one with: fabula build counts", path=folder)
    try:
        manifest = parse_json(path.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError(f"format {manifest['format']!r}, this version reads {FORMAT}")
        expected = manifest["checksum"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedFile(f"{path}: not a counts store ({error}); build it again") from error
    if _checksum(manifest) != expected:
        raise DamagedFile(f"{path}: altered since it was written; build it again")
    return dict(manifest)


def _checksum(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of all fields of a manifest but ``checksum``."""
    rest = {key: value for key, value in manifest.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _read_list(folder: Path, card: Mapping[str, Any], verify: bool) -> list[Any]:
    path = folder / card["file"]
    try:
        data = path.read_bytes()
        if verify and hashlib.sha256(data).hexdigest() != card["sha256"]:
            raise DamagedFile(f"{path}: altered since it was written; build it again")
        values = parse_json(data)
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path}: cannot be read ({error}); build it again") from error
    if not isinstance(values, list):
        raise DamagedFile(f"{path}: not a list; build it again")
    return values


def save_counts(counts: Counts, folder: str | PathLike[str]) -> None:
    """Write counts as a store; the files of counts that were opened from one are linked."""
    path = Path(folder)
    make_folder(path)
    if counts.folder is not None:
        _link_files(counts.folder, path)
        return
    types = map(str, counts.event_types[:100])
    generation = fingerprint([*types, str(len(counts)), str(counts.tokens)])[:8]
    cards = {
        name: write_array(path / f"{name}-{generation}.safetensors", values).to_row()
        for name, values in _arrays(counts).items()
    }
    write_manifest(
        path,
        generation,
        cards,
        event_types=counts.event_types,
        documents=counts.documents,
        titles=counts.titles,
        skip=counts.skip,
        recipe=counts.recipe,
    )


def write_manifest(
    folder: Path,
    generation: str,
    arrays: Mapping[str, Any],
    *,
    event_types: Sequence[EventType],
    documents: Sequence[str],
    titles: Mapping[str, str],
    skip: int,
    recipe: str | None,
    sources: Sequence[str] = (),
) -> None:
    """Write the manifest that makes the arrays of ``generation``, already in the folder, the store.

    The files of other generations are removed.
    """
    types_card = _write_list(folder, f"words-{generation}.json", list(map(list, event_types)))
    documents_card = _write_list(folder, f"documents-{generation}.json", list(documents))
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "skip": skip,
        "recipe": recipe,
        "chains": arrays["lengths"]["length"],
        "tokens": arrays["flat"]["length"],
        "sources": list(sources),
        "words": types_card,
        "documents": documents_card,
        "titles": dict(titles),
        "arrays": dict(arrays),
    }
    manifest["checksum"] = _checksum(manifest)
    # The commit: before this rename the old store is whole, after it the new one is.
    write_text(folder / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    for path in folder.iterdir():
        if STORE_FILE.fullmatch(path.name) and path.is_file() and generation not in path.name:
            path.unlink()


def checksums(counts: Counts) -> list[str]:
    """The SHA-256 of each array and list; those of a store on disk are read from its manifest."""
    arrays = sorted(_arrays(counts).items())
    if counts.folder is not None:
        manifest = read_manifest(counts.folder)
        cards = [manifest["arrays"][name] for name, _ in arrays]
        return [card["sha256"] for card in [*cards, manifest["words"], manifest["documents"]]]
    lists = (list(map(list, counts.event_types)), list(counts.documents))
    contents: list[Any] = [np.ascontiguousarray(values) for _, values in arrays]
    contents += [_list_text(values).encode() for values in lists]
    return [hashlib.sha256(content).hexdigest() for content in contents]


def _arrays(counts: Counts) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    for name, field in PAIR_TABLES.items():
        table: PairTable = getattr(counts, field)
        arrays |= {f"{name}_keys": table.keys, f"{name}_counts": table.counts}
    return arrays | {name: getattr(counts, field) for name, field in CHAIN_ARRAYS.items()}


def _list_text(values: Sequence[Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"


def _write_list(folder: Path, name: str, values: list[Any]) -> Mapping[str, str]:
    text = _list_text(values)
    write_text(folder / name, text)
    return {"file": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _link_files(source: Path, target: Path) -> None:
    """Hard-link the files of a store: they never change, so a link is as good as a copy."""
    if source.resolve() == target.resolve():
        return
    manifest = read_manifest(source)
    files = [card["file"] for card in manifest["arrays"].values()]
    for name in [*files, manifest["words"]["file"], manifest["documents"]["file"], MANIFEST]:
        (target / name).unlink(missing_ok=True)
        try:
            os.link(source / name, target / name)
        except OSError as error:
            _log.info("%s: copied, since it cannot be linked (%s)", target / name, error.strerror)
            shutil.copyfile(source / name, target / name)
