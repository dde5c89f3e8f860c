"""Contradictions found in piles of stories, each told by several hands.

The stories are those of ``benchmarks.written``: three dossiers make a pile, or one world. What
``fabula.assembly.likeness`` weighs was learnt on the parts for training, so their row flatters.
``python -m benchmarks.contradictions`` learns it again.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.shared import measured
from benchmarks.written import Dossier, dossiers, worlds
from fabula.assembly.contradictions import find_clashes
from fabula.assembly.likeness import WEIGHTS, Candidate, candidates
from fabula.assembly.reading import read_sentences
from fabula.stats import wilson
from fabula.text.encoders import minilm

KINDS = ("number", "time", "date", "place", "outcome")
# What is measured: the stories, their part, and how many make a pile.
ROWS = (
    ("dossiers kept apart", dossiers, "dev", 3),
    ("worlds kept apart", worlds, "dev", 1),
    ("dossiers learnt on", dossiers, "train", 3),
)
LEARNT = ((dossiers, 3), (worlds, 1), (worlds, 2))

Lines = tuple[str, int, int]  # a kind and two sentences
Pile = tuple[list[str], set[Lines]]


def draw_piles(stories: Sequence[Dossier], seed: int, size: int) -> list[Pile]:
    """Every story once, ``size`` to a pile, the sentences of a pile shuffled."""
    rng = random.Random(seed)
    order = rng.sample(range(len(stories)), len(stories))
    piles = []
    for start in range(0, len(order) - size + 1, size):
        part = [stories[k] for k in order[start : start + size]]
        rows = [(k, i) for k, story in enumerate(part) for i in range(len(story.sentences))]
        rng.shuffle(rows)
        at = {row: place for place, row in enumerate(rows)}
        marks = set()
        for k, story in enumerate(part):
            for mark in story.marks:
                one, two = sorted(at[k, i] for i in mark.sentences)
                marks.add((mark.kind, one, two))
        piles.append(([part[k].sentences[i] for k, i in rows], marks))
    return piles


def count(piles: Sequence[Pile]) -> dict[str, Counter[str]]:
    """By kind: planted, found (kind and lines right), lines (right whatever the kind), false."""
    counts: dict[str, Counter[str]] = {k: Counter() for k in ("planted", "found", "lines", "false")}
    for texts, marks in piles:
        clashes = find_clashes(read_sentences(texts))
        got = {(c.kind, c.first, c.second) for c in clashes}
        lines = {mark[1:] for mark in got}
        for mark in marks:
            counts["planted"][mark[0]] += 1
            counts["found"][mark[0]] += mark in got
            counts["lines"][mark[0]] += mark[1:] in lines
        for mark in got - marks:
            counts["false"][mark[0]] += 1
    return counts


def run(quick: bool) -> list[dict[str, Any]]:
    rows = []
    for what, read, part, size in ROWS:
        if quick and part == "train":
            continue
        piles = draw_piles(list(read(part)), seed=0, size=size)[: 1 if quick else None]
        if not piles:
            note = "skipped: benchmarks/written is not here"
            rows.append(measured(f"contradictions, {what}", None, note=note))
            continue
        counts = count(piles)
        planted, found = (sum(counts[name].values()) for name in ("planted", "found"))
        low, high = wilson(found, planted)
        kinds = ", ".join(
            f"{kind} {counts['found'][kind]}/{counts['planted'][kind]}"
            for kind in KINDS
            if counts["planted"][kind]
        )
        note = f"[{low:.2f}, {high:.2f}], {len(piles)} piles, {planted} planted: {kinds}"
        ok = None if quick else found == planted
        rows.append(
            measured(f"contradictions, {what}, found", found / planted, None, 1.0, ok, note)
        )
        false = sum(counts["false"].values())
        note = f"false ones a pile; lines right: {sum(counts['lines'].values())}"
        bar = planted / len(piles)
        ok = None if quick else false / len(piles) <= bar
        rows.append(
            measured(f"contradictions, {what}, false", false / len(piles), None, bar, ok, note)
        )
    return rows


def learn() -> dict[str, dict[str, float]]:
    """The weights of ``likeness``, learnt again: logistic regression on the candidates."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows: dict[str, list[tuple[Candidate, bool]]] = {kind: [] for kind in WEIGHTS}
    for seed, (read, size) in enumerate(LEARNT):
        for texts, marks in draw_piles(list(read("train")), seed, size):
            for found in candidates(read_sentences(texts), minilm()):
                right = (found.kind, found.first, found.second) in marks
                rows[found.kind].append((found, right))
    learnt = {}
    for kind, pairs in rows.items():
        names = [name for name in WEIGHTS[kind] if name]
        signs = np.array([[found.signs[name] for name in names] for found, _ in pairs])
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=1000))
        model.fit(signs, [right for _, right in pairs])
        weights = model[-1].coef_[0] / model[0].scale_
        start = model[-1].intercept_[0] - (weights * model[0].mean_).sum()
        learnt[kind] = {"": float(start), **dict(zip(names, map(float, weights), strict=True))}
    return learnt


if __name__ == "__main__":
    for kind, weights in learn().items():
        print(kind, {name: round(weight, 2) for name, weight in weights.items()})
