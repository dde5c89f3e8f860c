"""Near-duplicates: the sentences of a pile in, repeats of earlier ones out, by word overlap."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from fabula.text.lexicon import CARDINALS, MAGNITUDES, NEGATIONS, words

__all__ = ["find_repeats"]

MIN_JACCARD = 0.8  # multiset Jaccard: shared words over all words of both
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
# Half past, noon and the like differ as numbers do.
_NUMBERS = words("half quarter noon midnight").union(CARDINALS, MAGNITUDES)
_KEYS = 4  # rarest words by which candidates are looked up, at least


def find_repeats(
    sentences: Sequence[str], stories: Sequence[int], clashing: Collection[tuple[int, int]] = ()
) -> dict[int, int]:
    """For each sentence that repeats an earlier one of its story, the index of the earlier one.

    A repeat has a Jaccard similarity of 0.8 or more; sentences that differ in a number or a
    negation, or contradict each other (``clashing``), are not repeats. Candidates share one of
    their rarest words.

    >>> find_repeats(["The mill burned down.", "The mill BURNED down!", "Rain."], [1, 1, 1])
    {1: 0}
    """
    words = [Counter(word.lower() for word in _WORD.findall(text)) for text in sentences]
    document_frequency = Counter(word for counts in words for word in counts)
    postings: dict[tuple[int, str], list[int]] = defaultdict(list)
    repeats: dict[int, int] = {}
    for index, counts in enumerate(words):
        rare = sorted(counts, key=lambda word: (document_frequency[word], word))[
            : max(_KEYS, len(counts) // 3)
        ]
        candidates = sorted({i for word in rare for i in postings[stories[index], word][:50]})
        for first in candidates:
            if (first, index) not in clashing and _near_duplicates(words[first], counts):
                repeats[index] = first
                break
        else:
            for word in rare:
                postings[stories[index], word].append(index)
    return repeats


def _near_duplicates(first: Counter[str], second: Counter[str]) -> bool:
    differing = (first - second) + (second - first)
    if any(
        word[0].isdigit() or word in NEGATIONS or word.endswith(("n't", "n’t"))
        for word in differing
    ):
        return False
    if any(word in _NUMBERS for word in differing):
        return False
    return (first & second).total() >= MIN_JACCARD * (first | second).total()
