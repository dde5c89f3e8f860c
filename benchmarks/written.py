"""Texts written for this project, by language models, to train and measure on; Apache-2.0.

``written/stories/LETTER.txt``: everyday stories of five sentences, one a line; ``dossiers``: news
stories told by several hands, in order, with marked contradictions. A letter is one writer.

    python -m benchmarks.written FOLDER

writes them as documents (``stories.train.jsonl``, ``dossiers.dev.jsonl`` and so on), and salads of
less than ``fabula build salads`` takes of a document: 500 of 3-9 stories, and 900 of 3-5 sentences
of 2-4 documents each.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.shared import DATA
from fabula.salads.build import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.documents import read_documents
from fabula.text.parts import in_part
from fabula.text.records import write_records
from fabula.types import Document

__all__ = ["Dossier", "Mark", "dossiers", "stories"]

FOLDER = Path(__file__).parent / "written"
DEV = {"stories": "g", "dossiers": "u"}  # writers that nothing is trained on


@dataclass(frozen=True, slots=True)
class Mark:
    """Two sentences (from 0) that cannot both be right, and what each of them says."""

    kind: str
    sentences: tuple[int, int]
    values: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Dossier:
    id: str
    title: str
    hands: tuple[str, ...]
    sentences: tuple[str, ...]
    marks: tuple[Mark, ...]


def stories(part: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The id and the five sentences of each story of a part, ``train`` or ``dev``."""
    for path in _files("stories", part):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"written-{path.stem}{number:03}", tuple(line.split(" | "))


def dossiers(part: str) -> Iterator[Dossier]:
    for path in _files("dossiers", part):
        blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
        for number, block in enumerate(blocks, 1):
            yield _dossier(f"dossier-{path.stem}{number:02}", block.splitlines())


def _dossier(name: str, lines: list[str]) -> Dossier:
    told = [line.split(" | ", 1) for line in lines if line[0] not in "#!"]
    marks = []
    for line in lines:
        if line.startswith("! "):
            kind, places, one, other = (part.strip() for part in line[2:].split("|", 3))
            first, second = (int(place) - 1 for place in places.split())
            marks.append(Mark(kind, (first, second), (one, other)))
    return Dossier(
        id=name,
        title=lines[0].removeprefix("# "),
        hands=tuple(hand.strip() for hand, _ in told),
        sentences=tuple(sentence.strip() for _, sentence in told),
        marks=tuple(marks),
    )


def _files(kind: str, part: str) -> list[Path]:
    kept = DEV[kind]
    return [p for p in sorted((FOLDER / kind).glob("*.txt")) if (p.stem in kept) == (part == "dev")]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "dev"):
        rows = [{"id": name, "paragraphs": [" ".join(text)]} for name, text in stories(part)]
        write_records(folder / f"stories.{part}.jsonl", rows)
        rows = [{"id": d.id, "paragraphs": [" ".join(d.sentences)]} for d in dossiers(part)]
        write_records(folder / f"dossiers.{part}.jsonl", rows)
    short = [Document(id=name, paragraphs=text) for name, text in stories("train")]
    sources = [Source(document, document.paragraphs) for document in short]
    salads = build_salads(sources, n=500, documents=(3, 9), seed=9)
    write_records(folder / "stories.salads.jsonl", (salad.to_row() for salad in salads))
    small = [*_small(_told(), 400), *_small(_articles(), 500)]
    write_records(folder / "small.salads.jsonl", (salad.to_row() for salad in small))


def _told() -> list[Source]:
    """Dossiers and the sample's articles."""
    found = [Document(id=d.id, paragraphs=d.sentences) for d in dossiers("train")]
    return [Source(d, d.paragraphs) for d in found] + read_sources(read_documents("sample"))[0]


def _articles() -> list[Source]:
    path = DATA / "wiki_conflict.jsonl.xz"
    some = islice(in_part(read_documents(path), "train"), 1500) if path.is_file() else ()
    return read_sources(some)[0]


def _small(sources: list[Source], n: int) -> list[Salad]:
    """Salads of a few neighbouring sentences of each document: small piles are to be had, too."""
    rng, parts = random.Random(12), []
    for source in sources:
        size = min(rng.randint(3, 5), len(source.sentences))
        at = rng.randrange(len(source.sentences) - size + 1)
        parts.append(Source(source.document, source.sentences[at : at + size]))
    return list(build_salads(parts, n=n, documents=(2, 4), seed=12)) if parts else []


if __name__ == "__main__":
    main(Path(sys.argv[1]))
