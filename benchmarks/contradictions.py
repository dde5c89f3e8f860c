"""Contradictions found in piles of stories, each told by several hands.

The stories are those of ``benchmarks.written``: three dossiers make a pile, or one world; plain
reports and freely told piles have files of their own. The regression of
``assembly.conflicts.contradictions`` was fitted on the training parts, so their row flatters.
``python -m benchmarks.contradictions`` fits it again, on those and on real news
(``benchmarks.news_contradictions``, topics not divisible by four), where nearly all pairs agree.
"""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.news_contradictions import REAL_LABELS, Shown, label_of, piles
from benchmarks.shared import measured
from benchmarks.written import FOLDER, Dossier, dossiers, worlds
from fabula.assembly.conflicts.candidates import KINDS
from fabula.assembly.conflicts.contradictions import (
    Sources,
    find_contradictions,
    possible_contradictions,
)
from fabula.assembly.facts.reading import read_sentences
from fabula.core.files import write_text
from fabula.core.model_store import shipped_folder, write_checksums
from fabula.core.stats import wilson

NEWS_PILES = 44  # of the training topics
_PENALTY = 0.3  # the inverse, of the regression
_REAL = 3.0  # weight of a contradiction in real news: there are few

Lines = tuple[str, int, int]  # a kind and two sentences
Pile = tuple[list[str], set[Lines]]
Row = tuple[Mapping[str, float], bool, float]  # features, if it is one, and its weight


def draw_piles(stories: Sequence[Dossier], seed: int, size: int) -> list[Pile]:
    """Every story once, ``size`` to a pile, the sentences of a pile shuffled."""
    rng = random.Random(seed)
    order = rng.sample(range(len(stories)), len(stories))
    drawn = []
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
        drawn.append(([part[k].sentences[i] for k, i in rows], marks))
    return drawn


def written_piles(folder: str) -> list[Pile]:
    """The piles of a folder of ``benchmarks/written``, as they stand in their files."""
    found = []
    for path in sorted((FOLDER / folder).glob("*.txt")):
        solution = json.loads(path.with_suffix(".solution.json").read_text(encoding="utf-8"))
        marks = {
            (clash["kind"], *sorted(line - 1 for line in clash["lines"]))
            for clash in solution["contradictions"]
        }
        found.append((path.read_text(encoding="utf-8").splitlines(), marks))
    return found


def count(some: Sequence[Pile]) -> dict[str, Counter[str]]:
    """By kind: planted, found (kind and lines right), lines (right whatever the kind), false."""
    counts: dict[str, Counter[str]] = {k: Counter() for k in ("planted", "found", "lines", "false")}
    for texts, marks in some:
        got = {(c.kind, c.first, c.second) for c in find_contradictions(read_sentences(texts))}
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
    # What is measured, and the bar: the share found. The first three had no part in the fit.
    sets = (
        ("plain reports", written_piles("reports"), 11 / 15),
        ("freely told piles", written_piles("piles"), 20 / 45),
        ("dossiers kept apart", draw_piles(list(dossiers("dev")), 0, 3), None),
        ("worlds kept apart", draw_piles(list(worlds("dev")), 0, 1), None),
    )
    for what, all_piles, bar in sets[: 1 if quick else None]:
        some = all_piles[: 1 if quick else None]
        if not some:
            note = "skipped: benchmarks/written is not here"
            rows.append(measured(f"contradictions, {what}", None, note=note))
            continue
        rows += _rows(what, count(some), len(some), None if quick else bar)
    return rows


def _rows(
    what: str, counts: Mapping[str, Counter[str]], n: int, bar: float | None
) -> list[dict[str, Any]]:
    planted, found = (sum(counts[name].values()) for name in ("planted", "found"))
    low, high = wilson(found, planted)
    kinds = ", ".join(
        f"{kind} {counts['found'][kind]}/{counts['planted'][kind]}"
        for kind in KINDS
        if counts["planted"][kind]
    )
    note = f"[{low:.2f}, {high:.2f}], {found} of {planted} planted in {n} piles: {kinds}"
    false = sum(counts["false"].values()) / n
    right = f"false ones a pile; lines right: {sum(counts['lines'].values())}"
    ok = None if bar is None else found / planted >= bar
    few = None if bar is None else false <= 0.5
    return [
        measured(f"contradictions, {what}, found", found / planted, None, bar, ok, note),
        measured(f"contradictions, {what}, false", false, None, 0.5, few, right),
    ]


def learn() -> dict[str, float]:
    """The weight of each feature and the ``intercept``, for features as they are."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    rows = [*_news_rows(), *_written_rows()]
    names = list(rows[0][0])
    signs = np.array([[features[name] for name in names] for features, *_ in rows])
    right, weight = (np.array([row[place] for row in rows]) for place in (1, 2))
    scaler = StandardScaler().fit(signs)
    model = LogisticRegression(C=_PENALTY, max_iter=3000)
    model.fit(scaler.transform(signs), right, sample_weight=weight)
    weights = model.coef_[0] / scaler.scale_
    start = model.intercept_[0] - (weights * scaler.mean_).sum()
    fitted = zip(names, weights.tolist(), strict=True)
    return {"intercept": round(float(start), 3), **{n: round(w, 3) for n, w in fitted}}


def _news_rows() -> Iterator[Row]:
    """Candidates of real news; what is not labelled agrees."""
    seen = set()
    for pile in piles("train", NEWS_PILES):
        lines = [(f"{r.id}:{n}", at, r.event, text) for at, r in enumerate(pile)
                 for n, text in r.sentences]  # fmt: skip
        events = sorted({event for _, _, event, _ in lines})
        sources = Sources(
            documents=[at for _, at, _, _ in lines],
            stories=[events.index(event) for _, _, event, _ in lines],
        )
        texts = [text for *_, text in lines]
        for candidate, features in possible_contradictions(read_sentences(texts), sources):
            a, b = sorted((lines[candidate.first][0], lines[candidate.second][0]))
            shown = Shown(a, b, candidate.kind)
            if shown in seen:
                continue
            seen.add(shown)
            label = label_of(shown)
            if label != "unsure":
                is_real = label in REAL_LABELS
                yield features, is_real, _REAL if is_real else 1.0


def _written_rows() -> Iterator[Row]:
    stories = [
        story
        for story in [*dossiers("train"), *worlds("train")]
        if zlib.crc32(story.id.encode()) % 4 == 0  # the cross-encoder was trained on the others
    ]
    told = [s for s in stories if s.id.startswith("dossier")]
    seen = [s for s in stories if s.id.startswith("world")]
    drawn = [*draw_piles(told, 0, 3), *draw_piles(seen, 0, 1), *written_piles("reports/dev")]
    for texts, marks in drawn:
        for candidate, features in possible_contradictions(read_sentences(texts), Sources()):
            yield features, (candidate.kind, *candidate.pair) in marks, 1.0


def main() -> None:
    folder = shipped_folder("assembly/contradictions")
    config = {"model": "assembly/contradictions", "log_odds": learn()}
    write_text(Path(folder) / "config.json", json.dumps(config, indent=1) + "\n")
    write_checksums(Path(folder), ["config.json"])


if __name__ == "__main__":
    main()
