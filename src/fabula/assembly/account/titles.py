"""Naming a story by its most telling words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from fabula.text.temporal.lexicon import WEEKDAYS

__all__ = ["title_stories"]

# Words of any report that name no story, beside spaCy's stop words.
_VAGUE = frozenset(
    "bill co con cry de describe detail eg etc fill find fire found ie inc interest ltd mill "
    "sincere system thick thin un".split()
)
_WORD = re.compile(r"[^\W\d_][\w'-]*")
_BESIDE = re.compile(rf"(?<![\w'-])(?=({_WORD.pattern}) ({_WORD.pattern}))")


def title_stories(stories: Sequence[Sequence[str]], words: int = 3) -> list[str]:
    """For each story the words said often in it and seldom in the others, names first.

    >>> title_stories([["Rook sailed.", "Rook drowned."], ["Hallam wept.", "Then Hallam left."]])
    ['Rook', 'Hallam']
    >>> title_stories([["In High Tarrow it rained.", "They left High Tarrow."], ["It blew."]])
    ['High Tarrow', 'untitled']
    """
    stop_words = _stop_words()
    counts = [_count(sentences) for sentences in stories]
    spread = Counter(word for count in counts for word in count)
    everywhere = Counter[str]()
    for count in counts:
        everywhere.update(count)
    titles = []
    for count, story in zip(counts, stories, strict=True):
        worth = {
            word: times / everywhere[word] * math.log1p(times) * (2 if word[0].isupper() else 1)
            for word, times in count.items()
            if word.lower() not in stop_words and times > 1 and len(word) > 2
        }
        ranked = sorted(worth, key=lambda w: (-worth[w], spread[w], w))
        titles.append(", ".join(_whole_names(ranked, story)[:words]) or "untitled")
    return titles


def _stop_words() -> frozenset[str]:
    from fabula.text.parse.pipeline import import_spacy

    import_spacy()
    from spacy.lang.en.stop_words import STOP_WORDS

    return frozenset(STOP_WORDS).union(_VAGUE, WEEKDAYS)


def _whole_names(ranked: Sequence[str], sentences: Sequence[str]) -> list[str]:
    """The same words with those that always stand side by side as one name: "High Tarrow"."""
    pairs = Counter(
        (one, two)
        for sentence in sentences
        for one, two in _BESIDE.findall(sentence)
        if one[0].isupper() and two[0].isupper()
    )
    alone = Counter(word for sentence in sentences for word in _WORD.findall(sentence))
    whole: dict[str, str] = {}
    for (one, two), times in pairs.items():
        if times == alone[one] == alone[two] and times > 1:
            whole[one] = whole[two] = f"{one} {two}"
    return list(dict.fromkeys(whole.get(word, word) for word in ranked))


def _count(sentences: Sequence[str]) -> Counter[str]:
    """Word counts; a word that only ever opens sentences is counted in lower case.

    Only then can a capital be trusted to mean a name.
    """
    inside, opening = Counter[str](), Counter[str]()
    for sentence in sentences:
        words = _WORD.findall(sentence)
        opening.update(words[:1])
        inside.update(words[1:])
    total = Counter(inside)
    for word, times in opening.items():
        known = word in inside or word.lower() not in inside
        total[word if known else word.lower()] += times
    return total
