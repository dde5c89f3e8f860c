"""Titles: the sentences of each story in, its most distinctive words out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from fabula.text.temporal.lexicon import WEEKDAYS

__all__ = ["title_stories"]

# Added to spaCy's stop words: words that do not distinguish stories.
_EXTRA_STOP_WORDS = frozenset(
    "bill co con cry de describe detail eg etc fill find fire found ie inc interest ltd mill "
    "sincere system thick thin un".split()
)
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_BIGRAM = re.compile(rf"(?<![\w'-])(?=({_WORD.pattern}) ({_WORD.pattern}))")


def title_stories(stories: Sequence[Sequence[str]], words: int = 3) -> list[str]:
    """For each story its words by log frequency times its share of the pile, names doubled.

    >>> title_stories([["Rook sailed.", "Rook drowned."], ["Hallam wept.", "Then Hallam left."]])
    ['Rook', 'Hallam']
    >>> title_stories([["In High Tarrow it rained.", "They left High Tarrow."], ["It blew."]])
    ['High Tarrow', 'untitled']
    """
    stop_words = _stop_words()
    counts = [_count(sentences) for sentences in stories]
    document_frequency = Counter(word for count in counts for word in count)
    total = Counter[str]()
    for count in counts:
        total.update(count)
    titles = []
    for count, story in zip(counts, stories, strict=True):
        scores = {
            word: times / total[word] * math.log1p(times) * (2 if word[0].isupper() else 1)
            for word, times in count.items()
            if word.lower() not in stop_words and times > 1 and len(word) > 2
        }
        ranked = sorted(scores, key=lambda w: (-scores[w], document_frequency[w], w))
        titles.append(", ".join(_whole_names(ranked, story)[:words]) or "untitled")
    return titles


def _stop_words() -> frozenset[str]:
    from fabula.text.parse.pipeline import import_spacy

    import_spacy()
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS).union(_EXTRA_STOP_WORDS, WEEKDAYS)


def _whole_names(ranked: Sequence[str], sentences: Sequence[str]) -> list[str]:
    """The words, two capitalised ones that always occur together joined: "High Tarrow"."""
    pairs = Counter(
        (first, second)
        for sentence in sentences
        for first, second in _BIGRAM.findall(sentence)
        if first[0].isupper() and second[0].isupper()
    )
    counts = Counter(word for sentence in sentences for word in _WORD.findall(sentence))
    name_of: dict[str, str] = {}
    for (first, second), times in pairs.items():
        if times == counts[first] == counts[second] and times > 1:
            name_of[first] = name_of[second] = f"{first} {second}"
    return list(dict.fromkeys(name_of.get(word, word) for word in ranked))


def _count(sentences: Sequence[str]) -> Counter[str]:
    """Word counts; a sentence's first word that is elsewhere in lower case is lower-cased.

    A remaining capital then marks a name.
    """
    inside, opening = Counter[str](), Counter[str]()
    for sentence in sentences:
        words = _WORD.findall(sentence)
        opening.update(words[:1])
        inside.update(words[1:])
    total = Counter(inside)
    for word, times in opening.items():
        keep_case = word in inside or word.lower() not in inside
        total[word if keep_case else word.lower()] += times
    return total
