"""Piles of whole documents: stories and their number on ECB+ topics that nothing was trained on.

Beside each stands the peer: TF-IDF of whole documents, average linkage, the number by silhouette
(scikit-learn). Sentences are given in their order and by document; ids, events and date lines are
hidden.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.document_piles import like_events, pile, reports, several, topics
from benchmarks.shared import measured
from fabula.assembly import assemble
from fabula.assembly.pile import read_pile
from fabula.cli.inputs import SAMPLE
from fabula.core.threads import one_blas_thread
from fabula.salads.items import Salad
from fabula.salads.metrics import clustering_accuracy
from fabula.salads.stories.assignment import assign_stories
from fabula.salads.stories.structure import Structure

Score = tuple[float, bool]


def run(quick: bool) -> list[dict[str, Any]]:
    held_out = topics(held_out=True)
    if not held_out:
        note = "skipped: ../shared/data is not here"
        return [*_case_rows(), measured("documents: ECB+", None, note=note)]
    rng = random.Random(1)
    draws = 1 if quick else 4
    shown = held_out[: 2 if quick else None]
    like = [like_events(t, 3, rng, f"{t}-{n}") for t in shown for n in range(draws)]
    four = [several(held_out, 4, 3, rng, f"four-{n}", "") for n in range(2 if quick else 60)]
    singles = [r for r in reports() if r.topic in held_out and len(r.sentences) > 1]
    singles = rng.sample(singles, 6) if quick else singles
    digests = [_digest(singles, rng, n) for n in range(2 if quick else 100)]
    alone = [pile(str(n), [[r.sentences]], rng, "") for n, r in enumerate(singles)]
    shuffled = [torn(salad, rng) for salad in like]
    return [
        *_case_rows(),
        *_rows("two like events", like, 0.95, 0.8, quick, peer=_sklearn),
        *_rows("four topics", four, 0.99, 0.9, quick, peer=_sklearn),
        *_rows("two like events, torn", shuffled, 0.75, None, quick, peer=_sklearn),
        *_rows("a document alone", alone, None, 0.9, quick),
        *_rows("digests", digests, 0.95, 0.75, quick, peer=_sklearn_sentences),
    ]


def _case_rows() -> list[dict[str, Any]]:
    """The bundled case folder through ``assemble``: each file's sentences should be one story."""
    truth = json.loads((Path(__file__).parent / "case.json").read_text("utf-8"))["stories"]
    story_of = {file: n for n, files in enumerate(truth.values()) for file in files}
    placed = [
        (story_of[Path(str(p.sentence.source)).name], story.id)
        for story in assemble(read_pile(SAMPLE / "case")).stories
        for p in story.sentences
    ]
    gold, found = np.array(placed).T
    right = len(set(gold.tolist())) == len(set(found.tolist()))
    note = "11 files, 3 happenings; read while chats and mails were placed"
    return [
        measured("documents: the case folder, CA", clustering_accuracy(gold, found), note=note),
        measured("documents: the case folder, number right", float(right), note=note),
    ]


def _digest(singles: Sequence[Any], rng: random.Random, number: int) -> Salad:
    """Two to six documents joined into one; a story is an event."""
    chosen = rng.sample(list(singles), rng.randint(2, 6))
    sentences = [(s, report.event) for report in chosen for s in report.sentences]
    events = list(dict.fromkeys(event for _, event in sentences))
    return Salad(
        id=f"digest-{number}",
        sentences=tuple(s for s, _ in sentences),
        labels=tuple(events.index(event) for _, event in sentences),
        sources=(0,) * len(sentences),
    )


def torn(salad: Salad, rng: random.Random) -> Salad:
    """The sentences shuffled, each as a document of its own."""
    order = rng.sample(range(len(salad.sentences)), len(salad.sentences))
    labels = salad.labels or ()
    return Salad(
        id=f"{salad.id}-torn",
        sentences=tuple(salad.sentences[i] for i in order),
        labels=tuple(labels[i] for i in order),
        sources=tuple(range(len(order))),
    )


def _rows(
    name: str, salads: Sequence[Salad], accuracy: float | None, number: float | None, quick: bool,
    peer: Any = None,
) -> list[dict[str, Any]]:  # fmt: skip
    ours = [_score(salad, _ours(salad)) for salad in salads]
    theirs = [_score(salad, peer(salad)) for salad in salads] if peer else None
    rows = []
    for column, what, bar in ((0, "CA", accuracy), (1, "number right", number)):
        values = np.array([score[column] for score in ours], dtype=float)
        mean, low, high = _interval(values)
        other = float(np.mean([score[column] for score in theirs])) if theirs else None
        ok = None if quick or bar is None else mean >= bar
        note = f"{len(salads)} piles, [{low:.3f}, {high:.3f}]"
        rows.append(measured(f"documents: {name}, {what}", mean, other, bar, ok, note))
    return rows


def _ours(salad: Salad) -> Sequence[int]:
    with one_blas_thread():
        return assign_stories(salad.sentences, structure=Structure(salad.sources)).labels


def _score(salad: Salad, labels: Sequence[int]) -> Score:
    gold, found = np.array(salad.labels), np.array(labels)
    return clustering_accuracy(gold, found), len(set(gold.tolist())) == len(set(found.tolist()))


def _sklearn(salad: Salad) -> Sequence[int]:
    """Ten lines: TF-IDF of documents, average linkage, the number by silhouette."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics import silhouette_score

    documents: dict[int, list[str]] = {}
    for sentence, source in zip(salad.sentences, salad.sources, strict=True):
        documents.setdefault(source, []).append(sentence)
    texts = [" ".join(sentences) for sentences in documents.values()]
    rows = TfidfVectorizer(stop_words="english").fit_transform(texts)
    matrix = np.clip(1 - (rows @ rows.T).toarray(), 0, None)
    np.fill_diagonal(matrix, 0.0)
    best, labels = -1.0, np.zeros(len(texts), dtype=int)
    for k in range(2, min(len(texts), 13)):
        tried = AgglomerativeClustering(k, metric="precomputed", linkage="average").fit(matrix)
        if (value := silhouette_score(matrix, tried.labels_, metric="precomputed")) > best:
            best, labels = value, tried.labels_
    of = dict(zip(documents, labels.tolist(), strict=True))
    return [of[source] for source in salad.sources]


def _sklearn_sentences(salad: Salad) -> Sequence[int]:
    """The same over the sentences of a single document."""
    return _sklearn(Salad(salad.id, salad.sentences, sources=tuple(range(len(salad.sentences)))))


def _interval(values: Any) -> tuple[float, float, float]:
    rng = np.random.default_rng(0)
    means = rng.choice(values, (2000, len(values))).mean(axis=1)
    return float(values.mean()), *map(float, np.quantile(means, (0.025, 0.975)))
