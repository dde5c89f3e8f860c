"""Facts of a document for linking: its text in, a vector, counted terms and a sketch out.

Read once, in a step of the engine; nothing later goes back to the text. Words are those of the
link model of small piles (``salads/models/documents/terms``).
"""

from __future__ import annotations

import base64
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.models.documents.terms import document_terms
from fabula.text.lexicon import FUNCTION_WORDS
from fabula.text.segment.sentences import split_sentences
from fabula.text.temporal.lexicon import MONTHS, WEEKDAYS
from fabula.types import Document

__all__ = ["MOST_WORDS", "SKETCH", "facts_of", "name_phrases", "pack", "sketch", "unpack"]

MOST_WORDS = 2_000  # of a document that its vector and terms are made from; the rest is kept
SKETCH = 16  # hashes
_SHINGLE = 3  # words
_LEAD = 220  # characters
_MOST_PHRASES = 12  # of a document
_NAME = re.compile(r"[A-Z][\w’'-]+(?: (?:(?:of|de|al|von|van|bin) )?[A-Z][\w’'-]+){0,3}")
_NO_NAMES = FUNCTION_WORDS | frozenset(MONTHS) | frozenset(WEEKDAYS)
_MULTIPLIERS = np.random.default_rng(7).integers(1, 2**61, SKETCH, dtype=np.uint64) | np.uint64(1)


def facts_of(document: Document) -> dict[str, Any]:
    """All but the vector: the opening's text to encode, its terms, its sketch."""
    opening = _opening(document)
    sentences = [sentence.text for sentence in split_sentences(opening)]
    terms = document_terms(sentences)
    return {
        "text": " ".join(opening.split()),
        "words": dict(sorted(terms.words.items())),
        "names": sorted(terms.names),
        "sketch": pack(sketch(opening.lower().split())),
        "sentences": len(sentences),
        "lead": _shortened(next((s for s in sentences if _is_whole(s)), opening)),
        "phrases": name_phrases(sentences),
    }


def _is_whole(sentence: str) -> bool:
    return len(sentence.split()) > 5 and not sentence[0].islower()


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LEAD else text[: _LEAD - 3].rsplit(" ", 1)[0] + "..."


def name_phrases(sentences: Sequence[str]) -> dict[str, int]:
    """Runs of capitalised words, counted; one that only ever begins sentences is left out.

    >>> name_phrases(["The ferry left New Haven.", "Rain fell on New Haven."])
    {'New Haven': 2}
    """
    counts: Counter[str] = Counter()
    inside: set[str] = set()
    for sentence in sentences:
        for match in _NAME.finditer(sentence):
            words, opens = match[0].split(), match.start() == 0
            if opens and words[0].lower() in FUNCTION_WORDS:
                words, opens = words[1:], False
            if not words:
                continue
            name = " ".join(words).removesuffix("'s").removesuffix("’s")
            counts[name] += 1
            if not opens:
                inside.add(name)
    kept = {n: c for n, c in counts.items() if n in inside and n.lower() not in _NO_NAMES}
    ranked = sorted(kept.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:_MOST_PHRASES])


def _opening(document: Document) -> str:
    """The headline and the first words: linking needs no more, and one text may hold millions."""
    kept, left = [document.title] if document.title else [], MOST_WORDS
    for paragraph in document.paragraphs:
        words = paragraph[: 20 * left].split(None, left)
        if len(words) > left or len(paragraph) > 20 * left:
            kept.append(" ".join(words[:left]))
            break
        kept.append(paragraph)
        left -= len(words)
        if left <= 0:
            break
    return "\n\n".join(kept)


def sketch(words: Sequence[str]) -> NDArray[np.uint64]:
    """MinHash (Broder 1997) of the runs of three words: the share of equal numbers of two texts
    is near the share of runs that they have in common."""
    runs = {
        zlib.crc32(" ".join(words[i : i + _SHINGLE]).encode("utf-8", "surrogatepass"))
        for i in range(max(1, len(words) - _SHINGLE + 1))
    }
    hashes = np.fromiter(runs, np.uint64, len(runs))
    mixed = (hashes[None, :] + np.uint64(1)) * _MULTIPLIERS[:, None]
    return np.asarray((mixed ^ (mixed >> np.uint64(29))).min(axis=1))


def pack(array: NDArray[Any]) -> str:
    """An array as text, for a shard."""
    return base64.b64encode(array.tobytes()).decode("ascii")


def unpack(text: str, kind: Any) -> NDArray[Any]:
    """The array of ``pack``."""
    return np.frombuffer(base64.b64decode(text), dtype=kind)
