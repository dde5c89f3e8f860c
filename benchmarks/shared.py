"""What benchmarks share: rows of the table, the development data, and salads built from it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from fabula.salads.build import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.documents import read_documents
from fabula.text.parts import in_part

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
