"""Numbered headings: a document's sentences in, those that head a section ("2. Break-in") out.

Minutes, agendas and digests number their items, and each may be about something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from fabula.types import Sentence

__all__ = ["numbered_headings"]

_NUMBERED = re.compile(
    r"(?:(?:Item|Section|Part|Agenda item|Point|Topic|No\.)\s+)?(?P<number>\d{1,2})\s*[.):–—-]?\s+"
    r"[A-Z][^.!?]*[^.!?:;,…]",
)
_ENDED = re.compile(r"[.!?…][\"'”’)\]]*$")
_MOST_WORDS = 10
_FEWEST = 2  # headings
_LARGEST_GAP = 2  # between two numbers: an item may have been left out


def numbered_headings(sentences: Sequence[Sentence]) -> list[int]:
    """The indices of a document's headings: numbered lines of a few words, the numbers rising, each
    alone on its line, without the end of a sentence, and with prose below the most of them.

    >>> lines = ["1. Fair", "The fair is on Saturday.", "2. Shed", "The lock was forced."]
    >>> numbered_headings([Sentence(text, line=at) for at, text in enumerate(lines)])
    [0, 2]
    """
    on_line = Counter((sentence.paragraph, sentence.line) for sentence in sentences)
    headings, numbers = list[int](), list[int]()
    for at, sentence in enumerate(sentences):
        match = _NUMBERED.fullmatch(sentence.text)
        alone = on_line[sentence.paragraph, sentence.line] == 1
        if match and alone and len(sentence.text.split()) <= _MOST_WORDS:
            headings.append(at)
            numbers.append(int(match["number"]))
    rising = all(0 < b - a <= _LARGEST_GAP for a, b in pairwise(numbers))
    if len(headings) < _FEWEST or not rising or numbers[0] > _LARGEST_GAP:
        return []
    below = [at + 1 for at in headings if at + 1 < len(sentences)]
    prose = sum(_ENDED.search(sentences[at].text) is not None for at in below)
    return headings if 2 * prose >= len(headings) else []
