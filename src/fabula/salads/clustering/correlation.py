"""Correlation clustering: stories from the log-odds that two sentences belong together.

The best grouping has the largest sum of log-odds inside its stories: a pair that is more likely
apart than together costs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fabula.salads.clustering.vectors import kmeans
from fabula.salads.items import Grouping

__all__ = [
    "correlate", "local_search", "spectral_start", "story_log_odds", "strongest", "with_certainty",
    "worth",
]  # fmt: skip

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

MOST_STORIES = 12  # tried when the number is to be found
PRICE = 1.0  # of a story, for each sentence of the salad; chosen on the dev part


def correlate(odds: Floats, k: int | None = None, *, by_size: bool = False) -> Labels:
    """The best grouping found from spectral starts: of k stories, or of as many as pay.

    With weak evidence, log-odds alone would break a salad into crumbs. So a story has a price:
    another one is opened only if it gains more than ``PRICE`` log-odds for each sentence. With
    ``by_size`` the price is a share of how strong the evidence is, which differs between kinds of
    text, and a larger one where the stories are long: the pairs a split would cut grow with their
    square, and so do errors that such pairs share.
    """
    odds = np.array(odds, dtype=np.float64)
    np.fill_diagonal(odds, 0.0)
    n = len(odds)
    if n < 2 or k == 1:
        return np.zeros(n, dtype=np.int64)
    if k is not None:
        return local_search(odds, spectral_start(odds, k))
    tried = [np.zeros(n, dtype=np.int64)]
    tried += [
        local_search(odds, spectral_start(odds, start))
        for start in range(2, min(MOST_STORIES, n) + 1)
    ]
    return max(tried, key=lambda labels: worth(odds, labels) - _price(odds, labels, by_size))


def _price(odds: Floats, labels: Labels, by_size: bool) -> float:
    n, more = len(labels), int(labels.max())
    if not by_size:
        return PRICE * n * more
    strength = float(np.abs(odds).sum()) / (n * (n - 1))
    return n * strength * sum(_share(n / stories) for stories in range(2, more + 2))


def _share(size: float) -> float:
    """What a story costs, as a share of the evidence, when stories are so long; from dev parts."""
    return min(2.2, max(0.8, (size / 9) ** 3))


def worth(odds: Floats, labels: Labels) -> float:
    """The summed log-odds of the pairs inside the stories."""
    return float(odds[labels[:, None] == labels[None, :]].sum()) / 2


def spectral_start(odds: Floats, k: int) -> Labels:
    """k stories from the leading eigenvectors: a sign for two, k-means for more."""
    values, vectors = np.linalg.eigh(odds)
    top = vectors[:, ::-1]
    largest = top[np.abs(top).argmax(axis=0), np.arange(top.shape[1])]
    top = top * np.where(largest < 0, -1.0, 1.0)
    if k == 2:
        labels = (top[:, 0] < 0).astype(np.int64)
        return labels if labels.any() and not labels.all() else (top[:, 1] < 0).astype(np.int64)
    scale = np.sqrt(np.maximum(values[::-1][:k], 0.0))
    return kmeans(top[:, :k] * scale, k)


def local_search(odds: Floats, labels: Labels) -> Labels:
    """Move the sentence that gains most, until no move gains; no story is emptied."""
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    n, stories = len(labels), int(labels.max()) + 1
    each, sizes = np.arange(n), np.bincount(labels).tolist()
    pull = odds @ np.eye(stories)[labels]  # n x stories: what each sentence gains in each
    for _ in range(30 * n):  # each move raises the worth, so this is never reached in practice
        gain = pull - pull[each, labels][:, None]
        if 1 in sizes:
            gain[np.take(sizes, labels) == 1] = 0.0
        at = int(gain.argmax())
        if gain.flat[at] <= 1e-9:
            break
        i, best = divmod(at, stories)
        here = int(labels[i])
        pull[:, here] -= odds[:, i]
        pull[:, best] += odds[:, i]
        sizes[here], sizes[best] = sizes[here] - 1, sizes[best] + 1
        labels[i] = best
    return labels


def story_log_odds(odds: Floats, labels: Labels) -> Floats:
    """n x k: the mean log-odds of each sentence with the other sentences of each story."""
    odds = np.array(odds, dtype=np.float64)
    np.fill_diagonal(odds, 0.0)
    member = np.eye(int(labels.max()) + 1)[labels]
    others = np.maximum(member.sum(axis=0)[None, :] - member, 1.0)
    return np.asarray(odds @ member / others)


def with_certainty(labels: Labels, towards: Floats) -> list[Grouping]:
    """Groupings of b salads of one size, with the probability of each sentence's story.

    Labels [b, n] and the log-odds of each sentence with each story [b, n, k], sharpened.
    """
    shares = np.exp(towards - towards.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    sure = np.take_along_axis(shares, labels[:, :, None], axis=2)[:, :, 0]
    return [
        Grouping(tuple(some), tuple(each))
        for some, each in zip(labels.tolist(), sure.tolist(), strict=True)
    ]


def strongest(odds: Floats, labels: Labels, most: int = 3) -> list[list[tuple[int, float]]]:
    """For each sentence the others of its story that pull it most, with their log-odds above 0."""
    pull = np.where(labels[:, None] == labels[None, :], odds, -np.inf)
    np.fill_diagonal(pull, -np.inf)
    first = np.argsort(-pull, axis=1, kind="stable")[:, :most]
    return [
        [(int(j), float(row[j])) for j in some if row[j] > 0]
        for row, some in zip(pull, first, strict=True)
    ]
