"""Topic vectors of documents: the mean of the sentence vectors, or of the word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.errors import UsageError
from fabula.salads.build.mix import Source
from fabula.salads.clustering.vectors import unit
from fabula.text.encoders.sentence import find_encoder
from fabula.text.encoders.wordvectors import AveragedWords

__all__ = ["centred_topics", "with_topics", "without_stop_words"]

_MARKS = ".,;:!?\"'()[]"
_AT_ONCE = 500  # documents encoded together; vectors of every sentence of a corpus are too many


def with_topics(sources: Sequence[Source], encoder: Any = "minilm") -> list[Source]:
    """The sources with unit topic vectors, from which salads compute their cosine.

    ``glove`` averages over all words of the document, as in the paper (section 3); any other
    encoder over its sentences.
    """
    found = find_encoder(encoder)
    if getattr(found, "relative", False):
        raise UsageError(
            f"topics cannot come from {encoder!r}: its vectors depend on the texts beside them; "
            "use minilm or glove"
        )
    by_word = isinstance(found, AveragedWords)
    result: list[Source] = []
    for at in track(range(0, len(sources), _AT_ONCE), "reading topics"):
        part = sources[at : at + _AT_ONCE]
        pieces = [[" ".join(s.sentences)] if by_word else list(s.sentences) for s in part]
        vectors = np.asarray(found.encode([text for texts in pieces for text in texts]))
        starts = np.cumsum([0, *map(len, pieces[:-1])])
        topics = _rows(np.add.reduceat(vectors, starts, axis=0))
        result += [replace(s, topic=topic) for s, topic in zip(part, topics, strict=True)]
    return result


def without_stop_words(source: Source) -> Source:
    """The source without the words that every text has (scikit-learn's English list)."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    def content(sentence: str) -> str:
        kept = [w for w in sentence.split() if w.lower().strip(_MARKS) not in ENGLISH_STOP_WORDS]
        return " ".join(kept) or sentence

    return replace(source, sentences=tuple(map(content, source.sentences)))


def centred_topics(sources: Sequence[Source]) -> list[Source]:
    """The sources with topics less their mean: what all documents have in common is taken out."""
    topics = np.stack([source.topic for source in sources if source.topic is not None])
    rows = _rows(topics - topics.mean(axis=0))
    return [replace(s, topic=topic) for s, topic in zip(sources, rows, strict=True)]


def _rows(sums: NDArray[Any]) -> NDArray[np.float32]:
    """Unit rows; a sum has the direction of the mean, and only cosines are used."""
    return unit(sums).astype(np.float32)
