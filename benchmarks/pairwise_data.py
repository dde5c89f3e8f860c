"""``python -m benchmarks.pairwise_data FOLDER``: the texts the shipped orderer is trained on.

Writes ``first.jsonl`` and ``second.jsonl``, for two stages of training, and ``dev.jsonl``:
abstracts, windows of sentences and paragraphs, and our own stories, from the parts that may be
trained on. The same files every time.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.shared import DATA
from benchmarks.written import accounts, dossiers, stories, worlds
from fabula.ordering.build import shuffle
from fabula.text.documents import read_documents
from fabula.text.parts import part_of
from fabula.text.sentences import split_sentences
from fabula.types import Document

SAMPLE = Path(__file__).parents[1] / "src" / "fabula" / "data" / "sample"
# How many texts of each kind at most.
FILES = {
    "first": {
        "arxiv": 2500,
        "acl": 600,
        "wiki sentences": 1500,
        "wiki paragraphs": 400,
        "sotu paragraphs": 150,
        "sample": 103,
        "dossiers": 400,
        "stories": 8000,
    },
    # Mostly everyday stories and accounts; of the rest as much as keeps it from being forgotten.
    "second": {
        "arxiv": 900,
        "acl": 200,
        "wiki sentences": 600,
        "wiki paragraphs": 150,
        "sotu paragraphs": 50,
        "sample": 103,
        "dossiers": 400,
        "worlds": 600,
        "stories": 30000,
    },
    "dev": {
        "arxiv": 250,
        "wiki sentences": 150,
        "wiki paragraphs": 120,
        "dossiers": 40,
        "worlds": 40,
        "stories": 240,
    },
}

Named = tuple[str, list[str]]  # an id, and units in their right order


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file, wanted in FILES.items():
        rng, chosen = random.Random(1), []
        texts = _texts("dev" if file == "dev" else "train")
        for kind, most in wanted.items():
            rng.shuffle(texts[kind])
            chosen += texts[kind][:most]
        rng.shuffle(chosen)
        with (folder / f"{file}.jsonl").open("w", encoding="utf-8") as out:
            for name, units in chosen:
                text = shuffle(name, units, random.Random(name))
                out.write(json.dumps(text.to_row(), ensure_ascii=False) + "\n")
        sys.stderr.write(f"{folder / file}.jsonl: {len(chosen)} texts\n")


def _texts(part: str) -> dict[str, list[Named]]:
    found: dict[str, list[Named]] = {kind: [] for kind in FILES["second"]}
    for kind, names in (("arxiv", "cs.CL cs.SI cs.IR"), ("acl", "")):
        files = [f"arxiv_abstracts_{name}" for name in names.split()] or ["acl_abstracts"]
        for file in files:
            for document in _documents(DATA / f"{file}.jsonl.xz", part):
                found[kind].append((document.id, _sentences(document)[:20]))
    for document in _documents(DATA / "wiki_conflict.jsonl.xz", part):
        rng = random.Random(f"w{document.id}")
        some = _windows(document.id, _sentences(document), (6, 10), rng)
        found["wiki sentences"] += some[: 2 if part == "train" else 1]
        paragraphs = [" ".join(p.split()) for p in document.paragraphs]
        found["wiki paragraphs"] += _windows(document.id, paragraphs, (5, 8), rng)[:1]
    if part == "train":
        for document in read_documents("sotu"):
            rng = random.Random(f"s{document.id}")
            paragraphs = [" ".join(p.split()) for p in document.paragraphs]
            found["sotu paragraphs"] += _windows(document.id, paragraphs, (5, 8), rng)[:6]
        for document in read_documents("sample"):
            rng = random.Random(f"s{document.id}")
            found["sample"] += _windows(document.id, _sentences(document), (6, 10), rng)
    for dossier in dossiers(part):
        rng = random.Random(dossier.id)
        some = _windows(dossier.id, dossier.sentences, (7, 14), rng)
        found["dossiers"] += [(dossier.id, list(dossier.sentences)), *some]
    for world in worlds(part):
        told = accounts(world)
        found["worlds"] += [(f"{world.id}-{i}", list(account)) for i, account in enumerate(told)]
    found["stories"] = list(_stories(part))
    return {kind: [t for t in texts if len(t[1]) > 1] for kind, texts in found.items()}


def _stories(part: str) -> Iterator[Named]:
    """Ours; a fifth of the sample's endings, with their right option, is for development."""
    for line in (SAMPLE / "endings.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if (part_of(row["id"]) == "dev") == (part == "dev"):
            yield row["id"], [*row["context"], row["options"][row["gold"]]]
    for name, sentences in stories(part):
        yield name, list(sentences)
    if part == "train":
        for document in read_documents(SAMPLE / "stories.jsonl"):
            yield document.id, _sentences(document)


def _documents(path: Path, part: str) -> Iterator[Document]:
    return (document for document in read_documents(path) if part_of(document.id) == part)


def _sentences(document: Document) -> list[str]:
    return [" ".join(sentence.text.split()) for sentence in split_sentences(document)]


def _windows(
    name: str, units: Sequence[str], sizes: tuple[int, int], rng: random.Random
) -> list[Named]:
    """Windows of consecutive units that do not overlap, in random order."""
    windows, at = [], 0
    while at < len(units):
        size = rng.randint(*sizes)
        if len(units) - at >= sizes[0]:
            windows.append((f"{name}#{at}", list(units[at : at + size])))
        at += size
    rng.shuffle(windows)
    return windows


if __name__ == "__main__":
    main(Path(sys.argv[1]))
