"""Contradictions found in piles of three stories, each told by several hands.

The stories are those of ``benchmarks/written/dossiers`` (or ``benchmarks/dossiers``, or the folder
FABULA_DOSSIERS names): ``LETTER.txt`` with an empty line between stories, or ``LETTER/*.txt``. Each
is ``# title``, ``hand | sentence``, ``! kind | i j | value | value`` (sentences from 1). What
``fabula.assembly.likeness`` weighs was learnt on the writers p, q, r and s, so their rows flatter;
u was kept apart. ``python -m benchmarks.contradictions`` learns them again.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.shared import measured
from fabula.assembly.contradictions import find_clashes
from fabula.assembly.likeness import WEIGHTS, Candidate, candidates
from fabula.assembly.reading import read_sentences
from fabula.salads import untangle
from fabula.stats import wilson
from fabula.text.encoders import minilm

HERE = Path(__file__).parent
ASKED = Path(os.environ.get("FABULA_DOSSIERS", HERE / "dossiers"))
DOSSIERS = ASKED if ASKED.is_dir() else HERE / "written" / "dossiers"
LEARNT, KEPT = "pqrs", "u"
KINDS = ("number", "time", "date", "place", "outcome")

Mark = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Story:
    """Sentences, and the contradictions marked among them (kind and two indices)."""

    sentences: tuple[str, ...]
    marks: tuple[Mark, ...]


def read_stories(folder: Path, letters: str) -> list[Story]:
    """The stories of the writers, in the order of their names."""
    return [
        _story(block)
        for letter in letters
        for path in [folder / f"{letter}.txt", *sorted((folder / letter).glob("*.txt"))]
        if path.is_file()
        for block in path.read_text(encoding="utf-8").strip().split("\n\n")
    ]


def _story(text: str) -> Story:
    sentences, marks = [], []
    for line in text.splitlines():
        if line.startswith("! "):
            kind, lines, *_ = (part.strip() for part in line[2:].split("|"))
            one, two = sorted(int(number) - 1 for number in lines.split())
            marks.append((kind, one, two))
        elif "|" in line and not line.startswith("# "):
            sentences.append(line.split("|", 1)[1].strip())
    return Story(tuple(sentences), tuple(marks))


def draw_piles(
    stories: Sequence[Story], seed: int, size: int = 3
) -> list[tuple[list[str], set[Mark]]]:
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
            for kind, i, j in story.marks:
                one, two = sorted((at[k, i], at[k, j]))
                marks.add((kind, one, two))
        piles.append(([part[k].sentences[i] for k, i in rows], marks))
    return piles


def _labels(texts: Sequence[str]) -> Sequence[int]:
    return untangle(list(texts), by_size=True, model="best").labels


def count(piles: Sequence[tuple[list[str], set[Mark]]]) -> dict[str, Counter[str]]:
    """By kind: planted, found (kind and lines right), lines (right whatever the kind), false."""
    counts: dict[str, Counter[str]] = {k: Counter() for k in ("planted", "found", "lines", "false")}
    for texts, marks in piles:
        clashes = find_clashes(read_sentences(texts), _labels(texts))
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
    for letters, what in ((KEPT, "kept apart"), (LEARNT, "learnt on")):
        if quick and letters == LEARNT:
            continue
        stories = read_stories(DOSSIERS, letters)
        if len(stories) < 3:
            note = "skipped: benchmarks/written/dossiers is not here"
            rows.append(measured(f"contradictions, {what}", None, note=note))
            continue
        piles = draw_piles(stories, seed=0)[: 1 if quick else None]
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


def learn(letters: str = LEARNT, seeds: Sequence[int] = (0, 1)) -> dict[str, dict[str, float]]:
    """The weights of ``likeness``, learnt again: logistic regression on the candidates."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows: dict[str, list[tuple[Candidate, bool]]] = {kind: [] for kind in WEIGHTS}
    stories = read_stories(DOSSIERS, letters)
    for seed in seeds:
        for texts, marks in draw_piles(stories, seed):
            right = {mark[1:] for mark in marks}
            for found in candidates(read_sentences(texts), _labels(texts), minilm()):
                rows[found.kind].append((found, (found.first, found.second) in right))
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
