"""All categories of an article count, and a pattern is found as whole words."""

from __future__ import annotations

import bz2
import importlib.util
import os
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pytest

from fabula.salads.build.hardest import hardest_salads
from fabula.salads.build.mix import Source, build_salads, categories, pools_of, read_sources
from fabula.salads.build.steps import source_from, sources
from fabula.scale.worker import Tally
from fabula.text.io.documents import read_documents

ARTICLES = {
    "John K. Randle": ["1855 births", "Nigerian people of World War I"],
    "Orlando Martins": ["Male film actors", "Wrestlers", "Nigerian people of World War I"],
    "A compiler": ["Compilers", "Free software"],
    "A word processor": ["Writing", "Free software"],
    "A Polish palace": ["Palaces", "Buildings in Warsaw"],
    "A Polish bridge": ["Bridges", "Buildings in Warsaw"],
    "An actor": ["Award winners"],
    "An actress": ["Award winners"],
}


def dump(folder: Path) -> Path:
    """A Wikipedia dump of these articles."""
    pages = []
    for number, (title, names) in enumerate(ARTICLES.items(), 1):
        body = " ".join(f"Sentence number {i} is about {title} and his work." for i in range(9))
        text = body + "".join(f"\n[[Category:{name}]]" for name in names)
        pages.append(
            f"<page><title>{escape(title)}</title><ns>0</ns><id>{number}</id><revision>"
            f"<timestamp>2018-01-20T00:00:00Z</timestamp><text>{escape(text)}</text>"
            "</revision></page>"
        )
    path = folder / "made-pages-articles.xml.bz2"
    path.write_bytes(bz2.compress(f"<mediawiki>{''.join(pages)}</mediawiki>".encode()))
    return path


def titles(pool: list[Source]) -> set[str | None]:
    return {source.document.title for source in pool}


@pytest.mark.parametrize("pattern", ["war|conflict", "wars?|conflicts?"])
def test_the_pair_of_figure_2_is_built_and_software_is_no_war(pattern: str, tmp_path: Path) -> None:
    used, _ = read_sources(read_documents(dump(tmp_path)))
    (pool,) = pools_of(used, "same-category", pattern=pattern)
    assert titles(pool) == {"John K. Randle", "Orlando Martins"}
    (salad,) = build_salads(used, recipe="same-category", pattern=pattern)
    assert len(salad.documents) == 2
    assert len(pools_of(used, "same-category")) == 4


def test_categories_survive_the_steps_of_an_engine(tmp_path: Path) -> None:
    rows = [document.to_row() for document in read_documents(dump(tmp_path))]
    used = [source_from(row) for row in sources()(rows, Tally())]
    assert [categories(source.document) for source in used] == list(map(tuple, ARTICLES.values()))


def test_a_pair_of_two_categories_is_one_pair(tmp_path: Path) -> None:

    used, _ = read_sources(read_documents(dump(tmp_path)))
    both = [s for s in used if s.document.title in ("John K. Randle", "Orlando Martins")]
    extra = {"categories": ["Nigerian people of World War I", "Lagos"]}
    shared = [
        replace(s, document=replace(s.document, extra=extra), topic=np.array(row, np.float32))
        for s, row in zip(both, ([1.0, 0.0], [0.6, 0.8]), strict=True)
    ]
    assert len(hardest_salads(shared, base="same-category", among="all", n=5)) == 1


GENSIM = "enwiki-latest-pages-articles*.bz2"


def test_gensims_wikipedia_sample() -> None:
    """Its articles have many categories; with the first alone nearly all pools are gone."""
    found = importlib.util.find_spec("gensim")
    places = [
        Path(place, "test", "test_data")
        for place in (found.submodule_search_locations if found else None) or ()
    ]
    if folder := os.environ.get("FABULA_GENSIM_DATA"):
        places.append(Path(folder))
    files = [file for place in places for file in sorted(place.glob(GENSIM))]
    if not files:
        pytest.skip("neither gensim nor its test_data (FABULA_GENSIM_DATA) is here")
    used, _ = read_sources(read_documents(files[0]))
    every = pools_of(used, "same-category")
    first: dict[str | None, int] = {}
    for source in used:
        first[source.document.category] = first.get(source.document.category, 0) + 1
    by_first = sum(1 for name, n in first.items() if name and n > 1)
    assert len(every) > by_first
    for pool in every:
        assert set.intersection(*({*categories(source.document)} for source in pool))
