"""Training of ``documents``: salads with sources in, link and boundary networks, calibrated, out.

Networks are fitted on all salads. Their calibration is chosen by cross-validation over groups of
salads (``extra["group"]``, such as a topic), so that it fits texts of subjects not trained on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.salads.clustering.average_linkage import linkage_clusters
from fabula.salads.items import Salad
from fabula.salads.metrics import clustering_accuracy
from fabula.salads.models.documents.features import link_features
from fabula.salads.models.documents.perceptron import Committee
from fabula.salads.models.documents.segmentation import boundary_features

if TYPE_CHECKING:
    from fabula.salads.models.documents.model import Documents, Unit

__all__ = ["Example", "calibrate", "examples_of", "fit_committees", "rows_of"]

_SHORTENED = 0.4  # share of salads of which a copy with documents of 1 to 5 sentences is added
_MOST_JOINED = 6  # documents of a digest
_FOLDS = 4
_CALIBRATED = 3  # one in so many salads takes part in calibration
_MOST_CALIBRATED = 30  # documents of a pile that takes part in calibration
_SHIFTS = (0.0, 0.4, 0.8, 1.2)
_SAME_DOCUMENT = (0.0, 1.0, 2.0, 3.0)
_BOUNDARY_CHANCES = (0.3, 0.5, 0.7)
_SHARPNESS = 1.0
_SHORTEST, _LEAST_PART = 6, 3


class Example(NamedTuple):
    """One salad as documents: their sentences, vectors and stories; ``group`` is its fold key."""

    texts: tuple[tuple[str, ...], ...]
    vectors: tuple[NDArray[np.float32], ...]
    stories: tuple[int, ...]
    group: str


def examples_of(model: Documents, salads: Sequence[Salad]) -> list[Example]:
    """The salads as documents with vectors; without sources each story is two documents."""
    examples = []
    for salad in track(salads, "encoding documents"):
        vectors = model.vectors(salad.sentences)
        members: dict[int, list[int]] = {}
        labels = salad.labels or ()
        for index, source in enumerate(salad.sources or _halves(labels)):
            members.setdefault(source, []).append(index)
        examples.append(
            Example(
                tuple(tuple(salad.sentences[i] for i in rows) for rows in members.values()),
                tuple(vectors[rows] for rows in members.values()),
                tuple(labels[rows[0]] for rows in members.values()),
                str(salad.extra.get("group", salad.id)),
            )
        )
    return examples


def _halves(labels: Sequence[int]) -> list[int]:
    """For each sentence the number of the half of its story that it stands in."""
    halves = []
    for index, label in enumerate(labels):
        members = [i for i, other in enumerate(labels) if other == label]
        halves.append(2 * label + (2 * members.index(index) >= len(members)))
    return halves


Rows = tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float64]]


class _ExampleRows(NamedTuple):
    """Features, gold and importance of an example's pairs of documents, and of its boundaries."""

    link: Rows
    boundary: Rows


def rows_of(examples: Sequence[Example], seed: int) -> list[_ExampleRows]:
    """What the networks are fitted on."""
    rng = random.Random(seed)
    return [
        _ExampleRows(_stack(_link_rows(example, rng)), _seam_rows(example, rng))
        for example in track(examples, "comparing documents")
    ]


def fit_committees(
    rows: Sequence[_ExampleRows], *, hidden: int, decay: float, epochs: int, seed: int
) -> tuple[Committee, Committee]:
    """The link and the boundary network."""
    parameters: dict[str, Any] = {"hidden": hidden, "decay": decay, "epochs": epochs, "seed": seed}
    link = Committee.fit(*_stack(row.link for row in rows), **parameters)
    boundary = Committee.fit(*_stack(row.boundary for row in rows), **parameters)
    return link, boundary


def _stack(rows: Iterable[Rows]) -> Rows:
    features, gold, importance = zip(*rows, strict=True)
    return np.concatenate(features), np.concatenate(gold), np.concatenate(importance)


def _link_rows(example: Example, rng: random.Random) -> Iterator[Rows]:
    """The pairs of documents of a salad; large salads weigh by the root of their pairs."""
    versions = [example]
    if rng.random() < _SHORTENED:
        versions.append(_shortened(example, rng))
    for version in versions:
        features = link_features(version.texts, version.vectors)
        first, second = np.tril_indices(len(version.stories), -1)
        stories = np.array(version.stories)
        weight = np.full(len(first), max(len(first), 1) ** -0.5)
        yield features[first, second], stories[first] == stories[second], weight


def _shortened(example: Example, rng: random.Random) -> Example:
    texts, vectors = [], []
    for text, rows in zip(example.texts, example.vectors, strict=True):
        length = rng.randint(1, 5)
        start = rng.randint(0, max(0, len(text) - length)) if rng.random() < 0.5 else 0
        texts.append(text[start : start + length])
        vectors.append(rows[start : start + length])
    return Example(tuple(texts), tuple(vectors), example.stories, example.group)


def _seam_rows(example: Example, rng: random.Random) -> Rows:
    """Neighbours within a document, and across the documents of a digest joined for this."""
    digest, cuts, _ = _digest(example, rng)
    features = boundary_features(*digest)
    gold = np.zeros(len(features), dtype=bool)
    gold[[cut - 1 for cut in cuts]] = True
    return features, gold, np.ones(len(features))


Text = tuple[Sequence[str], NDArray[np.float32]]


def _digest(example: Example, rng: random.Random) -> tuple[Text, list[int], list[int]]:
    """Up to six documents of different stories in one text; where they join; each one's length."""
    order = list(range(len(example.stories)))
    rng.shuffle(order)
    chosen = list({example.stories[i]: i for i in order}.values())
    chosen = chosen[: rng.randint(1, _MOST_JOINED)]
    lengths = [len(example.texts[i]) for i in chosen]
    sentences = [sentence for i in chosen for sentence in example.texts[i]]
    vectors = np.concatenate([example.vectors[i] for i in chosen])
    return (sentences, vectors), np.cumsum(lengths)[:-1].tolist(), lengths


def calibrate(
    model: Documents,
    examples: Sequence[Example],
    rows: Sequence[_ExampleRows],
    *,
    hidden: int,
    decay: float,
    epochs: int,
) -> dict[str, float]:
    """The calibration with the best mean of clustering accuracy and share of right numbers.

    Four kinds of pile count alike: documents of several stories, of one story, a single document,
    and a digest.
    """
    from sklearn.model_selection import GroupKFold

    groups = [example.group for example in examples]
    scores: dict[tuple[float, float, float], list[list[float]]] = {}
    if len(set(groups)) < 2:
        return dict(_START)
    folds = GroupKFold(min(_FOLDS, len(set(groups))))
    for train, held_out in folds.split(examples, groups=groups):
        fitted = fit_committees(
            [rows[i] for i in train], hidden=hidden, decay=decay, epochs=epochs, seed=0
        )
        model.link_, model.boundary_ = fitted
        _set(model, _START)
        rng = random.Random(0)
        for index in track(held_out.tolist(), "calibrating"):
            if index % _CALIBRATED or len(examples[index].stories) > _MOST_CALIBRATED:
                continue
            _score_example(model, examples[index], rng, scores)
    if not scores:
        return dict(_START)
    best = max(scores, key=lambda setting: (_mean_score(scores[setting]), -abs(setting[1] - 2)))
    shift, same_document, boundary_chance = best
    return {
        **_START,
        "shift": shift,
        "same_document": same_document,
        "seam_chance": boundary_chance,
    }


_START = {
    "shift": 0.0, "same_document": 0.0, "sharpness": _SHARPNESS, "seam_chance": 0.5,
    "shortest": _SHORTEST, "least_part": _LEAST_PART,
}  # fmt: skip


def _set(model: Documents, calibration: Mapping[str, float]) -> None:
    for name, value in calibration.items():
        setattr(model, f"{name}_", value)


def _score_example(
    model: Documents,
    example: Example,
    rng: random.Random,
    scores: dict[tuple[float, float, float], list[list[float]]],
) -> None:
    """Adds the scores of each setting on the documents, on one of them and on a digest."""
    (sentences, _), _, lengths = _digest(example, rng)
    single = rng.randrange(len(example.texts))
    piles = [
        (_flat(example.texts), example.stories, len(set(example.stories)) == 1),
        ((list(example.texts[single]), [0] * len(example.texts[single])), (0,), 2),
        ((sentences, [0] * len(sentences)), None, 3),
    ]
    gold_digest = [part for part, length in enumerate(lengths) for _ in range(length)]
    for (text, sources), stories, kind in piles:
        gold = gold_digest if stories is None else [stories[source] for source in sources]
        before: list[Unit] | None = None
        for boundary_chance in _BOUNDARY_CHANCES:
            model.seam_chance_ = boundary_chance
            units = model.units(text, sources) or []
            if not units:
                continue
            if units != before:  # most are not cut at any
                odds, before = model.link_odds(text, units), units
            documents = np.array([unit.document for unit in units])
            same = documents[:, None] == documents[None, :]
            for shift, bias in product(_SHIFTS, _SAME_DOCUMENT):
                labels = linkage_clusters(odds + shift + bias * same).labels
                found = np.zeros(len(text), dtype=np.int64)
                for unit, label in zip(units, labels, strict=True):
                    found[list(unit.sentences)] = label
                accuracy = clustering_accuracy(np.array(gold), found)
                right = float(len(set(gold)) == len(set(found.tolist())))
                rows = scores.setdefault((shift, bias, boundary_chance), [[], [], [], []])
                rows[int(kind)].append(accuracy + right)


def _flat(texts: Sequence[Sequence[str]]) -> tuple[list[str], list[int]]:
    return (
        [sentence for text in texts for sentence in text],
        [number for number, text in enumerate(texts) for _ in text],
    )


def _mean_score(kinds: Sequence[Sequence[float]]) -> float:
    return float(np.mean([np.mean(rows) for rows in kinds if rows]))
