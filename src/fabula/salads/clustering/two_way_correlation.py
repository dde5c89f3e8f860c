"""Correlation clustering of many salads of one size into two stories each, all in step.

Two stories are the common case, and each salad is so small that the calls would cost more than the
sums. The answers are those of ``correlation.correlate(odds, 2)``.

Shapes: b salads of n sentences each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["halve", "pulls"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]


def halve(odds: Floats) -> Labels:
    """Labels 0 and 1, [b, n], for log-odds [b, n, n]."""
    b, n, _ = odds.shape
    if n < 2:
        return np.zeros((b, n), dtype=np.int64)
    odds = _blank(odds)
    sides = _start(odds)  # 1 or -1
    one_story = (sides == sides[:, :1]).all(axis=1)
    sides[one_story] = 1.0
    across = (odds @ sides[:, :, None])[:, :, 0]  # pull to story 1 less pull to story -1
    each = np.arange(b)
    for _ in range(30 * n):  # each move raises the worth, so this is never reached in practice
        gain = -sides * across
        gain[one_story] = 0.0  # no direction tells its sentences apart
        ones = (sides > 0).sum(axis=1)
        for count, side in ((ones, 1.0), (n - ones, -1.0)):
            single = count == 1
            if single.any():  # no story is emptied
                gain[single[:, None] & (sides == side)] = 0.0
        best = gain.argmax(axis=1)
        moving = each[gain[each, best] > 1e-9]
        if not len(moving):
            break
        moved = best[moving]
        sides[moving, moved] *= -1
        across[moving] += 2 * sides[moving, moved][:, None] * odds[moving, :, moved]
    return np.asarray(sides < 0, dtype=np.int64)


def pulls(odds: Floats, labels: Labels) -> Floats:
    """[b, n, 2]: as ``correlation.story_log_odds`` of each salad."""
    member = np.stack([labels == 0, labels == 1], axis=2).astype(np.float64)
    others = np.maximum(member.sum(axis=1, keepdims=True) - member, 1.0)
    return np.asarray(_blank(odds) @ member / others)


def _blank(odds: Floats) -> Floats:
    """With nothing on the diagonal: a sentence is no evidence for itself."""
    odds = np.array(odds, dtype=np.float64)
    each = np.arange(odds.shape[1])
    odds[:, each, each] = 0.0
    return odds


def _start(odds: Floats) -> Floats:
    """The sign of the leading eigenvector, or of the second where the first has only one."""
    b = len(odds)
    top = np.linalg.eigh(odds)[1][:, :, :-3:-1]  # [b, n, 2]: the leading two
    largest = np.take_along_axis(top, np.abs(top).argmax(axis=1)[:, None], axis=1)
    sides = np.where(top * np.where(largest < 0, -1.0, 1.0) < 0, -1.0, 1.0)
    alike = (sides[:, :, 0] == sides[:, :1, 0]).all(axis=1)
    return np.asarray(sides[np.arange(b), :, alike.astype(int)])
