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
    sentences: Sequence[str],
    stories: Sequence[int],
    clashing: Collection[tuple[int, int]] = (),
    documents: Sequence[int | str] = (),
) -> dict[int, int]:
    """For each sentence that repeats an earlier one of its story, the index of the earlier one.

    With ``documents``, the number of each sentence's, one that tells more of the story counts as
    the earlier: the fullest version of a report is shown, and those cut from it repeat it. A
    repeat has a Jaccard similarity of 0.8 or more; sentences that differ in a number or a
    negation, or contradict each other (``clashing``), are not repeats. Candidates share one of
    their rarest words.

    >>> find_repeats(["The mill burned down.", "The mill BURNED down!", "Rain."], [1, 1, 1])
    {1: 0}
    """
    words = [Counter(word.lower() for word in _WORD.findall(text)) for text in sentences]
    document_frequency = Counter(word for counts in words for word in counts)
    postings: dict[tuple[int, str], list[int]] = defaultdict(list)
    repeats: dict[int, int] = {}
    for index in _fullest_first(stories, documents):
        counts = words[index]
        rare = sorted(counts, key=lambda word: (document_frequency[word], word))[
            : max(_KEYS, len(counts) // 3)
        ]
        candidates = sorted({i for word in rare for i in postings[stories[index], word][:50]})
        for first in candidates:
            pair = min(first, index), max(first, index)
            if pair not in clashing and _near_duplicates(words[first], counts):
                repeats[index] = first
                break
        else:
            for word in rare:
                postings[stories[index], word].append(index)
    return dict(sorted(repeats.items()))


def _fullest_first(stories: Sequence[int], documents: Sequence[int | str]) -> list[int]:
    """The indices of the sentences, those first whose document tells most of their story."""
    if not documents:
        return list(range(len(stories)))
    told = list(zip(stories, documents, strict=True))
    sizes = Counter(told)
    return sorted(range(len(told)), key=lambda i: -sizes[told[i]])


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
