"""Texts written for this project, by language models, to train and measure on; Apache-2.0.

``written/stories/LETTER.txt``: everyday stories of five sentences, one a line; ``endings``: other
last sentences for some of them, by other hands; ``dossiers``: news stories told by several hands,
in order, with marked contradictions; ``worlds``: happenings in three accounts by three tellers,
each about a place of its own, with contradictions between them; ``claims``: single sentences about
one fact that agree, disagree, or merely look alike. A letter is one writer.

    python -m benchmarks.written STORIES.jsonl

writes all everyday stories as documents, one a line: what ``cloze-evaluator`` trains DSSM on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fabula.core.files import write_text

__all__ = [
    "Claims", "Dossier", "Mark", "accounts", "claims", "dossiers", "endings", "stories", "worlds",
]  # fmt: skip

FOLDER = Path(__file__).parent / "written"
DEV = {"stories": "gx", "dossiers": "u"}  # writers that nothing is trained on
_EACH = 6  # of the worlds one in six is for development
_TENTH = 10  # and of the claims one in ten


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


@dataclass(frozen=True, slots=True)
class Claims:
    """Sentences about one fact of a kind: that agree about it, that contradict those, and beside
    it: of the same happening, contradicting neither."""

    kind: str
    agree: tuple[str, ...]
    against: tuple[str, ...]
    beside: tuple[str, ...]


def stories(part: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The id and the five sentences of each story of a part, ``train`` or ``dev``."""
    for path in _files("stories", part):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"written-{path.stem}{number:03}", tuple(line.split(" | "))


def endings(part: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Stories once more, their last sentence by somebody who had read only the first four."""
    known = dict(stories(part))
    for path in _files("stories", part):
        others = FOLDER / "endings" / path.name
        if not others.is_file():
            continue
        for line in others.read_text(encoding="utf-8").splitlines():
            number, _, ending = line.partition("\t")
            name = f"written-{path.stem}{int(number):03}"
            yield f"{name}-again", (*known[name][:4], ending)


def claims(part: str) -> Iterator[Claims]:
    for path in sorted((FOLDER / "claims").glob("*.txt")):
        for number, lines in _blocks(path):
            if (number % _TENTH == 0) == (part == "dev"):
                told = [tuple(line[2:] for line in lines[1:] if line[0] == sign) for sign in "=xo"]
                yield Claims(lines[0].removeprefix("# "), *told)


def dossiers(part: str) -> Iterator[Dossier]:
    for path in _files("dossiers", part):
        for number, block in _blocks(path):
            yield _dossier(f"dossier-{path.stem}{number:02}", block)


def worlds(part: str) -> Iterator[Dossier]:
    """Three accounts of each, one after the other; ``hands`` are the tellers."""
    for path in sorted((FOLDER / "worlds").glob("*.txt")):
        for number, block in _blocks(path):
            if (number % _EACH == 0) == (part == "dev"):
                yield _dossier(f"world-{path.stem}{number:02}", block)


def accounts(world: Dossier) -> list[tuple[str, ...]]:
    """The sentences of each teller, in order."""
    told: dict[str, list[str]] = {}
    for hand, sentence in zip(world.hands, world.sentences, strict=True):
        told.setdefault(hand, []).append(sentence)
    return [tuple(sentences) for sentences in told.values()]


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    return enumerate((block.splitlines() for block in blocks), 1)


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


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        raise SystemExit("usage: python -m benchmarks.written STORIES.jsonl")
    told = [story for part in ("train", "dev") for story in stories(part)]
    rows = (json.dumps({"id": name, "text": " ".join(some)}) + "\n" for name, some in told)
    write_text(arguments[0], "".join(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
