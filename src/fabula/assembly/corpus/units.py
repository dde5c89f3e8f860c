"""Distinct documents of a run: facts in, arrays without near copies out, after those of before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.assembly.corpus import store
from fabula.assembly.corpus.facts import SKETCH, unpack
from fabula.assembly.corpus.links.groups import Spread
from fabula.assembly.corpus.links.index import CorpusIndex, Terms, number_terms
from fabula.assembly.corpus.links.model import Pairs
from fabula.assembly.corpus.near_copies import fold_copies
from fabula.core.files import write_text
from fabula.core.safety.checked_json import parse_json

__all__ = ["Before", "Units", "day_of", "save_for_later"]

_TERMS, _THREADS = "terms.json", "thread_names.json"


@dataclass(frozen=True, slots=True)
class Before:
    """What a corpus of before is continued from; an empty one for a new corpus.

    ``stories`` and ``numbers`` are of each distinct document; ``pairs`` are those compared, with
    the first network's log-odds as their features.
    """

    index: CorpusIndex | None
    terms: dict[str, int]
    threads: dict[str, int]
    sketches: NDArray[np.uint64]
    stories: NDArray[np.int64]
    numbers: NDArray[np.int64]
    pairs: Pairs
    spread: Spread | None
    documents: int  # with copies

    def __len__(self) -> int:
        return len(self.stories)

    @classmethod
    def nothing(cls) -> Before:
        none = np.zeros(0, np.int64)
        pairs = Pairs(none, none, np.zeros((0, 1), np.float32))
        return cls(None, {}, {}, np.zeros((0, SKETCH), np.uint64), none, none, pairs, None, 0)

    @classmethod
    def load(cls, folder: Path) -> Before:
        """The corpus of a folder."""
        store.check_index(folder)
        place = folder / store.INDEX
        table = store.read_column(folder, "number", "story", "unit", "copy_of")
        number, story, unit = (np.asarray(table.column(c)) for c in ("number", "story", "unit"))
        first = table.column("copy_of").is_null().to_numpy()
        stories, numbers = np.zeros(first.sum(), np.int64), np.zeros(first.sum(), np.int64)
        stories[unit[first]], numbers[unit[first]] = story[first], number[first]
        ends = store.load_array(place, "pairs")
        frequency = store.load_array(place, "stories_with_term")
        return cls(
            CorpusIndex.load(place),
            _numbered(place / _TERMS),
            _numbered(place / _THREADS),
            store.load_array(place, "sketches"),
            stories,
            numbers,
            Pairs(ends[0], ends[1], store.load_array(place, "pair_log_odds")[:, None]),
            Spread(len(np.unique(story)), np.asarray(frequency)),
            int(number.max(initial=-1)) + 1,
        )


def save_for_later(
    folder: Path, terms: Mapping[str, int], threads: Mapping[str, int], sketches: NDArray[Any],
    pairs: Pairs, spread: Spread,
) -> None:  # fmt: skip
    """Keep beside the index what documents that come later are compared by."""
    write_text(folder / _TERMS, json.dumps(list(terms), ensure_ascii=False))
    write_text(folder / _THREADS, json.dumps(list(threads), ensure_ascii=False))
    store.save_array(folder, "sketches", sketches)
    store.save_array(folder, "pairs", np.stack([pairs.first, pairs.second]).astype(np.int32))
    store.save_array(folder, "pair_log_odds", pairs.features[:, 0].astype(np.float32))
    store.save_array(folder, "stories_with_term", spread.frequency.astype(np.int32))


def _numbered(path: Path) -> dict[str, int]:
    return {name: n for n, name in enumerate(parse_json(path.read_text(encoding="utf-8")))}


class Units:
    """The distinct documents of before and the new ones, as arrays.

    New documents are known by their place among the facts. ``kept`` are the places of the distinct
    ones, ``unit`` gives the row of each document's distinct text in the arrays.
    """

    def __init__(self, facts: Iterable[Mapping[str, Any]], before: Before) -> None:
        self.terms, self.threads = dict(before.terms), dict(before.threads)
        self.numbers: list[int] = []
        self.leads: list[str] = []
        self.phrases: list[dict[str, int]] = []
        words, names, vectors, sketches, days, threads = [], [], [], [], [], []
        for row in facts:
            self.numbers.append(row["number"])
            self.leads.append(row["lead"])
            self.phrases.append(row["phrases"])
            words.append(row["words"])
            names.append(row["names"])
            vectors.append(unpack(row["vector"], np.float16))
            sketches.append(unpack(row["sketch"], np.uint64))
            days.append(day_of(row["date"]))
            thread = row["thread"]
            number = -1 if thread is None else self.threads.setdefault(thread, len(self.threads))
            threads.append(number)
        bags = number_terms(words, names, self.terms)
        del words, names
        new_sketches = np.stack(sketches) if sketches else np.zeros((0, SKETCH), np.uint64)
        old = before.index
        known = len(before)
        all_bags = bags if old is None else old.bags.followed_by(bags)
        copies = fold_copies(np.concatenate([before.sketches, new_sketches]), all_bags, known)
        self.kept = [at for at, first in enumerate(copies[known:]) if first is None]
        row_of = {known + at: known + row for row, at in enumerate(self.kept)}
        row_of |= {row: row for row in range(known)}
        first_of = [
            known + at if first is None else first for at, first in enumerate(copies[known:])
        ]
        self.unit = [row_of[first] for first in first_of]
        self.copied = [first is not None for first in copies[known:]]
        kept = np.array(self.kept, np.int64)
        self.sketches = np.concatenate([before.sketches, new_sketches[kept]])
        own = bags.take(kept)
        self.bags: Terms = own if old is None else old.bags.followed_by(own)
        fresh = np.stack(vectors)[kept] if vectors else np.zeros((0, 384), np.float16)
        some = np.array(days, np.int32)[kept], np.array(threads, np.int32)[kept]
        self.vectors = fresh if old is None else np.concatenate([old.vectors, fresh])
        self.days = some[0] if old is None else np.concatenate([old.days, some[0]])
        self.thread = some[1] if old is None else np.concatenate([old.threads, some[1]])
        own_numbers = np.array([self.numbers[at] for at in self.kept], np.int64)
        self.number_of_unit = np.concatenate([before.numbers, own_numbers])

    def index(self) -> CorpusIndex:
        return CorpusIndex.build(
            self.vectors, self.bags, terms=len(self.terms), days=self.days, threads=self.thread
        )


def day_of(value: str | None) -> int:
    """The number of a day; 0 for a month, a year or what is no date."""
    try:
        return date.fromisoformat(value[:10]).toordinal() if value and len(value) >= 10 else 0
    except ValueError:
        return 0
