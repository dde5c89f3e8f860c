"""Coreference items from a file: its suffix says which format it is in."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike

from fabula.coreference.formats.conll import read_conll
from fabula.coreference.formats.gap import read_gap
from fabula.coreference.items import Passage
from fabula.errors import InputError
from fabula.text.io.streams import split_name

__all__ = ["read_passages"]

_READERS = {".tsv": read_gap, ".conll": read_conll, ".v4_gold_conll": read_conll}


def read_passages(path: str | PathLike[str]) -> Iterator[Passage]:
    """Stream the passages of a ``.tsv`` (GAP) or ``.conll`` file, compressed or not."""
    _, suffix, _ = split_name(path)
    reader = _READERS.get(suffix)
    if reader is None:
        raise InputError(
            f"coreference is read from {', '.join(_READERS)} (also .gz, .xz); this is {suffix!r}",
            path=path,
        )
    return reader(path)
