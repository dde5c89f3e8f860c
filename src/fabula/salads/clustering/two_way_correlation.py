"""Correlation clustering into two stories, batched over salads of one size.

Two stories are the common case, and for salads this small the cost of the calls exceeds that of
the sums. The answers equal ``correlation.correlation_clusters(log_odds, 2)``.

Shapes: b salads of n sentences each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["two_story_log_odds", "two_way_clusters"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]


def two_way_clusters(log_odds: Floats) -> Labels:
    """Labels 0 and 1, [b, n], of log-odds [b, n, n]: steepest ascent from a spectral start."""
    b, n, _ = log_odds.shape
    if n < 2:
        return np.zeros((b, n), dtype=np.int64)
    log_odds = _zero_diagonal(log_odds)
    signs = _spectral_signs(log_odds)  # 1 or -1
    one_story = (signs == signs[:, :1]).all(axis=1)
    signs[one_story] = 1.0
    margin = (log_odds @ signs[:, :, None])[:, :, 0]  # log-odds with story 1 less with story -1
    rows = np.arange(b)
    for _ in range(30 * n):  # every move raises the objective: never reached in practice
        gain = -signs * margin
        gain[one_story] = 0.0  # neither eigenvector separates its sentences
        positive = (signs > 0).sum(axis=1)
        for count, sign in ((positive, 1.0), (n - positive, -1.0)):
            single = count == 1
            if single.any():  # no story is emptied
                gain[single[:, None] & (signs == sign)] = 0.0
        best = gain.argmax(axis=1)
        moving = rows[gain[rows, best] > 1e-9]
        if not len(moving):
            break
        moved = best[moving]
        signs[moving, moved] *= -1
        margin[moving] += 2 * signs[moving, moved][:, None] * log_odds[moving, :, moved]
    return np.asarray(signs < 0, dtype=np.int64)


def two_story_log_odds(log_odds: Floats, labels: Labels) -> Floats:
    """[b, n, 2]: ``correlation.story_log_odds`` of each salad."""
    member = np.stack([labels == 0, labels == 1], axis=2).astype(np.float64)
    others = np.maximum(member.sum(axis=1, keepdims=True) - member, 1.0)
    return np.asarray(_zero_diagonal(log_odds) @ member / others)


def _zero_diagonal(log_odds: Floats) -> Floats:
    """A copy with zeros on the diagonal: a sentence is no evidence for itself."""
    log_odds = np.array(log_odds, dtype=np.float64)
    diagonal = np.arange(log_odds.shape[1])
    log_odds[:, diagonal, diagonal] = 0.0
    return log_odds


def _spectral_signs(log_odds: Floats) -> Floats:
    """The signs of the leading eigenvector, or of the second where the first has only one sign."""
    b = len(log_odds)
    leading = np.linalg.eigh(log_odds)[1][:, :, :-3:-1]  # [b, n, 2]
    largest = np.take_along_axis(leading, np.abs(leading).argmax(axis=1)[:, None], axis=1)
    signs = np.where(leading * np.where(largest < 0, -1.0, 1.0) < 0, -1.0, 1.0)
    one_sign = (signs[:, :, 0] == signs[:, :1, 0]).all(axis=1)
    return np.asarray(signs[np.arange(b), :, one_sign.astype(int)])
