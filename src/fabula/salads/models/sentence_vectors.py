"""Sentence vectors of salads, and clustering by them: shared by the models without training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.salads.build.event_form import events_of
from fabula.salads.clustering.number_of_stories import k_for_rows
from fabula.salads.clustering.vectors import centre, memberships, unit
from fabula.salads.items import Grouping, Salad
from fabula.text.encoders.sentence import find_encoder

__all__ = ["SHARPNESS", "group_vectors", "salad_vectors"]

Floats = NDArray[np.floating]
Labels = NDArray[np.int64]

_EVENTS = ",events"
SHARPNESS = 12.0  # of the probabilities; minimises the Brier score of ``centred`` (dev part)


def salad_vectors(encoder: Any, salads: Sequence[Salad]) -> list[Floats]:
    """For each salad an array with one row a sentence; all sentences are encoded in one batch.

    An encoder whose vectors are ``relative`` to the other texts (TF-IDF) encodes each salad alone:
    an answer must not depend on the rest of a batch. ``glove,events`` encodes the event form.
    """
    if not salads:
        return []
    texts = [list(salad.sentences) for salad in salads]
    if isinstance(encoder, str) and encoder.endswith(_EVENTS):
        encoder = encoder.removesuffix(_EVENTS)
        texts = [[" ".join(filter(None, chain(*s))) for s in salad] for salad in events_of(salads)]
    resolved = find_encoder(encoder)
    if getattr(resolved, "relative", False):
        return [np.asarray(resolved.encode(sentences)) for sentences in texts]
    vectors = np.asarray(resolved.encode([text for sentences in texts for text in sentences]))
    return np.split(vectors, np.cumsum([len(sentences) for sentences in texts])[:-1])


def group_vectors(
    encoder: Any,
    salads: Sequence[Salad],
    cluster: Callable[[Floats, int], Labels],
    *,
    prepare: Callable[[Floats], Floats] = unit,
    sharpness: float = SHARPNESS,
) -> list[Grouping]:
    """Each salad clustered by ``cluster(rows, k)``; without a number, k has the best silhouette.

    The rows are the sentence vectors after ``prepare``; the probability of a story is the softmax
    of the mean cosine to its sentences, times ``sharpness``.
    """

    def group(salad: Salad, vectors: Floats) -> Grouping:
        if not salad.sentences:
            return Grouping((), ())
        vectors = vectors.astype(np.float64)
        rows = prepare(vectors)
        k = salad.stories if salad.stories is not None else k_for_rows(rows, cluster)
        # A story may stay empty, as when there are fewer different sentences than stories.
        labels = np.unique(cluster(rows, min(k, len(rows))), return_inverse=True)[1]
        shares = memberships(centre(vectors), labels, sharpness)
        probabilities = shares[np.arange(len(labels)), labels]
        return Grouping(tuple(labels.tolist()), tuple(probabilities.tolist()))

    return [
        group(salad, vectors)
        for salad, vectors in zip(salads, salad_vectors(encoder, salads), strict=True)
    ]
