"""The words of a chat's messages as sparse matrices, weighted by their rarity in that chat."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.text.idf import idf

__all__ = ["topic_matrix", "word_matrix"]

_WORD = re.compile(r"[^\W_][\w.+#/-]*[\w+#]|[^\W_]")
_PARTS, _PART = re.compile(r"[/.#+-]+"), 4  # parts of so many letters count
_AROUND, _LATELY = 3, 15.0  # a sender's messages before and after, and minutes, of one topic
_PRIOR = 200.0  # messages taken as read, so that a short chat does not take every word for rare


def _words(text: str) -> set[str]:
    """The words of a message, and the parts of its paths and addresses."""
    words = set(_WORD.findall(text.lower()[:4000]))
    parts = (part for word in words if "/" in word for part in _PARTS.split(word))
    return words | {part for part in parts if len(part) >= _PART}


def word_matrix(texts: Sequence[str]) -> tuple[Any, Any]:
    """Messages x words with root-IDF weights, and the squared length of each row."""
    from scipy import sparse

    lines = [_words(text) for text in texts]
    frequency = Counter(word for line in lines for word in line)
    kept = sorted(word for word, count in frequency.items() if count > 1)
    column = {word: number for number, word in enumerate(kept)}
    rarity = idf(
        [frequency[word] for word in kept] or [1],
        len(texts),
        prior_documents=_PRIOR,
        prior_frequency=0.5,
    )
    cells = [(i, column[w]) for i, line in enumerate(lines) for w in sorted(line) if w in column]
    rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    weights = np.sqrt(rarity[columns]) if len(columns) else np.zeros(0)
    matrix = sparse.csr_matrix((weights, (rows, columns)), shape=(len(texts), max(len(kept), 1)))
    # A word of this message alone is shared with no other, and still makes the message longer.
    alone = np.array([sum(frequency[w] == 1 for w in line) for line in lines], dtype=np.float64)
    once = float(idf([1], len(texts), prior_documents=_PRIOR, prior_frequency=0.5)[0])
    return matrix, np.asarray(matrix.multiply(matrix).sum(1)).ravel() + alone * once


def topic_matrix(words: Any, sender: NDArray[np.int64], minute: NDArray[np.float64]) -> Any:
    """The words of each sender's messages around each message, every row of length 1."""
    from scipy import sparse

    order = np.argsort(sender, kind="stable")
    rows, columns = [np.arange(len(sender))], [np.arange(len(sender))]
    for step in range(1, _AROUND + 1):
        early, late = order[:-step], order[step:]
        near = (sender[early] == sender[late]) & (minute[late] - minute[early] <= _LATELY)
        rows += [early[near], late[near]]
        columns += [late[near], early[near]]
    row, column = np.concatenate(rows), np.concatenate(columns)
    around = sparse.csr_matrix((np.ones(len(row)), (row, column)), shape=(len(sender),) * 2)
    summed = around @ words
    length = np.sqrt(np.asarray(summed.multiply(summed).sum(1)).ravel())
    return (sparse.diags(1.0 / np.maximum(length, 1.0)) @ summed).tocsr()
