from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.assembly.conflicts.pair_classifier import KINDS, PairClassifier
from fabula.errors import DamagedFile

# Written for this test, by none of the writers of what it learnt from.
AGAINST = [
    ("Nine hikers were on the ledge when it gave way.", "I counted fourteen people on that ledge."),
    ("The ferry left the pier at half past six.", "It was gone nine when the boat cast off."),
    ("The missing boy was found in a barn.", "They came upon him at the bus station, asleep."),
    ("Both miners died before help came.", "Both miners walked out of the shaft alive."),
]
FINE = [
    ("Nine hikers were on the ledge when it gave way.", "The ledge hangs above the old quarry."),
    ("The ferry left the pier at half past six.", "A new pier will be built in spring."),
    ("The missing boy was found in a barn.", "His mother had called the police on Monday."),
    ("Both miners died before help came.", "The mine had opened ninety years before."),
]


def odds(pairs: list[tuple[str, str]]) -> Any:
    sentences = [sentence for pair in pairs for sentence in pair]
    places = [(2 * k, 2 * k + 1) for k in range(len(pairs))]
    logits = PairClassifier.shipped().logits(sentences, places)
    return np.logaddexp.reduce(logits[:, 1:], axis=1) - logits[:, 0]


def test_contradictions_score_above_similar_pairs() -> None:
    assert (odds(AGAINST) > odds(FINE)).all()


def test_logits_are_symmetric() -> None:
    turned = [(two, one) for one, two in AGAINST]
    assert odds(turned) == pytest.approx(odds(AGAINST), abs=1e-3)


def test_the_likeliest_kind() -> None:
    sentences = [sentence for pair in AGAINST for sentence in pair]
    found = PairClassifier.shipped().logits(sentences, [(2 * k, 2 * k + 1) for k in range(4)])
    kinds = [KINDS[k] for k in found[:, 1:].argmax(axis=1)]
    assert kinds == ["number", "time", "place", "outcome"]


def test_no_pairs_give_no_logits() -> None:
    assert PairClassifier.shipped().logits(["One sentence."], []).shape == (0, 1 + len(KINDS))


def test_saved_and_loaded_it_answers_the_same(tmp_path: Path) -> None:
    PairClassifier.shipped().save(tmp_path / "saved")
    again = PairClassifier.load(tmp_path / "saved")
    sentences = list(AGAINST[0])
    first = PairClassifier.shipped().logits(sentences, [(0, 1)])
    assert again.logits(sentences, [(0, 1)]) == pytest.approx(first, abs=1e-3)


def test_another_models_weights_are_refused(tmp_path: Path) -> None:
    other_head = np.zeros((3, 5), dtype=np.float32)
    network = {**PairClassifier.shipped().network_, "judge.weight": other_head}
    PairClassifier.from_weights(network).save(tmp_path / "saved")
    with pytest.raises(DamagedFile, match="another size"):
        PairClassifier.load(tmp_path / "saved")


@pytest.mark.slow
def test_training_separates_contradictions() -> None:
    pytest.importorskip("torch")
    from fabula.assembly.conflicts.pair_training import LabelledPair, train

    def draw(rng: random.Random) -> list[LabelledPair]:
        contradicting: list[LabelledPair] = [
            (a, b, kind) for (a, b), kind in zip(AGAINST, KINDS, strict=False)
        ]
        return contradicting + [(a, b, "") for a, b in FINE]

    network = train(draw, epochs=25, rate=1e-3, batch=1000)
    sentences = [sentence for pair in [*AGAINST, *FINE] for sentence in pair]
    pairs = [(2 * k, 2 * k + 1) for k in range(8)]
    found = PairClassifier.from_weights(network).logits(sentences, pairs)
    odds = np.logaddexp.reduce(found[:, 1:], axis=1) - found[:, 0]
    assert odds[:4].mean() > odds[4:].mean() + 0.5


def test_pairs_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = PairClassifier.from_weights(PairClassifier.shipped().network_)
    sentences = [sentence for pair in AGAINST for sentence in pair]
    pairs = [(0, 1), (2, 3), (0, 3)]
    first = classifier.logits(sentences, pairs)
    read: list[int] = []
    attend_each = classifier.encoder_.attend_each

    def counted(texts: Any) -> Any:
        read.append(len(texts))
        return attend_each(texts)

    monkeypatch.setattr(classifier.encoder_, "attend_each", counted)
    assert (classifier.logits(sentences, pairs) == first).all() and read == []
    again = classifier.logits([*sentences, "The sea was calm."], [(2, 3), (4, 8), (0, 1)])
    assert read == [1] and (again[[2, 0]] == first[:2]).all()
