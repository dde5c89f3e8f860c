"""Texts as numbers of words, in batches of about equal size, for models that read words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fabula.errors import UsageError
from fabula.ordering.items import Text
from fabula.ordering.models.pointer.entity_graph import Graph, entity_graphs
from fabula.text.segment.words import UNKNOWN, Vocabulary, split_words

__all__ = ["Batch", "Batches", "Read", "collate", "read", "trainable", "word_table"]

_BUCKET = 40  # batches that are sorted together: alike in size, and still mixed


@dataclass(frozen=True, slots=True)
class Read:
    """A text as a network sees it: the numbers of each unit's words, gold, and its entities."""

    units: tuple[tuple[int, ...], ...]
    gold: tuple[int, ...] | None = None
    graph: Graph | None = None
    entities: tuple[int, ...] = ()  # the number of each entity's word

    @property
    def words(self) -> int:
        return sum(map(len, self.units))


class Batch(NamedTuple):
    """B texts of up to N units, S units in all, up to K entities in a text."""

    words: Any  # PackedSequence of the word numbers of S units
    real: Any  # [B, N] bool: a unit, not padding
    gold: Any  # [B, N]: which unit is next; past the end the place itself
    entities: Any = None  # [B, K] word numbers
    roles: Any = None  # [B, N, K]: 3 subject, 2 object, 1 other, 0 not there


def read(texts: Sequence[Text], vocabulary: Vocabulary, *, graphs: bool = False) -> list[Read]:
    """Texts as numbers; with ``graphs``, the entities they share as well."""
    words = iter(split_words([unit for text in texts for unit in text.units]))
    found: list[Graph] | list[None]
    found = entity_graphs(texts) if graphs else [None] * len(texts)
    return [
        Read(
            tuple(tuple(vocabulary.encode(next(words))) for _ in text.units),
            text.gold,
            graph,
            tuple(vocabulary.encode([noun])[0] for noun in graph.entities) if graph else (),
        )
        for text, graph in zip(texts, found, strict=True)
    ]


def trainable(texts: Sequence[Text]) -> list[Text]:
    """The texts that can be learnt from: of two units or more, and each must have gold."""
    for text in texts:
        if text.gold is None:
            raise UsageError(f"text {text.id!r} has no gold order; it cannot be trained on")
    return [text for text in texts if len(text.units) > 1]


def collate(texts: Sequence[Read], orders: Sequence[Sequence[int]] | None = None) -> Batch:
    """Texts side by side; ``orders`` gives each the order in which its units are read."""
    import torch
    from torch.nn.utils.rnn import pack_sequence

    most = max(len(text.units) for text in texts)
    real = np.zeros((len(texts), most), dtype=bool)
    gold = np.tile(np.arange(most), (len(texts), 1))
    units = []
    shown = [orders[row] if orders else range(len(text.units)) for row, text in enumerate(texts)]
    for row, (text, order) in enumerate(zip(texts, shown, strict=True)):
        units += [torch.tensor(text.units[unit]) for unit in order]
        real[row, : len(order)] = True
        if text.gold is not None:
            gold[row, : len(order)] = np.argsort(order)[list(text.gold)]
    batch = Batch(
        pack_sequence(units, enforce_sorted=False), torch.from_numpy(real), torch.from_numpy(gold)
    )
    if texts[0].graph is None:
        return batch
    entities = np.zeros((len(texts), max(1, *(len(t.entities) for t in texts))), dtype=np.int64)
    roles = np.zeros((*real.shape, entities.shape[1]), dtype=np.int64)
    for row, (text, order) in enumerate(zip(texts, shown, strict=True)):
        if text.graph is not None and text.entities:
            entities[row, : len(text.entities)] = text.entities
            roles[row, : len(order), : len(text.entities)] = text.graph.roles[list(order)]
    return batch._replace(entities=torch.from_numpy(entities), roles=torch.from_numpy(roles))


class Batches:
    """Training batches, the units of every text shuffled anew each time.

    Texts of about the same length stand together: a batch costs as much as its longest unit.
    """

    def __init__(self, texts: Sequence[Read], batch: int, seed: int) -> None:
        self.texts = texts
        self.batch = batch
        self.rng = random.Random(seed)

    def __len__(self) -> int:
        return -(-len(self.texts) // self.batch)

    def __iter__(self) -> Iterator[Batch]:
        order = list(range(len(self.texts)))
        self.rng.shuffle(order)
        longest = [max(map(len, text.units)) for text in self.texts]
        size = self.batch * _BUCKET
        groups = [
            bucket[at : at + self.batch]
            for start in range(0, len(order), size)
            for bucket in [sorted(order[start : start + size], key=lambda i: longest[i])]
            for at in range(0, len(bucket), self.batch)
        ]
        self.rng.shuffle(groups)
        for group in groups:
            some = [self.texts[i] for i in group]
            orders = [self.rng.sample(range(len(t.units)), len(t.units)) for t in some]
            yield collate(some, orders)


def word_table(vocabulary: Vocabulary, vectors: str, width: int, seed: int) -> Any:
    """A start for the word vectors: those of a file, or of the packaged GloVe.

    Vectors narrower than ``width`` fill the first columns and chance the others, and words the
    file lacks start by chance, as wide as its vectors are on average.
    """
    from fabula.text.encoders.wordvectors import glove_encoder

    known = glove_encoder(None if vectors == "glove" else vectors).vectors
    if known.dimension > width:
        raise UsageError(f"width={width}: {vectors} has {known.dimension} dimensions; set width")
    rows = [(number, known.rows[word]) for word, number in vocabulary.numbers.items()
            if word in known]  # fmt: skip
    found = known.matrix[[row for _, row in rows]]
    spread = float(found.std()) if rows else 0.1
    rng = np.random.default_rng(seed)
    table = rng.normal(0, spread, (len(vocabulary), width)).astype(np.float32)
    table[[number for number, _ in rows], : known.dimension] = found
    table[:UNKNOWN] = 0
    return table
