from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from fabula.bench.evaluate import evaluate
from fabula.errors import InputError
from fabula.pairs.items import LABELS, Pair, Relation
from fabula.pairs.metrics import score_many

RNG = np.random.default_rng(0)
GOLD = [LABELS[i] for i in RNG.integers(0, 3, 60)]
PAIRS = [Pair(str(i), f"a {i}", f"b {i}", label, i % 2 == 0) for i, label in enumerate(GOLD)]
RELATIONS = [Relation(*map(float, [*RNG.dirichlet((1, 1, 1)), RNG.random()])) for _ in PAIRS]


def value(name: str, pairs: list[Pair], relations: list[Relation]) -> float:
    totals, counts = score_many(pairs, relations, [name])[name]
    return float(totals.sum() / counts.sum())


def test_areas_and_balanced_accuracy_are_those_of_scikit_learn() -> None:
    gold = [pair.label == "contradiction" for pair in PAIRS]
    area = roc_auc_score(gold, [r.contradiction for r in RELATIONS])
    assert value("AUC_contradiction", PAIRS, RELATIONS) == pytest.approx(area)
    same = roc_auc_score([pair.same for pair in PAIRS], [r.same for r in RELATIONS])
    assert value("AUC_same", PAIRS, RELATIONS) == pytest.approx(same)
    balanced = balanced_accuracy_score(GOLD, [r.label for r in RELATIONS])
    assert value("balanced_accuracy", PAIRS, RELATIONS) == pytest.approx(balanced)


def test_a_negated_label_is_right_for_any_other_and_counts_in_an_area_only_where_it_decides() -> (
    None
):
    follows, clashes = Relation(1, 0, 0, 1), Relation(0, 0, 1, 1)
    pairs = [
        Pair("1", "a", "b", "not_entailment"),
        Pair("2", "a", "b", "not_contradiction"),
        Pair("3", "a", "b", "contradiction"),
    ]
    assert value("accuracy", pairs, [clashes, follows, clashes]) == 1
    assert value("accuracy", pairs, [follows, clashes, clashes]) == pytest.approx(1 / 3)
    totals, counts = score_many(pairs, [follows, follows, clashes], ["AUC_contradiction"])[
        "AUC_contradiction"
    ]
    assert counts[0] == 0
    assert totals.sum() / counts.sum() == 1


class Model:
    """Knows the label from the second sentence, and one event from both."""

    def relate(self, pairs: list[Pair]) -> list[Any]:
        return [
            {"label": pair.b.split()[0], "same": float(pair.a == pair.b.split()[1])}
            for pair in pairs
        ]


def test_evaluate_gives_the_metrics_that_the_labels_allow_and_the_hypothesis_only_item() -> None:
    labels = [*LABELS] * 5
    items = [Pair(str(i), "x", f"{label} x", label) for i, label in enumerate(labels)]
    run = evaluate("pairs", items, Model())
    assert list(run.metrics) == [
        "accuracy", "balanced_accuracy", "AUC_contradiction", "hypothesis_only", "premise_gain"
    ]  # fmt: skip
    assert run.metrics["hypothesis_only"].value == 1
    assert run.metrics["premise_gain"].value == 0
    both = [Pair(str(i), "x", f"neutral {'xy'[i % 2]}", same=i % 2 == 0) for i in range(8)]
    assert evaluate("pairs", both, Model()).metrics["AUC_same"].value == 1


def test_a_pair_without_any_label_cannot_be_scored() -> None:
    with pytest.raises(InputError, match="neither label nor same"):
        evaluate("pairs", [Pair("1", "x", "neutral x")], Model())
