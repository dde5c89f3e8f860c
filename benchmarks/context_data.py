"""``python -m benchmarks.context_data FOLDER``: the salads the shipped untangler is trained on.

Writes ``reader.jsonl``, which MiniLM is trained further on, ``relational.jsonl``, of other
documents, which the network above it learns from, and ``dev.jsonl`` for the calibration. From parts
that may be trained on; the same files every time.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.shared import DATA
from benchmarks.written import accounts, dossiers, stories, worlds
from fabula.salads.build.mix import Source, build_salads, read_sources
from fabula.salads.items import Salad
from fabula.text.io.documents import read_documents
from fabula.text.io.records import write_records
from fabula.text.io.splits import in_part
from fabula.types import Document

# Kind, recipe, documents of a salad, sentences of a document (None: all), salads of each file.
KINDS = (
    ("articles", "random", (2, 2), None, {"reader": 700, "relational": 500}),
    ("articles", "random", (3, 6), None, {"reader": 150, "relational": 200}),
    ("articles", "same-category", (2, 2), None, {"reader": 2000, "relational": 1000}),
    ("articles", "same-category", (3, 6), None, {"reader": 300, "relational": 300}),
    ("articles", "same-category", (2, 4), None, {"dev": 300}),
    ("articles", "random", (2, 4), (3, 5), {"reader": 300, "relational": 250}),
    ("abstracts", "random", (2, 2), None, {"reader": 300, "relational": 300}),
    ("sample", "random", (2, 4), None, {"reader": 100, "relational": 50}),
    ("dossiers", "random", (2, 5), None, {"reader": 500, "relational": 300, "dev": 100}),
    ("dossiers", "random", (2, 4), (3, 5), {"reader": 200, "relational": 150}),
    ("stories", "random", (3, 9), None, {"reader": 500, "relational": 250}),
    ("worlds", "same-category", (2, 3), (7, 16), {"reader": 500, "relational": 250, "dev": 50}),
)
_MOST = 4400
_READER = 2 / 3  # of the documents; the rest is new to the network above


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = {(kind, part): list(_sources(kind, part)) for kind, *_ in KINDS for part in _PARTS}
    for file in ("reader", "relational", "dev"):
        salads: list[Salad] = []
        for seed, (kind, recipe, number, size, wanted) in enumerate(KINDS, 1):
            sources = found[kind, "dev" if file == "dev" else "train"]
            if file != "dev":
                sources = [s for s in sources if _for_reader(s) == (file == "reader")]
            sources = sources if size is None else list(_parts(sources, size, random.Random(seed)))
            if sources and file in wanted:
                salads += build_salads(
                    sources, recipe=recipe, n=wanted[file], documents=number, seed=seed
                )
        random.Random(0).shuffle(salads)
        salads = salads[:_MOST]  # what one core reads in an hour
        rows = ({**salad.to_row(), "id": str(i)} for i, salad in enumerate(salads, 1))
        write_records(folder / f"{file}.jsonl", rows)
        sys.stderr.write(f"{folder / file}.jsonl: {len(salads)} salads\n")


_PARTS = ("train", "dev")


def _sources(kind: str, part: str) -> Iterator[Source]:
    """The documents of a kind, sentence by sentence."""
    files = {"articles": "wiki_conflict", "abstracts": "arxiv_abstracts_cs.CL"}
    if kind in files and (path := DATA / f"{files[kind]}.jsonl.xz").is_file():
        yield from read_sources(in_part(read_documents(path), part))[0]
    elif kind == "sample" and part == "train":
        yield from read_sources(read_documents("sample"))[0]
    elif kind == "dossiers":
        for dossier in dossiers(part):
            yield _source(dossier.id, dossier.sentences)
    elif kind == "stories":
        for name, sentences in stories(part):
            yield _source(name, sentences)
    elif kind == "worlds":
        for world in worlds(part):
            for number, sentences in enumerate(accounts(world)):
                yield _source(f"{world.id}-{number}", sentences, world.id)


def _source(name: str, sentences: tuple[str, ...], category: str | None = None) -> Source:
    document = Document(id=name, paragraphs=sentences, category=category)
    return Source(document, sentences)


def _for_reader(source: Source) -> bool:
    name = source.document.id
    if name.startswith("world-"):
        name = name.rsplit("-", 1)[0]  # the accounts of a world stay together
    return zlib.crc32(name.encode()) < _READER * 2**32


def _parts(
    sources: Iterable[Source], sizes: tuple[int, int], rng: random.Random
) -> Iterator[Source]:
    """Some neighbouring sentences of each document, for piles smaller than documents; thrice."""
    for time in range(3):
        for source in sources:
            size = min(rng.randint(*sizes), len(source.sentences))
            at = rng.randrange(len(source.sentences) - size + 1)
            named = source.document
            category = f"{named.category}#{time}" if named.category else None
            document = Document(
                id=f"{named.id}#{time}", paragraphs=named.paragraphs, category=category
            )
            yield Source(document, source.sentences[at : at + size])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
