"""Texts as vocabulary indices, in training batches of about equal length."""

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

__all__ = [
    "Batch",
    "Batches",
    "EncodedText",
    "batches_of_equal_length",
    "collate",
    "encode_texts",
    "trainable",
    "word_table",
]

_BUCKET = 40  # batches sorted by length together: similar lengths, and still shuffled
_UNITS = 400  # units in one batch of the beam search, which bounds its memory


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text as vocabulary indices of each unit's words, with its gold order and entities."""

    units: tuple[tuple[int, ...], ...]
    gold: tuple[int, ...] | None = None
    graph: Graph | None = None
    entities: tuple[int, ...] = ()  # the vocabulary index of each entity

    @property
    def words(self) -> int:
        return sum(map(len, self.units))


class Batch(NamedTuple):
    """B texts of up to N units, S units in all, up to K entities in a text."""

    words: Any  # PackedSequence of the vocabulary indices of S units
    real: Any  # [B, N] bool: a unit, not padding
    gold: Any  # [B, N]: the unit at each position; past the end the position itself
    entities: Any = None  # [B, K] vocabulary indices
    roles: Any = None  # [B, N, K]: 3 subject, 2 object, 1 other, 0 not there


def encode_texts(
    texts: Sequence[Text], vocabulary: Vocabulary, *, graphs: bool = False
) -> list[EncodedText]:
    """Texts as vocabulary indices; with ``graphs``, their entity graphs as well."""
    words = iter(split_words([unit for text in texts for unit in text.units]))
    text_graphs: list[Graph] | list[None]
    text_graphs = entity_graphs(texts) if graphs else [None] * len(texts)
    return [
        EncodedText(
            tuple(tuple(vocabulary.encode(next(words))) for _ in text.units),
            text.gold,
            graph,
            tuple(vocabulary.encode([noun])[0] for noun in graph.entities) if graph else (),
        )
        for text, graph in zip(texts, text_graphs, strict=True)
    ]


def trainable(texts: Sequence[Text]) -> list[Text]:
    """The texts of two units or more; ``UsageError`` for a text without gold order."""
    for text in texts:
        if text.gold is None:
            raise UsageError(f"text {text.id!r} has no gold order; it cannot be trained on")
    return [text for text in texts if len(text.units) > 1]


def collate(texts: Sequence[EncodedText], orders: Sequence[Sequence[int]] | None = None) -> Batch:
    """A padded batch; ``orders`` gives the order in which each text's units are presented."""
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
    """Training batches, the units of every text shuffled anew each epoch.

    Texts are bucketed by length: a batch costs as much as its longest unit.
    """

    def __init__(self, texts: Sequence[EncodedText], batch: int, seed: int) -> None:
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
            texts = [self.texts[i] for i in group]
            orders = [self.rng.sample(range(len(text.units)), len(text.units)) for text in texts]
            yield collate(texts, orders)


def batches_of_equal_length(texts: Sequence[EncodedText]) -> Iterator[list[int]]:
    """Batches of indices of texts with equally many units, sorted by their number of words."""
    ranked = sorted(range(len(texts)), key=lambda i: (len(texts[i].units), texts[i].words))
    group: list[int] = []
    for row in ranked:
        n = len(texts[row].units)
        if group and (len(texts[group[0]].units) != n or (len(group) + 1) * n > _UNITS):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def word_table(vocabulary: Vocabulary, vectors: str, width: int, seed: int) -> Any:
    """Initial word vectors, [vocabulary, width], from a file or the packaged GloVe.

    Missing words, and columns beyond the file's dimension, are normal with the standard deviation
    of the file's vectors.
    """
    from fabula.text.encoders.wordvectors import glove_encoder

    pretrained = glove_encoder(None if vectors == "glove" else vectors).vectors
    if pretrained.dimension > width:
        raise UsageError(
            f"width={width}: {vectors} has {pretrained.dimension} dimensions; set width"
        )
    rows = [(index, pretrained.rows[word]) for word, index in vocabulary.numbers.items()
            if word in pretrained]  # fmt: skip
    known_vectors = pretrained.matrix[[row for _, row in rows]]
    deviation = float(known_vectors.std()) if rows else 0.1
    rng = np.random.default_rng(seed)
    table = rng.normal(0, deviation, (len(vocabulary), width)).astype(np.float32)
    table[[index for index, _ in rows], : pretrained.dimension] = known_vectors
    table[:UNKNOWN] = 0
    return table
