"""Weights of the corpus link model: ``python -m benchmarks.corpus_weights FOLDER``.

Networks are fitted on corpora of the training part of ``wiki_conflict`` (reports of 100 to 120
words, one article one story) and of ECB+ topics not divisible by four. Where two groups are joined
is chosen by BCubed F1 on corpora of the development part and on the same ECB+ topics.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.corpus_data import Report, bcubed, corpus, small_corpora
from benchmarks.document_piles import events_of, topics
from fabula.assembly.corpus.facts import facts_of
from fabula.assembly.corpus.links.candidate_pairs import Linker, joined_pairs
from fabula.assembly.corpus.links.groups import Groups, group_pairs
from fabula.assembly.corpus.links.index import CorpusIndex, number_terms
from fabula.assembly.corpus.links.model import CorpusLinks, Pairs, context_features
from fabula.assembly.corpus.links.solving import joined_groups
from fabula.core.threads import one_blas_thread
from fabula.salads.clustering.sparse_correlation import sparse_clusters
from fabula.salads.models.documents.perceptron import Committee
from fabula.text.encoders.sentence import MiniLM
from fabula.types import Document

SIZES = (1_000, 3_000, 8_000)  # of the training corpora
DEVELOPMENT = (2_000, 10_000)
SMALL = 40  # corpora of 4 to 200 reports
ABSENT = -1.0
LEAST = (0.5, 1.5)  # of the first round: groups to learn from are made with both
GROUP_LEAST = (-0.5, 0.0, 0.5)
NETWORK: dict[str, Any] = {"hidden": 24, "decay": 0.003, "epochs": 25, "seed": 0}


class Prepared(NamedTuple):
    """A corpus with its index and candidate pairs."""

    index: CorpusIndex
    linker: Linker
    pairs: Pairs
    gold: np.ndarray[Any, Any]

    @property
    def same(self) -> np.ndarray[Any, Any]:
        return self.gold[self.pairs.first] == self.gold[self.pairs.second]


def prepare(reports: Sequence[Report]) -> Prepared:
    """The index and all candidate pairs of a corpus, by the code that a run uses."""
    facts = [facts_of(Document(str(n), (report.text,))) for n, report in enumerate(reports)]
    vectors = MiniLM().encode([fact["text"] for fact in facts])
    known: dict[str, int] = {}
    bags = number_terms([f["words"] for f in facts], [f["names"] for f in facts], known)
    n = len(facts)
    none = np.zeros(n, np.int32)
    index = CorpusIndex.build(
        vectors.astype(np.float16), bags, terms=len(known), days=none, threads=none - 1
    )
    linker = Linker(index)
    parts = [linker.among(np.arange(a, min(n, a + 250))) for a in range(0, n, 250)]
    gold = np.unique([report.story for report in reports], return_inverse=True)[1]
    return Prepared(index, linker, joined_pairs(parts), gold)


def news() -> list[Report]:
    """The ECB+ reports of the training topics as one corpus."""
    return [
        Report(f"{topic} {number}", " ".join(report.sentences))
        for topic in topics(held_out=False)
        for number, event in enumerate(events_of(topic))
        for report in event
    ]


def fit(corpora: Sequence[Prepared]) -> CorpusLinks:
    """The networks, each on what the ones before it say of the same corpora."""
    model = CorpusLinks()
    same = np.concatenate([one.same for one in corpora])
    weight = np.concatenate([np.full(len(one.same), len(one.same) ** -0.5) for one in corpora])
    features = np.concatenate([one.pairs.features for one in corpora])
    model.pair_ = Committee.fit(features, same, weight, **NETWORK)
    model.context_ = model.group_ = model.group_context_ = model.pair_  # until they are fitted
    rows = [
        context_features(len(one.index), one.pairs, model.alone(one.pairs.features))
        for one in corpora
    ]
    model.context_ = Committee.fit(np.concatenate(rows), same, weight, **NETWORK)
    first = []
    for one in corpora:
        odds = model.log_odds(len(one.index), one.pairs)
        first += [(one, grouped(one, odds, least), odds) for least in LEAST]
    _fit_groups(model, first)
    # Again, also on groups of groups, which later rounds compare.
    later = []
    for one, labels, odds in first:
        groups, between = _between(one, labels, odds)
        k = len(groups.sizes)
        if len(between.first):
            found = model.between_groups(k, between)
            later += [
                (one, sparse_clusters(k, between.first, between.second, found, absent=-1.0,
                                      least=least)[labels], odds)
                for least in (0.5, 2.0)
            ]  # fmt: skip
    _fit_groups(model, [*first, *later])
    return model


def grouped(one: Prepared, odds: np.ndarray[Any, Any], least: float) -> np.ndarray[Any, Any]:
    """The first round."""
    first, second = one.pairs.first, one.pairs.second
    return sparse_clusters(len(one.index), first, second, odds, absent=ABSENT, least=least)


def _between(one: Prepared, labels: Any, odds: Any) -> tuple[Groups, Pairs]:
    groups = Groups.of(labels, one.index.vectors, one.index.bags, len(one.index.idf))
    return groups, group_pairs(one.index, one.linker.means, groups, labels, one.pairs, odds)


def _fit_groups(model: CorpusLinks, states: Sequence[tuple[Prepared, Any, Any]]) -> None:
    """Pairs of groups; a group is of the story that most of its documents are of."""
    rows = []
    for one, labels, odds in states:
        groups, between = _between(one, labels, odds)
        if not len(between.first):
            continue
        table = np.zeros((len(groups.sizes), one.gold.max() + 1))
        np.add.at(table, (labels, one.gold), 1)
        story = table.argmax(axis=1)
        weight = np.sqrt(groups.sizes[between.first] * groups.sizes[between.second])
        same = story[between.first] == story[between.second]
        rows.append((len(groups.sizes), between, same, weight / np.sqrt(weight.sum())))
    same = np.concatenate([row[2] for row in rows])
    weight = np.concatenate([row[3] for row in rows])
    features = np.concatenate([row[1].features for row in rows])
    alone = Committee.fit(features, same, weight, **NETWORK)
    among = [context_features(k, b, alone.log_odds(b.features)) for k, b, _, _ in rows]
    model.group_ = alone
    model.group_context_ = Committee.fit(np.concatenate(among), same, weight, **NETWORK)


def calibrate(model: CorpusLinks, corpora: Sequence[Prepared]) -> list[dict[str, float]]:
    """Set the joins' limits to those of the highest mean F1; all that were tried."""
    tried = []
    model.absent_, model.group_absent_, model.least_ = ABSENT, ABSENT, LEAST[0]
    first = []
    for one in corpora:
        odds = model.log_odds(len(one.index), one.pairs)
        first.append((grouped(one, odds, model.least_), odds))
    for model.group_least_ in GROUP_LEAST:
        small = []
        row: dict[str, float] = {"group_least": model.group_least_}
        for one, (labels, odds) in zip(corpora, first, strict=True):
            found = joined_groups(model, one.index, labels, one.pairs, odds).stories
            scores = bcubed(one.gold.tolist(), found.tolist())
            if len(one.gold) < 250:
                small.append(scores)
                continue
            name = str(len(one.gold))
            row |= {f"{name} {k}": round(v, 4) for k, v in zip("PRF", scores, strict=True)}
            row |= {f"{name} stories": int(found.max()), f"{name} gold": int(one.gold.max()) + 1}
        mean = np.mean(small, axis=0)
        row |= {f"small {k}": round(float(v), 4) for k, v in zip("PRF", mean, strict=True)}
        print(json.dumps(row), flush=True)
        tried.append(row)
    best = max(tried, key=lambda row: sum(v for k, v in row.items() if k.endswith(" F")))
    model.group_least_ = best["group_least"]
    return tried


@one_blas_thread()
def main(folder: str) -> None:
    ecb = prepare(news())
    small = [prepare(some) for some in small_corpora("train", SMALL)]
    model = fit([ecb, *small, *(prepare(corpus("train", n)) for n in SIZES)])
    small = [prepare(some) for some in small_corpora("dev", SMALL)]
    tried = calibrate(model, [ecb, *small, *(prepare(corpus("dev", n)) for n in DEVELOPMENT)])
    model.save(folder)
    Path("runs").mkdir(exist_ok=True)
    Path("runs/corpus-calibration.json").write_text(json.dumps(tried, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
