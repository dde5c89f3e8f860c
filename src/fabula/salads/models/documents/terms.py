"""What a document says, counted: its words, names, numbers, and those of its opening."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from fabula.text.lexicon import FUNCTION_WORDS

__all__ = ["DocumentTerms", "document_terms", "sentence_terms"]

_WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?|\d+(?:[.,:]\d+)*")
_LEAD = 2  # sentences of the opening: news tells the event there
_CACHE = 50_000


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """Counts of a document's words; ``names`` and ``numbers`` are parts of ``words``."""

    words: Counter[str]
    names: Counter[str]
    numbers: Counter[str]
    common: Counter[str]  # neither names nor numbers
    lead: Counter[str]
    lead_names: frozenset[str]


Terms = tuple[tuple[str, bool], ...]  # lower-case word, whether it has a capital inside a sentence


@lru_cache(maxsize=_CACHE)
def sentence_terms(sentence: str) -> Terms:
    """The words of a sentence without function words, each with whether it looks like a name.

    >>> sentence_terms("The ferry left Harwich at 9.30.")
    (('ferry', False), ('left', False), ('harwich', True), ('9.30', False))
    """
    terms = []
    for position, word in enumerate(_WORD.findall(sentence)):
        lower = word.lower().replace("’", "'").removesuffix("'s")
        if lower not in FUNCTION_WORDS and len(lower) > 1:
            terms.append((lower, position > 0 and word[0].isupper()))
    return tuple(terms)


def document_terms(sentences: Sequence[str]) -> DocumentTerms:
    """The counts of a document. A name is capitalised inside sentences at least half as often as
    it is written small, so that headlines in capitals make no names."""
    read = [sentence_terms(sentence) for sentence in sentences]
    words = Counter(word for terms in read for word, _ in terms)
    capitals = Counter(word for terms in read for word, capital in terms if capital)
    small = words - capitals
    names = {
        word: words[word]
        for word, times in capitals.items()
        if not word[0].isdigit() and 2 * times >= small[word]
    }
    numbers = {word: times for word, times in words.items() if word[0].isdigit()}
    lead = Counter(word for terms in read[:_LEAD] for word, _ in terms)
    return DocumentTerms(
        words=words,
        names=Counter(names),
        numbers=Counter(numbers),
        common=Counter({w: t for w, t in words.items() if w not in names and w not in numbers}),
        lead=lead,
        lead_names=frozenset(word for word in lead if word in names),
    )
