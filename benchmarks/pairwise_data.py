"""``python -m benchmarks.pairwise_data FOLDER``: the texts the shipped orderer is trained on.

Writes ``first.jsonl``, ``second.jsonl`` and ``third.jsonl``, for three stages, and ``dev.jsonl``:
abstracts, windows of sentences and paragraphs, and our own stories, from the parts that may be
trained on. The same files every time.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from benchmarks.shared import DATA
from benchmarks.written import accounts, dossiers, endings, stories, worlds
from fabula.ordering.build import shuffle
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import part_of
from fabula.text.segment.sentences import split_sentences
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
    # Stories as ordinary people tell them, where a name may stand in any sentence.
    "third": {
        "arxiv": 800,
        "acl": 200,
        "wiki sentences": 600,
        "wiki paragraphs": 200,
        "sotu paragraphs": 80,
        "sample": 103,
        "dossiers": 300,
        "worlds": 400,
        "stories": 5000,
        "plain stories": 30000,
        "endings": 30000,
    },
    "dev": {
        "arxiv": 250,
        "wiki sentences": 150,
        "wiki paragraphs": 120,
        "dossiers": 40,
        "worlds": 40,
        "stories": 120,
        "endings": 120,
    },
}
PLAIN = "rstuw"  # writers of stories as people write them who are no writers
_NAMED = (0.2, 0.2, 0.2, 0.5)  # how often the second to the fifth sentence gets the name back
_SUBJECTS = ("He", "His", "She", "Her")
_GENDER = {"He": "m", "His": "m", "Him": "m", "She": "f", "Her": "f"}
_PRONOUN = re.compile(r"\b(he|she|his|her|him)\b", re.IGNORECASE)
_CAPITAL = re.compile(r"\b[A-Z][a-z]{2,}\b")
_OPENS = re.compile(r"([A-Z][a-z]+)(?:'s)?(?: [A-Z][a-z]+)? ")
_NO_NAME = frozenset(
    "I The A An My We It When One Our They His Her She He You There This That On In At After Every "
    "Last Two Three Some For All As Everyone Nobody Mom Dad Grandma Grandpa Mr Mrs Ms Dr".split()
)

Named = tuple[str, list[str]]  # an id, and units in their right order


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    parts = {part: _texts(part) for part in ("train", "dev")}
    for file, wanted in FILES.items():
        rng, chosen = random.Random(1), []
        for kind, most in wanted.items():
            texts = list(parts["dev" if file == "dev" else "train"][kind])
            rng.shuffle(texts)
            chosen += texts[:most]
        rng.shuffle(chosen)
        with (folder / f"{file}.jsonl").open("w", encoding="utf-8") as out:
            for name, units in chosen:
                text = shuffle(name, units, random.Random(name))
                out.write(json.dumps(text.to_row(), ensure_ascii=False) + "\n")
        sys.stderr.write(f"{folder / file}.jsonl: {len(chosen)} texts\n")


def _texts(part: str) -> dict[str, list[Named]]:
    found: dict[str, list[Named]] = {kind: [] for kind in FILES["third"]}
    measured: set[str] = set()  # papers stand in arXiv and in ACL's anthology
    for name in ("cs.CL", "cs.SI", "cs.IR"):
        for document in read_documents(DATA / f"arxiv_abstracts_{name}.jsonl.xz"):
            if part_of(document.id) == part:
                found["arxiv"].append((document.id, _sentences(document)[:20]))
            elif part_of(document.id) == "test":
                measured.add(_opening(document))
    for document in _documents(DATA / "acl_abstracts.jsonl.xz", part):
        if _opening(document) not in measured:
            found["acl"].append((document.id, _sentences(document)[:20]))
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
    every = list(_stories(part))
    persons = {person for _, story in every if (person := _name(story))}
    for name, sentences in every:
        plain = name.startswith(tuple(f"written-{letter}" for letter in PLAIN))
        kind = "plain stories" if plain else "stories"
        rng = random.Random(name)
        found[kind].append((name, named(sentences, persons, rng) if plain else sentences))
    found["endings"] = [(name, list(story)) for name, story in endings(part)]
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


def named(story: list[str], names: Collection[str], rng: random.Random) -> list[str]:
    """The story, some sentences opening with its person's name instead of a pronoun.

    People repeat names; who learns that a name opens a text will put such a sentence first. Only
    where one person is named, and all pronouns may be that person's. ``names`` are first names.
    """
    name = _name(story)
    if name is None:
        return story
    genders = {_GENDER[word.title()] for sentence in story for word in _PRONOUN.findall(sentence)}
    others = {word for sentence in story for word in _CAPITAL.findall(sentence[1:])}
    others |= {sentence.split()[0].removesuffix("'s") for sentence in story} & set(names)
    if len(genders) != 1 or others - {name}:
        return story
    told = list(story)
    for place, chance in enumerate(_NAMED, 1):
        word, _, rest = story[place].partition(" ")
        if word in _SUBJECTS and name not in rest and rng.random() < chance:
            told[place] = f"{name}'s {rest}" if word in ("His", "Her") else f"{name} {rest}"
    return told


def _name(story: Sequence[str]) -> str | None:
    """The name a story opens with."""
    opening = _OPENS.match(story[0])
    return None if opening is None or opening[1] in _NO_NAME else opening[1]


def _documents(path: Path, part: str) -> Iterator[Document]:
    return (document for document in read_documents(path) if part_of(document.id) == part)


def _opening(document: Document) -> str:
    """What two copies of an abstract have in common, whatever became of their spaces and signs."""
    letters = "".join(word for word in re.findall(r"\w+", " ".join(document.paragraphs).lower()))
    return letters[:120]


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
