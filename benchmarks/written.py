"""Texts written for this project, by language models, to train and measure on; Apache-2.0.

``written/stories/LETTER.txt``: everyday stories of five sentences, one a line; ``dossiers``: news
stories told by several hands, in order, with marked contradictions. A letter is one writer.

    python -m benchmarks.written FOLDER

writes them as documents (``stories.train.jsonl``, ``dossiers.dev.jsonl`` and so on) and 500 salads
of 3-9 stories, which are shorter than ``fabula build salads`` takes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fabula.salads.build import Source, build_salads
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


if __name__ == "__main__":
    main(Path(sys.argv[1]))
