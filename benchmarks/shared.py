"""What benchmarks share: the development data, and salads built from it."""

from __future__ import annotations

from pathlib import Path

from fabula.salads.build import build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.documents import read_documents
from fabula.text.parts import in_part

DATA = Path(__file__).parents[2] / "shared" / "data"


def wiki_salads(recipe: str, n: int, part: str = "test") -> list[Salad] | None:
    """Salads of the ``wiki_conflict`` articles, or None where the data is not there."""
    path = DATA / "wiki_conflict.jsonl.xz"
    if not path.is_file():
        return None
    sources, _ = read_sources(in_part(read_documents(path), part))
    return list(build_salads(sources, recipe=recipe, n=n, seed=1))
