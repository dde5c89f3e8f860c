"""Near-repeats: the same report again, in the same words or almost."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence

from fabula.text.lexicon import CARDINALS, MAGNITUDES, NEGATIONS, words

__all__ = ["find_repeats"]

ALIKE = 0.8  # shared words over all words of the two
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
# Half past, noon and the like differ as numbers do.
_NUMBERS = words("half quarter noon midnight").union(CARDINALS, MAGNITUDES)
_KEYS = 4  # rare words by which candidates are found


def find_repeats(
    sentences: Sequence[str], stories: Sequence[int], clashing: Collection[tuple[int, int]] = ()
) -> dict[int, int]:
    """For each sentence that says again what an earlier one of its story said, that one's index.

    Sentences that differ in a number or in a "not" are no repeats of each other, nor are those
    ``clashing``.

    >>> find_repeats(["The mill burned down.", "The mill BURNED down!", "Rain."], [1, 1, 1])
    {1: 0}
    """
    words = [Counter(word.lower() for word in _WORD.findall(text)) for text in sentences]
    spread = Counter(word for counts in words for word in counts)
    seen: dict[tuple[int, str], list[int]] = defaultdict(list)
    found: dict[int, int] = {}
    for index, counts in enumerate(words):
        rare = sorted(counts, key=lambda word: (spread[word], word))[: max(_KEYS, len(counts) // 3)]
        candidates = sorted({i for word in rare for i in seen[stories[index], word][:50]})
        for first in candidates:
            if (first, index) not in clashing and _alike(words[first], counts):
                found[index] = first
                break
        else:
            for word in rare:
                seen[stories[index], word].append(index)
    return found


def _alike(one: Counter[str], two: Counter[str]) -> bool:
    differ = (one - two) + (two - one)
    if any(
        word[0].isdigit() or word in NEGATIONS or word.endswith(("n't", "n’t")) for word in differ
    ):
        return False
    if any(word in _NUMBERS for word in differ):
        return False
    return (one & two).total() >= ALIKE * (one | two).total()
