"""Structure of a pile: which document each sentence came in, its date and its thread.

Structure is evidence: two documents of one mail thread, or of the same days, are likelier to tell
one story.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np
from numpy.typing import NDArray

from fabula.salads.models.documents.model import Unit
from fabula.salads.models.documents.terms import sentence_terms
from fabula.text.segment.language import looks_english

__all__ = [
    "SAME_THREAD", "Structure", "apart_by_language", "date_log_odds", "structure_log_odds",
]  # fmt: skip

Floats = NDArray[np.float64]

# Log-odds of one story, by what two documents share. Threads are set, not learnt: there is no
# collection of mail with stories. The dates are learnt from little: of the 10 pairs of Wikinews
# reports that share an event of a SemEval 2015 trial timeline half lie within nine weeks, of all
# 435 pairs one in sixteen.
SAME_THREAD = 4.0
_SAME_ROOM = 1.5  # conversations of one chat: short ones say too little to be placed by words
_DATE_NEAR, _DATE_FAR = 0.5, -1.0
_OTHER_LANGUAGE = -4.0
_LEAST_SHARED = 0.15  # of the words of the shorter of two texts of which one is not English
_DATE_SCALE = 30.0  # days after which nearness is half gone


@dataclass(frozen=True, slots=True)
class Structure:
    """``documents``: for each sentence the number of its document, in the order of the text.

    ``dates`` (ISO, of publication), ``threads`` are those of each document, by its number, where
    known; ``rooms`` the chat that a conversation is part of. ``whole`` are documents that are never
    cut, such as a message or a conversation, ``listed`` those in which every sentence stands on a
    line of its own; ``sections`` says for the sentences (indices) with which a section
    begins the probability of a boundary above which the document is cut there.
    """

    documents: tuple[int, ...]
    dates: tuple[str | None, ...] = ()
    threads: tuple[str | None, ...] = ()
    rooms: tuple[str | None, ...] = ()
    whole: frozenset[int] = frozenset()
    listed: frozenset[int] = frozenset()
    sections: Mapping[int, float] = field(default_factory=dict)


def structure_log_odds(units: Sequence[Unit], structure: Structure) -> Floats:
    """Log-odds [u, u] from threads and dates, to be added to those of the text."""
    n = len(units)
    log_odds = np.zeros((n, n))
    threads = [_of(structure.threads, unit.document) for unit in units]
    rooms = [_of(structure.rooms, unit.document) for unit in units]
    days = [_day(_of(structure.dates, unit.document)) for unit in units]
    for i in range(n):
        for j in range(i):
            if units[i].document == units[j].document:
                continue
            value = 0.0
            if threads[i] is not None and threads[i] == threads[j]:
                value += SAME_THREAD
            if rooms[i] is not None and rooms[i] == rooms[j]:
                value += _SAME_ROOM
            first, second = days[i], days[j]
            if first is not None and second is not None:
                value += date_log_odds(abs(first - second))
            log_odds[i, j] = log_odds[j, i] = value
    return log_odds


def apart_by_language(sentences: Sequence[str], units: Sequence[Unit], log_odds: Floats) -> Floats:
    """The log-odds, where a unit that is not English is apart from those that share few words.

    The model of documents compares English; between other languages its vectors are alike
    whatever is told.
    """
    texts = [[sentences[i] for i in unit.sentences] for unit in units]
    foreign = [n for n, text in enumerate(texts) if not looks_english(" ".join(text))]
    if not foreign:
        return log_odds
    words = [{word for sentence in text for word, _ in sentence_terms(sentence)} for text in texts]
    result = log_odds.copy()
    for i in foreign:
        for j, other in enumerate(words):
            shortest = min(len(words[i]), len(other))
            if i != j and len(words[i] & other) < _LEAST_SHARED * max(shortest, 1):
                result[i, j] = result[j, i] = min(result[i, j], _OTHER_LANGUAGE)
    return result


def date_log_odds(days: float) -> float:
    """From ``_DATE_NEAR`` on one day down to ``_DATE_FAR`` for dates far apart.

    >>> date_log_odds(0), date_log_odds(10_000)
    (0.5, -1.0)
    """
    nearness = math.exp2(-days / _DATE_SCALE)
    return round(_DATE_FAR + (_DATE_NEAR - _DATE_FAR) * nearness, 6)


def _of(values: Sequence[str | None], index: int) -> str | None:
    return values[index] if index < len(values) else None


def _day(value: str | None) -> int | None:
    """The number of the day; None for a month, a year or what is no date."""
    try:
        return date.fromisoformat(value[:10]).toordinal() if value and len(value) >= 10 else None
    except ValueError:
        return None
