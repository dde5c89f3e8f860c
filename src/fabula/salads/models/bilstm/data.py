"""Sentences as vocabulary indices, and batches of sentence pairs to train on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from fabula.core.progress import track
from fabula.salads.items import Salad
from fabula.text.segment.words import PADDING, UNKNOWN, Vocabulary, split_words

__all__ = [
    "PADDING",
    "SLOTS",
    "UNKNOWN",
    "Batch",
    "Numbers",
    "Pairs",
    "Vocabulary",
    "encode_events",
    "pad",
    "pair_kinds",
    "split_words",
]

# A salad: for each sentence the vocabulary indices of its words, or of each of its events' words.
Numbers = Sequence[Sequence[Any]]

SLOTS = 5  # of an event: verb, subject, object, a preposition and its object


def encode_events(vocabulary: Vocabulary, events: Sequence[Sequence[str]]) -> list[list[int]]:
    """The vocabulary indices of the words of each event, 0 for an empty slot.

    A sentence without an event is the null event, which has no words.
    """
    return [
        [vocabulary.numbers.get(word.lower(), UNKNOWN) if word else PADDING for word in event]
        for event in events or [("",)]
    ]


def pad(numbers: Numbers) -> tuple[Any, Any]:
    """The padded matrix of n sentences, [n, l], and the length of each.

    Events are padded as well, to the longest and to ``SLOTS`` words at least: [n, l, s].
    """
    import torch

    lengths = [len(sentence) for sentence in numbers]
    events = [event for sentence in numbers for event in sentence if isinstance(event, list)]
    shape = [max(SLOTS, *map(len, events))] if events else []
    table = np.full((len(numbers), max(lengths), *shape), PADDING)
    for row, sentence in zip(table, numbers, strict=True):
        if events:
            for slots, event in zip(row, sentence, strict=False):
                slots[: len(event)] = event
        else:
            row[: len(sentence)] = sentence
    return torch.from_numpy(table), torch.tensor(lengths)


class Batch(NamedTuple):
    """The pairs of one salad; ``same`` is 1.0 for a pair of one story."""

    sentences: Any  # [n, l]
    lengths: Any  # [n]
    first: Any  # [p]
    second: Any  # [p]
    same: Any  # [p]


class Pairs:
    """Batches: for each salad as many pairs of one story as of two, sampled anew each epoch.

    Without a seed every epoch has the same sample, for validation.
    """

    def __init__(
        self, salads: Sequence[Salad], read: Sequence[Numbers], batch: int, seed: int | None
    ) -> None:
        self.kinds = [pair_kinds(salad) for salad in salads]
        self.read = read
        self.half = max(1, batch // 2)
        self.seed = seed
        self.rng = random.Random(seed)

    def __len__(self) -> int:
        return len(self.read)

    def __iter__(self) -> Iterator[Batch]:
        import torch

        rng = random.Random(0) if self.seed is None else self.rng
        order = list(range(len(self.read)))
        if self.seed is not None:
            rng.shuffle(order)
        for index in track(order, "training" if self.seed is not None else "validating"):
            kinds = self.kinds[index]
            number = min(self.half, *map(len, kinds))
            pairs = [pair for pairs_of_kind in kinds for pair in rng.sample(pairs_of_kind, number)]
            directed = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]
            first, second = torch.tensor(directed).T
            same = torch.tensor([1.0] * number + [0.0] * number)
            yield Batch(*pad(self.read[index]), first, second, same)


def pair_kinds(salad: Salad) -> tuple[list[tuple[int, int]], ...]:
    """The pairs of one story and the pairs of two; empty if either kind is missing."""
    right = [set(salad.right_labels(i)) for i in range(len(salad.sentences))]
    kinds: tuple[list[tuple[int, int]], ...] = ([], [])
    for i, j in combinations(range(len(right)), 2):
        kinds[right[i].isdisjoint(right[j])].append((i, j))
    return kinds if all(kinds) else ()
