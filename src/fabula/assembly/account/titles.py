"""Titles: what each story tells in, a headline of its documents or its most telling phrases out."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fabula.assembly.facts.reading import Reading
from fabula.assembly.pile import Piece
from fabula.core.html import counted
from fabula.text.lexicon import FUNCTION_WORDS
from fabula.text.rarity import rarity
from fabula.text.temporal.lexicon import WEEKDAYS

__all__ = ["StoryText", "headlines_of", "story_text", "title_stories"]

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_REPLY = re.compile(r"^(?:(?:re|fwd?|aw|wg)\s*:\s*)+", re.IGNORECASE)
_LEAST_HEADLINE = 3  # words
_LONGEST = 80  # characters
_PHRASES = 2
_SENDERS = 3  # named in the title of a chat
_NO_LEAD = re.compile(r"[?:;,]$|^\W*(?:\w+\W+){0,3}$")  # a question, a salutation, a few words
_NUMBER = re.compile(r"^(?:(?:Agenda )?[A-Z][a-z]+\.? )?\d{1,2}\s*[.):–—-]?\s+")
_CLOCK = re.compile(r"\b(?:[ap]\.?m\b|o['’]clock)", re.IGNORECASE)
# Nouns that every report has: they tell no story from another.
_LIGHT = frozenset(
    "people man men woman women time times day days night morning afternoon evening year years "
    "week month hour hours minute minutes thing way part number percent spokesman spokeswoman "
    "statement report reports reporter officials official".split()
).union(WEEKDAYS)


class StoryText(NamedTuple):
    """The readings of a story's sentences, the headlines of the documents and the headings of the
    sections it holds, the senders of a story that is all chat, and the first sentences of its
    documents without a headline.

    ``documents``: the number of the document of each reading; empty where there is only one.
    """

    readings: Sequence[Reading]
    headlines: Sequence[str] = ()
    documents: Sequence[int] = ()
    headings: Sequence[str] = ()
    senders: Sequence[str] = ()
    leads: Sequence[str] = ()


def story_text(
    members: Sequence[int], pieces: Sequence[Piece], readings: Sequence[Reading]
) -> StoryText:
    """What the title of a story is made of, given the indices of its sentences."""
    own = [pieces[i] for i in members]
    chat = all(piece.message is not None for piece in own)
    senders = Counter(piece.sender for piece in own if chat and piece.sender)
    return StoryText(
        [readings[i] for i in members],
        headlines_of(members, pieces),
        [piece.document for piece in own],
        list(dict.fromkeys(_NUMBER.sub("", piece.section) for piece in own if piece.section)),
        [sender for sender, _ in senders.most_common()],
        [] if senders else _leads_of(members, pieces),
    )


def headlines_of(members: Sequence[int], pieces: Sequence[Piece]) -> list[str]:
    """The titles of the documents whose sentences are all among the members (indices)."""
    if not any(pieces[i].headline for i in members):
        return []  # a chat of many stories has none
    whole = _whole_documents(members, pieces)
    titles = {piece.document: piece.headline for piece in pieces if piece.headline}
    return [
        cleaned
        for document, title in titles.items()
        if document in whole and (cleaned := _REPLY.sub("", " ".join(title.split())))
    ]


def _leads_of(members: Sequence[int], pieces: Sequence[Piece]) -> list[str]:
    """The first of several sentences of each document that is whole in the story and has no
    headline; of a story of one sentence that one."""
    told: dict[int, list[str]] = {}
    for piece in (pieces[i] for i in sorted(members)):
        if piece.message is None and not piece.headline:
            told.setdefault(piece.document, []).append(" ".join(piece.sentence.text.split()))
    if not told:
        return []
    whole = _whole_documents(members, pieces)
    alone = len(members) == 1
    leads = [texts[0] for at, texts in told.items() if at in whole and (alone or len(texts) > 1)]
    return [lead.rstrip(".") for lead in leads if not _NO_LEAD.search(lead)]


def _whole_documents(members: Sequence[int], pieces: Sequence[Piece]) -> set[int]:
    """The documents whose sentences are all among the members (indices)."""
    wanted = set(members)
    outside = {piece.document for index, piece in enumerate(pieces) if index not in wanted}
    return {pieces[index].document for index in wanted} - outside


def title_stories(stories: Sequence[StoryText]) -> list[str]:
    """For each story the headline that says most of what it tells; without headlines the heading
    of a section that does; else the first sentence of a document that does; else its most telling
    noun phrases and its place, after the senders where it is all chat. No two stories have one
    headline, if there is another.

    A word tells much if it is frequent in its story, rare in the others and rare in English; in a
    headline, if many of its documents have it too, and their first sentences above all.
    """
    counts = [_counts(story) for story in stories]
    total = Counter[str]()
    for count in counts:
        total.update(count)
    titles: list[str] = []
    for story, count in zip(stories, counts, strict=True):
        weights = {w: n * n / total[w] * (0.2 + rarity(w)) for w, n in count.items()}
        spread = _spread(story)
        in_headline = {w: spread[w] ** 2 * weight for w, weight in weights.items()}
        titles.append(
            _headline(story.headlines, in_headline, titles)
            or _heading(story, count)
            or _chat(story, weights)
            or _headline(story.leads, in_headline, titles)
            or _phrases(story, weights)
            or "untitled"
        )
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


def _headline(given: Sequence[str], weights: Mapping[str, float], taken: Sequence[str]) -> str:
    """The most telling of some headlines that is not the title of another story; else ""."""
    headlines = [
        h for h in given if len(h.split()) >= _LEAST_HEADLINE and _shortened(h) not in taken
    ]
    if not headlines:
        return ""

    def telling(headline: str) -> float:
        words = set(_words(headline))
        return sum(weights.get(word, 0.0) for word in sorted(words)) / math.sqrt(max(len(words), 1))

    return _shortened(max(headlines, key=lambda h: (telling(h), -len(h))))


def _heading(story: StoryText, counts: Mapping[str, int]) -> str:
    """The heading with the most words that the story says, and with no more that it does not."""

    def said(heading: str) -> int:
        words = set(_words(heading))
        inside = sum(word in counts for word in words)
        return sum(counts.get(word, 0) for word in words) if 2 * inside >= len(words) > 0 else 0

    best = max(story.headings, key=said, default="")
    return _shortened(best) if said(best) else ""


def _chat(story: StoryText, weights: Mapping[str, float]) -> str:
    """Who writes, and the most telling noun phrases that are not their names."""
    if not story.senders:
        return ""
    names, more = list(story.senders[:_SENDERS]), len(story.senders) - _SENDERS
    if more > 0:
        names.append(counted(more, "other"))
    joined = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
    senders = {word for sender in story.senders for word in _words(sender)}
    others = {word: weight for word, weight in weights.items() if word not in senders}
    phrases = _phrases(story, others)
    return _shortened(f"{joined}: {phrases[:1].lower() + phrases[1:]}" if phrases else joined)


def _phrases(story: StoryText, weights: Mapping[str, float]) -> str:
    """The two best noun phrases without a word in common, and the place where it is not named."""
    phrases = Counter(phrase for reading in story.readings for phrase in reading.phrases)
    places = Counter(place for reading in story.readings for place in reading.localities)

    def telling(phrase: str) -> float:
        words = [w for w in _words(phrase) if w not in _LIGHT]
        if _CLOCK.search(phrase):
            return 0.0  # "3pm works"
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
