"""``python -m benchmarks.pairs_data FOLDER``: the pairs the shipped cross-encoder is trained on.

Writes ``snli.jsonl``, ``mnli.jsonl`` and ``counterfactual.jsonl``, which the first training reads;
``second.jsonl``, which the second reads (a part of those, the aligned sentences of ECB+, and
contradictions written for this project); ``third.jsonl``, which the third reads (the captions that
the first left out, the rest once more, and sentences with a word changed); ``dev.jsonl``, whose
premises stand in none of them;
``lexical.jsonl``, a small part of them; ``ecb.jsonl`` and ``ecb_context.jsonl``, the pairs of the
ECB+ topics that may be trained on, the second with the texts of their documents. The same files
every time.

``python -m benchmarks.pairs_data FOLDER WEIGHTS`` writes ``fourth.jsonl``, which the fourth
training reads: all captions, MultiNLI, the revised pairs, more sentences with a word changed, and
the rest once more. In the training file of SNLI about one entailment in five is labelled a
contradiction ("A young girl laughing" and "A girl laughing"): such pairs are left out where the
network of WEIGHTS, the third training's, says that the second sentence follows. On
``fourth_dev.jsonl``, pairs of MultiNLI whose premises stand in no training, it is calibrated.
"""

from __future__ import annotations

import random
import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from benchmarks.document_piles import is_date_line
from benchmarks.pairs_substitutions import substituted
from benchmarks.shared import DATA
from benchmarks.written import Dossier, claims, dossiers, worlds
from fabula.pairs.items import Pair, read_pairs
from fabula.pairs.models.cross_encoder.model import CrossEncoder
from fabula.text.io.records import read_records, write_records

TRAINING = {
    "snli": "train_nli_snli",
    "mnli": "train_nli_mnli",
    "counterfactual": "nli_counterfactual_train",
}
MEASURED = (
    "nli_snli_dev",
    "nli_mnli_dev",
    "nli_negation",
    "nli_conjnli",
    "nli_breaking",
    "nli_counterfactual_dev",
)
_LEXICAL = {"snli": 2000, "mnli": 3000, "counterfactual": 0}  # pairs
_AGAIN = {"snli": 2500, "mnli": 4200, "counterfactual": 500}
_CLASH = "contradiction"
_DEVELOPMENT = 40  # one premise in so many
_LONGEST = 320  # characters of a pair: a longer one costs as much as four
_SHORTER = 240  # of the third training
_DOUBTED = 0.4  # a contradiction of SNLI follows with this probability: its label is doubted


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    measured = {_key(pair) for name in MEASURED for pair in _read(name)}
    development, small, again, third = [], [], [], []
    for name, file in TRAINING.items():
        pairs = [pair for pair in _read(file) if _key(pair) not in measured]
        held = [pair for pair in pairs if _is_held(pair)]
        development += held
        kept = [p for p in pairs if not _is_held(p) and len(p.a) + len(p.b) <= _LONGEST]
        if name == "snli":  # captions: two thirds teach as much
            third += [pair for pair in kept if not zlib.crc32(pair.b.encode()) % 3]
            kept = [pair for pair in kept if zlib.crc32(pair.b.encode()) % 3]
        else:
            third += [pair for pair in kept if len(pair.a) + len(pair.b) <= _SHORTER]
        _write(folder / f"{name}.jsonl", kept)
        small += kept[: _LEXICAL[name]]
        again += random.Random(name).sample(kept, _AGAIN[name])
    _write(folder / "dev.jsonl", development)
    _write(folder / "lexical.jsonl", small)
    own = [*_aligned(), *_written()]
    _write(folder / "second.jsonl", [*again, *own])
    premises = [pair.a for pair in third if len(pair.a) <= _LONGEST // 2]
    made = [pair for pair in substituted(premises) if _key(pair) not in measured]
    _write(folder / "third.jsonl", [*third, *made, *own])
    for file, part in (("ecb", False), ("ecb_test", True)):
        _write(folder / f"{file}.jsonl", ecb_pairs(test=part, context=False))
        _write(folder / f"{file}_context.jsonl", ecb_pairs(test=part, context=True))


def write_fourth(folder: Path, weights: Path) -> None:
    """The pairs of the fourth training, by the network of the third."""
    measured = {_key(pair) for name in MEASURED for pair in _read(name)}
    pairs = []
    for name, file in TRAINING.items():
        all_of_them = [pair for pair in _read(file) if _key(pair) not in measured]
        if name == "mnli":  # nearer to news than captions
            _write(folder / "fourth_dev.jsonl", [pair for pair in all_of_them if _is_held(pair)])
        kept = [p for p in all_of_them if not _is_held(p) and len(p.a) + len(p.b) <= _LONGEST]
        if name == "snli":
            kept = trusted(kept, CrossEncoder.load(weights))
        if name == "mnli":  # harder, and fewer: the shorter ones twice
            kept += [pair for pair in kept if len(pair.a) + len(pair.b) <= _SHORTER]
        pairs += kept
    premises = [pair.a for pair in pairs if len(pair.a) <= _LONGEST // 2]
    made = [pair for pair in substituted(premises, more=True) if _key(pair) not in measured]
    _write(folder / "fourth.jsonl", [*pairs, *made, *_aligned(), *_written()])


def trusted(pairs: Sequence[Pair], network: CrossEncoder) -> list[Pair]:
    """The pairs without the contradictions that the network takes for entailments."""
    relations = network.relate([pair for pair in pairs if pair.label == _CLASH])
    follows = iter([relation.entailment for relation in relations])
    return [pair for pair in pairs if pair.label != _CLASH or next(follows) < _DOUBTED]


def _aligned() -> list[Pair]:
    """Sentences of real reports: whether of one event or not, nearly all agree."""
    pairs = ecb_pairs(test=False, context=False)
    return [replace(pair, label="not_contradiction") for pair in pairs]


def written_stories(*, weights: bool) -> list[Dossier]:
    """Stories of the training part: one in four to weigh what the network says, else for it."""
    stories = [*dossiers("train"), *worlds("train")]
    return [s for s in stories if (zlib.crc32(s.id.encode()) % 4 == 0) == weights]


def _written() -> list[Pair]:
    """Of every fifth block of claims a contradiction and a pair that is none; of each story one
    marked contradiction and a pair of sentences that share words."""
    rng = random.Random(0)
    pairs = []
    for block in list(claims("train"))[::5]:
        pairs.append(Pair("", rng.choice(block.agree), rng.choice(block.against), _CLASH, True))
        alike = [(a, b, True) for a, b in combinations(block.agree, 2)]
        beside = [(a, b, None) for a in (*block.agree, *block.against) for b in block.beside]
        a, b, same = rng.choice([*alike, *rng.sample(beside, min(2, len(beside)))])
        pairs.append(Pair("", a, b, "not_contradiction", same))
    for story in written_stories(weights=False):
        marks = {tuple(sorted(mark.sentences)) for mark in story.marks}
        told, words = story.sentences, [set(s.lower().split()) for s in story.sentences]
        i, j = rng.choice(sorted(marks))
        pairs.append(Pair("", told[i], told[j], _CLASH, True))
        others = [pair for pair in combinations(range(len(told)), 2) if pair not in marks]
        others.sort(key=lambda pair: -len(words[pair[0]] & words[pair[1]]))
        i, j = rng.choice(others[: 6 * len(marks)])
        pairs.append(Pair("", told[i], told[j], "not_contradiction"))
    return pairs


def ecb_pairs(*, test: bool, context: bool) -> list[Pair]:
    """The labelled ECB+ pairs of the topics that are for testing, or of those that are not.

    Documents are without date lines, which only one of two like events has.
    """
    documents = {
        row.data["id"]: "\n".join(s for s in row.data["sentences"] if not is_date_line(s))
        for row in read_records(DATA / "real" / "ecb_docs.jsonl.xz")
    }
    pairs = []
    for record in read_records(DATA / "real" / "ecb_samething.jsonl.xz"):
        row = record.data
        if (int(row["topic"]) % 4 == 0) != test:
            continue
        # Ids serve to find the documents; a model sees their texts alone.
        texts = [documents[row[name].partition(":")[0]] for name in ("a_id", "b_id")]
        contexts = texts if context else (None, None)
        pairs.append(Pair("", row["a"], row["b"], None, row["same"], *contexts))
    return pairs


def _read(name: str) -> Iterable[Pair]:
    return read_pairs(DATA / "real" / f"{name}.jsonl.xz")


def _key(pair: Pair) -> tuple[str, str]:
    return pair.a.strip().lower(), pair.b.strip().lower()


def _is_held(pair: Pair) -> bool:
    return zlib.crc32(pair.a.encode()) % _DEVELOPMENT == 0


def _write(path: Path, pairs: Iterable[Pair]) -> None:
    rows = [{**pair.to_row(), "id": str(number)} for number, pair in enumerate(pairs, 1)]
    write_records(path, rows)
    print(f"{path}: {len(rows)} pairs")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        write_fourth(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]))
