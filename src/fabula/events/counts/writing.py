"""Putting counts into a folder: the arrays first, then the manifest that makes them the store."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from fabula.core.files import fingerprint, make_folder, write_text
from fabula.events.counts.arrays import write_array
from fabula.events.counts.store import FORMAT, MANIFEST, Counts, manifest_checksum, read_manifest

__all__ = ["Names", "save_counts", "settle"]


@dataclass(frozen=True, slots=True)
class Names:
    """What the numbers stand for."""

    words: Sequence[tuple[str, str]]
    documents: Sequence[str]
    titles: Mapping[str, str] = field(default_factory=dict)


def settle(
    place: Path,
    generation: str,
    names: Names,
    arrays: Mapping[str, Any],
    skip: int,
    recipe: str | None,
    sources: Sequence[str],
) -> None:
    """Make the arrays of ``generation``, which are in the folder already, the store."""
    words = _list(place, f"words-{generation}.json", [list(word) for word in names.words])
    documents = _list(place, f"documents-{generation}.json", list(names.documents))
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "skip": skip,
        "recipe": recipe,
        "chains": arrays["lengths"]["length"],
        "tokens": arrays["flat"]["length"],
        "sources": list(sources),
        "words": words,
        "documents": documents,
        "titles": dict(names.titles),
        "arrays": dict(arrays),
    }
    manifest["checksum"] = manifest_checksum(manifest)
    # The one moment of change: before it the old store is whole, after it the new one is.
    write_text(place / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    for path in place.glob("*-*.*"):
        if path.is_file() and generation not in path.name:
            path.unlink()


def _list(place: Path, name: str, values: list[Any]) -> Mapping[str, str]:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n"
    write_text(place / name, text)
    return {"file": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def save_counts(counts: Counts, folder: str | PathLike[str]) -> None:
    """Write counts as a store; those that come from one on disk are linked, not copied."""
    place = Path(folder)
    make_folder(place)
    if counts.folder is not None:
        _link(counts.folder, place)
        return
    found: dict[str, NDArray[Any]] = {
        "near_keys": counts.near.keys,
        "near_counts": counts.near.counts,
        "whole_keys": counts.whole.keys,
        "whole_counts": counts.whole.counts,
        "posting_keys": counts.postings.keys,
        "posting_counts": counts.postings.counts,
        "flat": counts.flat,
        "lengths": counts.lengths,
        "chain_documents": counts.chain_documents,
    }
    generation = fingerprint([*map(str, counts.words[:100]), str(len(counts)), str(counts.tokens)])
    arrays = {
        name: write_array(place / f"{name}-{generation[:8]}.safetensors", values).to_row()
        for name, values in found.items()
    }
    names = Names(counts.words, counts.documents, counts.titles)
    settle(place, generation[:8], names, arrays, counts.skip, counts.recipe, [])


def _link(source: Path, place: Path) -> None:
    """Finished files never change, so a link is as good as a copy, and free."""
    if source.resolve() == place.resolve():
        return
    manifest = read_manifest(source)
    files = [card["file"] for card in manifest["arrays"].values()]
    for name in [*files, manifest["words"]["file"], manifest["documents"]["file"], MANIFEST]:
        target = place / name
        target.unlink(missing_ok=True)
        try:
            os.link(source / name, target)
        except OSError:  # another disk
            shutil.copyfile(source / name, target)
