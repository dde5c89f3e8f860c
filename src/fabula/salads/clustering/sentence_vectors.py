"""Sentence vectors of salads, and grouping by them: what the models without training share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.build.event_form import events_of
from fabula.salads.clustering.vectors import centre, find_k, memberships, unit
from fabula.salads.items import Grouping, Salad
from fabula.text.encoders.sentence import find_encoder

__all__ = ["SHARPNESS", "group_vectors", "salad_vectors"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_EVENTS = ",events"
SHARPNESS = 12.0  # of the probabilities; minimises the Brier score of ``centred`` (dev part)


def salad_vectors(encoder: Any, salads: Sequence[Salad]) -> list[Floats]:
    """For each salad one row a sentence; all sentences are encoded in one go.

    An encoder that is ``relative`` (TF-IDF) reads each salad by itself: an answer must not depend
    on the other salads of a batch. ``glove,events`` is ``glove`` on the words of the event form.
    """
    if not salads:
        return []
    texts = [list(salad.sentences) for salad in salads]
    if isinstance(encoder, str) and encoder.endswith(_EVENTS):
        encoder = encoder.removesuffix(_EVENTS)
        texts = [[" ".join(filter(None, chain(*s))) for s in salad] for salad in events_of(salads)]
    found = find_encoder(encoder)
    if getattr(found, "relative", False):
        return [np.asarray(found.encode(some)) for some in texts]
    vectors = np.asarray(found.encode([text for some in texts for text in some]))
    return np.split(vectors, np.cumsum([len(some) for some in texts])[:-1])


def group_vectors(
    encoder: Any,
    salads: Sequence[Salad],
    divide: Callable[[Floats, int], Labels],
    *,
    prepare: Callable[[Floats], Floats] = unit,
    sharpness: float = SHARPNESS,
) -> list[Grouping]:
    """Each salad divided by ``divide(rows, k)``; without a number, k has the best silhouette.

    The rows are the sentence vectors after ``prepare``.
    """

    def group(salad: Salad, vectors: Floats) -> Grouping:
        if not salad.sentences:
            return Grouping((), ())
        vectors = vectors.astype(np.float64)
        rows = prepare(vectors)
        k = salad.stories if salad.stories is not None else find_k(rows, divide=divide)
        # A story may stay empty, as when there are fewer different sentences than stories.
        labels = np.unique(divide(rows, min(k, len(rows))), return_inverse=True)[1]
        shares = memberships(centre(vectors), labels, sharpness)
        sure = shares[np.arange(len(labels)), labels]
        return Grouping(tuple(labels.tolist()), tuple(sure.tolist()))

    return [
        group(salad, vectors)
        for salad, vectors in zip(salads, salad_vectors(encoder, salads), strict=True)
    ]
