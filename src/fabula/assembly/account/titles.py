"""Titles: what each story tells in, a headline of its documents or its most telling phrases out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fabula.assembly.facts.reading import Reading
from fabula.assembly.pile import Piece
from fabula.text.lexicon import FUNCTION_WORDS
from fabula.text.rarity import rarity
from fabula.text.temporal.lexicon import WEEKDAYS

__all__ = ["StoryText", "headlines_of", "title_stories"]

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_REPLY = re.compile(r"^(?:(?:re|fwd?|aw|wg)\s*:\s*)+", re.IGNORECASE)
_LEAST_HEADLINE = 3  # words
_LONGEST = 80  # characters
_PHRASES = 2
# Nouns that every report has: they tell no story from another.
_LIGHT = frozenset(
    "people man men woman women time times day days night morning afternoon evening year years "
    "week month hour hours minute minutes thing way part number percent spokesman spokeswoman "
    "statement report reports reporter officials official".split()
).union(WEEKDAYS)


class StoryText(NamedTuple):
    """The readings of a story's sentences, and the headlines of the documents it holds.

    ``documents``: the number of the document of each reading; empty where there is only one.
    """

    readings: Sequence[Reading]
    headlines: Sequence[str] = ()
    documents: Sequence[int] = ()


def headlines_of(members: Sequence[int], pieces: Sequence[Piece]) -> list[str]:
    """The titles of the documents whose sentences are all among the members (indices)."""
    wanted = set(members)
    whole: dict[int, bool] = {}
    for index, piece in enumerate(pieces):
        whole[piece.document] = whole.get(piece.document, True) and index in wanted
    titles = {piece.document: piece.headline for piece in pieces if piece.headline}
    return [
        cleaned
        for document, title in titles.items()
        if whole[document] and (cleaned := _REPLY.sub("", " ".join(title.split())))
    ]


def title_stories(stories: Sequence[StoryText]) -> list[str]:
    """For each story the headline that says most of what it tells; without headlines its most
    telling noun phrases and its place.

    A word tells much if it is frequent in its story, rare in the others and rare in English; in a
    headline, if many of its documents have it too, and their first sentences above all.
    """
    counts = [_counts(story) for story in stories]
    total = Counter[str]()
    for count in counts:
        total.update(count)
    titles = []
    for story, count in zip(stories, counts, strict=True):
        weights = {w: n * n / total[w] * (0.2 + rarity(w)) for w, n in count.items()}
        spread = _spread(story)
        in_headline = {w: spread[w] ** 2 * weight for w, weight in weights.items()}
        titles.append(_headline(story, in_headline) or _phrases(story, weights) or "untitled")
    return titles


def _counts(story: StoryText) -> Counter[str]:
    """In how many sentences each word occurs."""
    return Counter(word for reading in story.readings for word in set(_words(reading.text)))


def _spread(story: StoryText) -> Counter[str]:
    """In how many of the story's documents each word occurs, and once more for each that opens
    with it: news tells in its first sentence what happened."""
    documents = story.documents or [0] * len(story.readings)
    told: set[tuple[str, int, bool]] = set()
    opened: set[int] = set()
    for reading, document in zip(story.readings, documents, strict=True):
        for word in _words(reading.text):
            told.add((word, document, False))
            if document not in opened:
                told.add((word, document, True))
        opened.add(document)
    return Counter(word for word, _, _ in told)


def _words(text: str) -> list[str]:
    lower = (word.lower() for word in _WORD.findall(text))
    return [w.removesuffix("'s").removesuffix("’s") for w in lower if w not in FUNCTION_WORDS]


def _headline(story: StoryText, weights: Mapping[str, float]) -> str:
    headlines = [h for h in story.headlines if len(h.split()) >= _LEAST_HEADLINE]
    if not headlines:
        return ""

    def telling(headline: str) -> float:
        words = set(_words(headline))
        return sum(weights.get(word, 0.0) for word in sorted(words)) / math.sqrt(max(len(words), 1))

    return _shortened(max(headlines, key=lambda h: (telling(h), -len(h))))


def _phrases(story: StoryText, weights: Mapping[str, float]) -> str:
    """The two best noun phrases without a word in common, and the place where it is not named."""
    phrases = Counter(phrase for reading in story.readings for phrase in reading.phrases)
    places = Counter(place for reading in story.readings for place in reading.localities)

    def telling(phrase: str) -> float:
        words = [w for w in _words(phrase) if w not in _LIGHT]
        return sum(weights.get(w, 0.0) for w in words) / math.pow(len(phrase.split()) + 0.5, 0.7)

    chosen: list[str] = []
    used: set[str] = set()
    for phrase in sorted(phrases, key=lambda p: (-telling(p), p)):
        words = set(_words(phrase))
        if words and not words & used and telling(phrase) > 0:
            chosen.append(phrase)
            used |= words
        if len(chosen) == _PHRASES:
            break
    for place, times in sorted(places.items(), key=lambda row: (-row[1], row[0]))[:1]:
        if times > 1 and not set(_words(place)) & used:
            chosen.append(place)
    title = ", ".join(chosen)
    return _shortened(title[:1].upper() + title[1:])


def _shortened(title: str) -> str:
    if len(title) <= _LONGEST:
        return title
    return title[: _LONGEST - 3].rsplit(" ", 1)[0].rstrip(" ,;:-") + "..."
