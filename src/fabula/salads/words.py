"""Sentences as numbers of words, and pairs of them to train on, for models that read words.

Words are lower-cased; the paper's lemmas are an option, since parsing is slow. Punctuation is
kept, as in the paper's figures.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from fabula.progress import track
from fabula.salads.items import Salad

__all__ = [
    "PADDING",
    "UNKNOWN",
    "Batch",
    "Numbers",
    "Pairs",
    "Vocabulary",
    "pad",
    "pair_kinds",
    "split_words",
]

Numbers = list[list[int]]  # a salad: for each sentence the numbers of its words

PADDING = 0  # no word at all: it fills a matrix and is never read
UNKNOWN = 1

# As in the corpora that word vectors are learnt from: "don't" is "do" and "n't".
_WORD = re.compile(r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\w+(?:-\w+)*|[^\w\s]")


def split_words(sentences: Sequence[str], *, lemmas: bool = False) -> list[list[str]]:
    """The words of each sentence, lower-cased, or their lemmas by spaCy.

    >>> split_words(["Seven didn't die."])
    [['seven', 'did', "n't", 'die', '.']]
    """
    if not lemmas:
        return [_WORD.findall(sentence.replace("’", "'").lower()) for sentence in sentences]
    from fabula.text.parse import Parser

    parser = Parser(ner=False)
    return list(
        parser.each(
            lambda doc: [token.lemma_.lower() for token in doc if not token.is_space], sentences
        )
    )


@dataclass(frozen=True)
class Vocabulary:
    """Words by number, the most frequent first; 0 is padding and 1 every word that is not here."""

    words: tuple[str, ...]

    @classmethod
    def count(cls, sentences: Iterable[Sequence[str]], most: int) -> Vocabulary:
        """The most frequent words of different sentences, equals by the alphabet.

        A sentence that stands in many salads counts once, and a word seen only once is left out:
        the vector of the unknown word is learnt from these.
        """
        seen = Counter(word for sentence in set(map(tuple, sentences)) for word in sentence)
        ranked = sorted((-number, word) for word, number in seen.items() if number > 1)
        return cls(tuple(word for _, word in ranked[:most]))

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}

    def __len__(self) -> int:
        """Rows of a table of all words, padding and the unknown word included."""
        return len(self.words) + UNKNOWN + 1

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """The numbers of the words; a sentence without any is one unknown word."""
        return [self.numbers.get(word, UNKNOWN) for word in sentence] or [UNKNOWN]


def pad(numbers: Numbers) -> tuple[Any, Any]:
    """A matrix of n sentences as long as the longest, and the length of each."""
    import torch

    lengths = [len(sentence) for sentence in numbers]
    rows = [sentence + [PADDING] * (max(lengths) - len(sentence)) for sentence in numbers]
    return torch.tensor(rows), torch.tensor(lengths)


class Batch(NamedTuple):
    """The pairs of one salad; ``same`` is 1.0 for a pair of one story."""

    sentences: Any  # [n, l]
    lengths: Any  # [n]
    first: Any  # [p]
    second: Any  # [p]
    same: Any  # [p]


class Pairs:
    """For each salad as many pairs of one story as of two, drawn anew each time.

    With no seed the draw is the same each time, for validation.
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
            pairs = [pair for kind in kinds for pair in rng.sample(kind, number)]
            turned = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]
            first, second = torch.tensor(turned).T
            same = torch.tensor([1.0] * number + [0.0] * number)
            yield Batch(*pad(self.read[index]), first, second, same)


def pair_kinds(salad: Salad) -> tuple[list[tuple[int, int]], ...]:
    """The pairs of one story and those of two, or nothing if a kind is missing."""
    right = [set(salad.right_labels(i)) for i in range(len(salad.sentences))]
    kinds: tuple[list[tuple[int, int]], ...] = ([], [])
    for i, j in combinations(range(len(right)), 2):
        kinds[right[i].isdisjoint(right[j])].append((i, j))
    return kinds if all(kinds) else ()
