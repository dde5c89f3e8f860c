"""Contradictions found in piles of stories, each told by several hands.

The stories are those of ``benchmarks.written``: three dossiers make a pile, or one world. The
weights of ``assembly.conflicts.contradiction_candidates`` were fitted on the training parts, so
their row flatters.
``python -m benchmarks.contradictions [FOLDER]`` learns it again, with a folder also the network
that reads two sentences side by side.
"""

from __future__ import annotations

import json
import random
import sys
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.shared import measured
from benchmarks.written import FOLDER, Claims, Dossier, claims, dossiers, worlds
from fabula.assembly.conflicts.contradiction_candidates import (
    Candidate,
    candidates,
    log_odds_weights,
)
from fabula.assembly.conflicts.contradictions import find_contradictions
from fabula.assembly.conflicts.pair_classifier import KINDS, PairClassifier
from fabula.assembly.facts.reading import read_sentences
from fabula.core.files import write_text
from fabula.core.model_store import shipped_folder
from fabula.core.stats import wilson
from fabula.text.encoders.sentence import minilm

if TYPE_CHECKING:
    from fabula.assembly.conflicts.pair_training import LabelledPair

# What is measured: the stories, their part, and how many make a pile.
ROWS = (
    ("dossiers kept apart", dossiers, "dev", 3),
    ("worlds kept apart", worlds, "dev", 1),
    ("dossiers learnt on", dossiers, "train", 3),
)
LEARNT = (("dossier", 3), ("world", 1), ("world", 2))

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
        clashes = find_contradictions(read_sentences(texts))
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


def teach(folder: Path, epochs: int = 3) -> None:
    """Train the pair classifier of ``assembly.conflicts``: 45 minutes on one core."""
    from fabula.assembly.conflicts.pair_training import train

    blocks = list(claims("train"))
    told = [_of_story(story) for story in _learnt_from("network")]

    def draw(rng: random.Random) -> list[LabelledPair]:
        pairs = [pair for block in blocks for pair in _of_claims(block, rng)]
        for against, fine in told:
            pairs += [*against, *against, *rng.sample(fine, min(len(fine), 24))]
        return pairs

    PairClassifier.from_weights(train(draw, epochs=epochs)).save(folder)


def _learnt_from(who: str) -> list[Dossier]:
    """Stories for the network, or the others, for weighing what it says with all else."""
    found = [*dossiers("train"), *worlds("train")]
    return [s for s in found if (zlib.crc32(s.id.encode()) % 4 != 0) == (who == "network")]


def _of_claims(block: Claims, rng: random.Random) -> list[LabelledPair]:
    """Two contradictions of a block, and two pairs that are none."""
    against = [(a, b, block.kind) for a in block.agree for b in block.against]
    fine = [(a, b, "") for a, b in combinations(block.agree, 2)]
    fine += [(a, b, "") for a in (*block.agree, *block.against) for b in block.beside]
    return [*rng.sample(against, 2), *rng.sample(fine, 2)]


def _of_story(story: Dossier, nearest: int = 6) -> tuple[list[LabelledPair], list[LabelledPair]]:
    """The contradictions of a story, and the pairs of near sentences that are none: few pairs of
    a pile contradict each other, and the network must have seen how the others look."""
    marks = {tuple(sorted(mark.sentences)): mark.kind for mark in story.marks}
    vectors = np.asarray(minilm().encode(list(story.sentences)))
    alike = vectors @ vectors.T
    np.fill_diagonal(alike, -1.0)
    near = {
        (min(i, j), max(i, j))
        for i, row in enumerate(alike)
        for j in np.argsort(-row)[:nearest].tolist()
    }
    told = story.sentences
    against = [(told[i], told[j], kind) for (i, j), kind in marks.items()]
    return against, [(told[i], told[j], "") for i, j in sorted(near - set(marks))]


def learn(network: PairClassifier) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """The regressions of ``contradiction_candidates``, and thresholds at which half are right."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rows: dict[str, list[tuple[Candidate, bool]]] = {way: [] for way in log_odds_weights()}
    stories = _learnt_from("weights")
    for seed, (kind, size) in enumerate(LEARNT):
        some = [story for story in stories if story.id.startswith(kind)]
        for texts, marks in [*draw_piles(some, seed, size), *(_reports() if not seed else ())]:
            for found in candidates(read_sentences(texts), minilm(), network, unpruned=True):
                rows[found.regression].append((found, (found.kind, *found.pair) in marks))
    learnt, enough = {}, {}
    for way, pairs in rows.items():
        names = [name for name in log_odds_weights()[way] if name != "intercept"]
        signs = np.array([[found.features[name] for name in names] for found, _ in pairs])
        right = np.array([right for _, right in pairs])
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3, max_iter=1000))
        model.fit(signs, right)
        weights = model[-1].coef_[0] / model[0].scale_
        start = model[-1].intercept_[0] - (weights * model[0].mean_).sum()
        fitted = dict(zip(names, map(float, weights), strict=True))
        learnt[way] = {"intercept": float(start), **fitted}
        enough[way] = _half_right(model.predict_proba(signs)[:, 1], right)
    return learnt, enough


def _reports() -> list[Pile]:
    """The piles of plain reports by the writer whose piles are for development."""
    piles = []
    for path in sorted((FOLDER / "reports" / "dev").glob("*.txt")):
        solution = json.loads(path.with_suffix(".solution.json").read_text(encoding="utf-8"))
        marks = {
            (clash["kind"], *sorted(line - 1 for line in clash["lines"]))
            for clash in solution["contradictions"]
        }
        piles.append((path.read_text(encoding="utf-8").splitlines(), marks))
    return piles


def _half_right(chances: NDArray[np.float64], right: NDArray[np.bool_]) -> float:
    """The least chance from which on at least half are right; 1 where there is none."""
    order = np.argsort(-chances)
    share = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(share >= 0.5)
    return float(chances[order[good[-1]]]) if len(good) else 1.0


if __name__ == "__main__":
    if sys.argv[1:]:
        teach(Path(sys.argv[1]))
    network = PairClassifier.load(sys.argv[1]) if sys.argv[1:] else PairClassifier.shipped()
    learnt, enough = learn(network)
    config = {
        "model": "assembly/contradictions",
        "log_odds": {w: {n: round(v, 2) for n, v in some.items()} for w, some in learnt.items()},
        "thresholds": {way: round(chance, 2) for way, chance in enough.items()},
    }
    path = shipped_folder("assembly/contradictions") / "config.json"
    write_text(path, json.dumps(config, indent=1) + "\n")
