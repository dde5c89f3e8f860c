"""What benchmarks share: the development data, and salads built from it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fabula.salads.build import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.documents import read_documents
from fabula.text.parts import in_part

DATA = Path(__file__).parents[2] / "shared" / "data"


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
