"""Naming a story by its most telling words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["title_stories"]

_WORD = re.compile(r"[^\W\d_][\w'-]*")


def title_stories(stories: Sequence[Sequence[str]], words: int = 3) -> list[str]:
    """For each story the words said often in it and seldom in the others, names first.

    >>> title_stories([["Rook sailed.", "Rook drowned."], ["Hallam wept.", "Then Hallam left."]])
    ['Rook', 'Hallam']
    >>> title_stories([["In High Tarrow it rained.", "They left High Tarrow."], ["It blew."]])
    ['High Tarrow', 'untitled']
    """
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    texts = [[_WORD.findall(sentence) for sentence in story] for story in stories]
    counts = [_count(text) for text in texts]
    spread = Counter(word for count in counts for word in count)
    everywhere = Counter[str]()
    for count in counts:
        everywhere.update(count)
    titles = []
    for count, text in zip(counts, texts, strict=True):
        worth = {
            word: times / everywhere[word] * math.log1p(times) * (2 if word[0].isupper() else 1)
            for word, times in count.items()
            if word.lower() not in ENGLISH_STOP_WORDS and times > 1 and len(word) > 2
        }
        ranked = sorted(worth, key=lambda w: (-worth[w], spread[w], w))
        titles.append(", ".join(_whole_names(ranked, text)[:words]) or "untitled")
    return titles


def _whole_names(ranked: Sequence[str], text: Sequence[Sequence[str]]) -> list[str]:
    """The same words with those that always stand side by side as one name: "High Tarrow"."""
    pairs = Counter(
        pair
        for words in text
        for pair in pairwise(words)
        if all(word[0].isupper() for word in pair)
    )
    alone = Counter(word for words in text for word in words)
    whole: dict[str, str] = {}
    for (one, two), times in pairs.items():
        if times == alone[one] == alone[two] and times > 1:
            whole[one] = whole[two] = f"{one} {two}"
    return list(dict.fromkeys(whole.get(word, word) for word in ranked))


def _count(text: Sequence[Sequence[str]]) -> Counter[str]:
    """Word counts; a word that only ever opens sentences is counted in lower case.

    Only then can a capital be trusted to mean a name.
    """
    inside, opening = Counter[str](), Counter[str]()
    for words in text:
        opening.update(words[:1])
        inside.update(words[1:])
    total = Counter(inside)
    for word, times in opening.items():
        known = word in inside or word.lower() not in inside
        total[word if known else word.lower()] += times
    return total
