"""A data set as the ``datasets`` library and its hub know it: Parquet files and a card."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.core.files import fingerprint, make_folder, write_text
from fabula.errors import InputError, UsageError
from fabula.registry import tasks
from fabula.text.io.records import meta_path, write_splits
from fabula.text.io.streams import split_name

__all__ = ["export_dataset", "split_of", "write_dataset"]

_SPLITS = {"train": "train", "dev": "validation", "validation": "validation", "test": "test"}
# The hub's words for what a task is; a task that is not named has none there.
_CATEGORIES = {"endings": "multiple-choice", "pairs": "text-classification"}
_SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}


def split_of(path: str | PathLike[str]) -> str:
    """The split a built file's name tells: ``x.dev.jsonl`` is validation; else train.

    >>> split_of("x.dev.jsonl.xz"), split_of("x.jsonl")
    ('validation', 'train')
    """
    return _SPLITS.get(split_name(path)[0].rpartition(".")[2], "train")


def export_dataset(
    task: str,
    paths: Sequence[str],
    folder: str | PathLike[str],
    name: str,
    *,
    read: Callable[[str], Iterable[Any]] | None = None,
) -> list[Path]:
    """Write the items of files as a data set; each file is the split that its name tells.

    ``read`` stands in for the task's own reader of items.
    """
    read = read or tasks.get(task).read
    splits: dict[str, list[dict[str, Any]]] = {}
    sources: dict[str, str] = {}
    licences = set()
    for path in paths:
        split = split_of(path)
        if split in splits:
            problem = f"{sources[split]} and {path} are both the split {split!r}"
            raise UsageError(f"{problem}; call files x.train.jsonl, x.dev.jsonl, x.test.jsonl")
        items = list(read(path))
        if not all(hasattr(item, "to_row") for item in items):
            raise UsageError(f"items of {task} have no rows to write; share the file as it is")
        splits[split] = [item.to_row() for item in items]
        if not splits[split]:
            raise InputError("holds no items", path=path)
        sources[split] = Path(path).name
        licences.add(_licence(path))
    licence = licences.pop() if len(licences) == 1 else None
    return write_dataset(folder, splits, task=task, name=name, licence=licence, sources=sources)


def _licence(path: str) -> str | None:
    """The field ``licence`` of the ``.meta.json`` beside a built file."""
    try:
        value = json.loads(meta_path(path).read_text(encoding="utf-8")).get("licence")
    except (OSError, ValueError, AttributeError):
        return None
    return value if isinstance(value, str) and value.strip() else None


def write_dataset(
    folder: str | PathLike[str],
    splits: Mapping[str, Iterable[Mapping[str, Any]]],
    *,
    task: str,
    name: str,
    licence: str | None = None,
    sources: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write ``data/SPLIT.parquet`` and the card ``README.md``; the paths written, card first.

    ``datasets.load_dataset("FOLDER")`` finds the splits by the card, and
    ``datasets.load_dataset("parquet", data_files=...)`` reads the files.
    """
    if not re.fullmatch(r"[\w .-]+", name):
        raise UsageError(f"a name has letters, digits, spaces, . - and _; it is {name!r}")
    place = Path(folder)
    make_folder(place / "data")
    rows_by_split = {split: [dict(row) for row in rows] for split, rows in splits.items()}
    written = {place / "data" / f"{split}.parquet": rows for split, rows in rows_by_split.items()}
    write_splits(written)
    card = place / "README.md"
    write_text(card, _card(rows_by_split, task, name, licence, sources or {}))
    return [card, *written]


def _card(
    splits: Mapping[str, list[dict[str, Any]]],
    task: str,
    name: str,
    licence: str | None,
    sources: Mapping[str, str],
) -> str:
    from fabula import __version__

    count = sum(map(len, splits.values()))
    size = next((word for most, word in _SIZES.items() if count < most), "n>1M")
    columns = dict.fromkeys(key for rows in splits.values() for row in rows for key in row)
    known = licence if licence and re.fullmatch(r"[a-z0-9.-]+", licence.lower()) else None
    front = [f"pretty_name: {json.dumps(name)}"]
    front += [f"license: {known.lower() if known else 'unknown'}"]
    if task in _CATEGORIES:
        front += ["task_categories:", f"- {_CATEGORIES[task]}"]
    front += ["size_categories:", f"- {size}", "tags:", "- fabula", f"- {task}"]
    front += ["configs:", "- config_name: default", "  data_files:"]
    for split in splits:
        front += [f"  - split: {split}", f"    path: data/{split}.parquet"]
    table = ["| split | items | from | fingerprint |", "|---|---|---|---|"]
    for split, rows in splits.items():
        mark = fingerprint(repr(row) for row in rows)
        table.append(f"| {split} | {len(rows):,} | {_code(sources.get(split, '-'))} | `{mark}` |")
    text = [
        f"# {name}",
        "",
        f"Items of the task `{task}` of fabula. Columns: {', '.join(map(_code, columns))}.",
        "",
        *table,
        "",
        "```python",
        "import datasets",
        "",
        'data = datasets.load_dataset("FOLDER")  # this folder, or the name it has on a hub',
        "```",
        "",
        f"`fabula evaluate {task} data/{next(iter(splits))}.parquet -m best` measures a model.",
        "",
        "## Licence",
        "",
        licence or "Not stated. What is built from a corpus is under that corpus's licence.",
        "",
        f"Written by fabula {__version__}.",
    ]
    return "\n".join(["---", *front, "---", "", *text]) + "\n"


def _code(text: str) -> str:
    return f"`{text.replace('`', '').replace('|', ' ')}`"
