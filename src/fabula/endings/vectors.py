"""Cosine scores of endings by sentence vectors (Mostafazadeh et al. 2016, section 3).

The functions on arrays take items that are encoded already: ``joint_scores`` and
``trajectory_scores`` judge a hundred thousand of them in seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fabula.endings.items import Ending, Scores
from fabula.errors import UnknownName, UsageError
from fabula.text.encoders.sentence import find_encoder

__all__ = [
    "PREDICTORS",
    "coefficients",
    "joint_scores",
    "score_by_shape",
    "trajectory_scores",
]

Floats = NDArray[np.floating[Any]]
PREDICTORS = ("linear", "last-difference", "mean-difference", "quadratic", "last", "mean")
_AT_ONCE = 1 << 22  # numbers held twice while scoring


def joint_scores(contexts: ArrayLike, options: ArrayLike) -> Floats:
    """Cosines of contexts (items, d) with their options (items, k, d), as (items, k).

    The cosine with a zero vector is 0.
    """
    context, option = np.asarray(contexts), np.asarray(options)
    if context.ndim != 2 or option.ndim != 3 or context.shape != option.shape[::2]:
        raise UsageError(
            f"contexts of shape {context.shape} and options of {option.shape}; "
            "they are (items, d) and (items, k, d)"
        )
    scores = np.zeros(option.shape[:2])
    step = max(1, _AT_ONCE // max(1, option[:1].size))
    for at in range(0, len(context), step):
        one, many = context[at : at + step], option[at : at + step]
        dots = np.einsum("nd,nkd->nk", one, many)
        lengths = np.sqrt(np.einsum("nd,nd->n", one, one))[:, None] * np.sqrt(
            np.einsum("nkd,nkd->nk", many, many)
        )
        scores[at : at + step] = np.where(lengths > 1e-12, dots / np.maximum(lengths, 1e-12), 0.0)
    return scores


def trajectory_scores(
    sentences: ArrayLike, options: ArrayLike, predictor: str = "linear"
) -> Floats:
    """Cosines of the predicted next vector after ``sentences`` (items, n, d) with the options."""
    rows = np.asarray(sentences)
    if rows.ndim != 3:
        raise UsageError(f"sentences of shape {rows.shape}; they are (items, n, d)")
    weights = coefficients(rows.shape[1], predictor).astype(rows.dtype)
    return joint_scores(np.einsum("n,ind->id", weights, rows), options)


@lru_cache(maxsize=64)
def coefficients(n: int, predictor: str = "linear") -> NDArray[np.float64]:
    """The weight of each of n sentence vectors in the extrapolation of the next one.

    ``linear`` fits a straight line by least squares through the differences of neighbours and adds
    the next value of that line to the last sentence; ``quadratic`` fits a parabola. With fewer
    differences than a curve needs, the steepest curve that they determine is taken.

    >>> (3 * coefficients(4)).round(9).tolist()  # (2a - 3b - 3c + 7d) / 3
    [2.0, -3.0, -3.0, 7.0]
    """
    if predictor not in PREDICTORS:
        raise UnknownName("predictor", predictor, PREDICTORS)
    if n == 0:
        return np.zeros(0)
    last = np.eye(n)[-1]
    if predictor == "mean":
        return np.full(n, 1 / n)
    if predictor == "last" or n == 1:
        return np.asarray(last)
    differences = np.diff(np.eye(n), axis=0)  # (n - 1, n): sentence i + 1 less sentence i
    steps = n - 1
    if predictor == "last-difference":
        return np.asarray(last + differences[-1])
    if predictor == "mean-difference":
        return np.asarray(last + differences.mean(axis=0))
    degree = min({"linear": 1, "quadratic": 2}[predictor], steps - 1)
    # Times from the next step backwards, so that the curve's value there is its constant term.
    times = np.vander(np.arange(-steps, 0) / steps, degree + 1, increasing=True)
    return np.asarray(last + np.linalg.pinv(times)[0] @ differences)


def score_by_shape(
    encoder: Any,
    items: Sequence[Ending],
    read: Callable[[Ending], Sequence[str]],
    score: Callable[[Floats, Floats], Floats],
) -> list[Scores]:
    """Encode all texts in one go, then ``score(contexts (i, n, d), options (i, k, d))`` by shape.

    ``read`` says what is encoded of an item's context. An encoder that is ``relative`` (TF-IDF)
    reads each item by itself: an answer must not depend on the others of a batch. Without any
    context all options are alike.
    """
    if not items:
        return []
    found = find_encoder(encoder)
    texts = [[*read(item), *item.options] for item in items]
    if getattr(found, "relative", False):
        return [
            _scored(score, np.asarray(found.encode(some)), [item])[0]
            for item, some in zip(items, texts, strict=True)
        ]
    places = {text: i for i, text in enumerate(dict.fromkeys(t for some in texts for t in some))}
    vectors = np.asarray(found.encode(list(places)))
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, item in enumerate(items):
        groups[len(texts[i]), len(item.options)].append(i)
    scores: list[Scores] = [()] * len(items)
    for members in groups.values():
        rows = vectors[[places[text] for i in members for text in texts[i]]]
        parts = _scored(score, rows, [items[i] for i in members])
        for i, part in zip(members, parts, strict=True):
            scores[i] = part
    return scores


def _scored(
    score: Callable[[Floats, Floats], Floats], rows: Floats, items: Sequence[Ending]
) -> list[Scores]:
    """The scores of items of one shape from their texts' vectors, in order."""
    k = len(items[0].options)
    block = rows.reshape(len(items), -1, rows.shape[-1]).astype(np.float64)
    contexts, options = block[:, :-k], block[:, -k:]
    if not contexts.shape[1]:
        return [(0.0,) * k for _ in items]
    return [tuple(row) for row in score(contexts, options).tolist()]
