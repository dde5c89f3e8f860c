from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabula.errors import DamagedFile, UnknownName
from fabula.pairs.items import Pair
from fabula.pairs.models.cross_encoder import training
from fabula.pairs.models.cross_encoder.encoding import (
    MAX_PIECES,
    calibration,
    even_labels,
    sequence_of,
    word_pieces,
)
from fabula.pairs.models.cross_encoder.model import CrossEncoder
from fabula.pairs.models.cross_encoder.training import Plan, train
from fabula.text.transformer.spec import MINILM

CLASHES = [
    ("A man is sleeping.", "A man is awake."),
    ("Two dogs run over the grass.", "The dogs are sitting still."),
    ("The bridge was closed.", "The bridge was not closed."),
]
FOLLOWS = [
    ("A man is sleeping on a bench.", "A man is asleep."),
    ("Two brown dogs run over the grass.", "Dogs are running."),
    ("The bridge was closed on Monday.", "The bridge was closed."),
]
PAIRS = [
    Pair(str(i), a, b, "contradiction" if i < 3 else "entailment", i % 2 == 0)
    for i, (a, b) in enumerate([*CLASHES, *FOLLOWS])
]


def test_the_shipped_network_tells_contradiction_from_entailment() -> None:
    relations = CrossEncoder().relate(PAIRS)
    clashes = [relation.contradiction for relation in relations]
    right = [r.label == pair.label for r, pair in zip(relations, PAIRS, strict=True)]
    assert sum(right) >= 4
    assert np.mean(clashes[:3]) > np.mean(clashes[3:]) + 0.3
    assert CrossEncoder().relate([]) == []


def test_an_answer_does_not_depend_on_the_batch() -> None:
    model = CrossEncoder()
    alone = [model.relate([pair])[0] for pair in PAIRS[:2]]
    for one, other in zip(alone, model.relate(PAIRS), strict=False):
        assert one == pytest.approx(other, abs=1e-5)  # the head's sums round by batch


def test_a_long_pair_loses_the_end_of_the_longer_sentence() -> None:
    short, long = word_pieces(["It rained.", "rain " * 200], MINILM)
    sequence = sequence_of(short, long, MINILM)
    assert len(sequence.ids) == MAX_PIECES
    assert sequence.ids[1 : 1 + len(short)] == list(short)
    both = sequence_of(long, long, MINILM)
    assert abs(both.second - MAX_PIECES // 2) <= 2
    assert word_pieces([""], MINILM)[0]


def test_a_training_that_was_interrupted_gives_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "PIECES", 40)  # several steps
    whole = train(PAIRS, [], MINILM, Plan(epochs=1))
    path = tmp_path / "checkpoint.safetensors"
    train(PAIRS, PAIRS, MINILM, Plan(epochs=1, checkpoint=path, stop=2))
    resumed = train(PAIRS, [], MINILM, Plan(epochs=1, checkpoint=path))
    assert all(np.array_equal(whole[name], resumed[name]) for name in whole)
    with pytest.raises(DamagedFile, match="another training"):
        train(PAIRS[:2], [], MINILM, Plan(epochs=1, checkpoint=path))


def test_what_torch_learnt_is_what_onnx_answers(tmp_path: Path) -> None:
    model = CrossEncoder(epochs=1).fit(PAIRS)
    model.save(tmp_path)
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) < 15e6
    loaded = CrossEncoder.load(tmp_path)
    assert loaded.relate(PAIRS) == model.relate(PAIRS)
    torch = pytest.importorskip("torch")
    net = training.build_network(MINILM).eval()
    net.load_state_dict({name: torch.from_numpy(w) for name, w in model.network_.items()})
    pieces = word_pieces([PAIRS[0].a, PAIRS[0].b], MINILM)
    with torch.no_grad():
        logits, _ = net([sequence_of(pieces[0], pieces[1], MINILM)])
    ours = model.logits([(PAIRS[0].a, PAIRS[0].b)])["relation"]
    assert np.abs(logits.numpy() - ours).max() < 0.2  # eight bits


def test_an_unknown_body_is_named() -> None:
    with pytest.raises(UnknownName, match="minilm"):
        CrossEncoder(body="bert").fit(PAIRS)


def test_calibration_makes_a_network_less_sure_of_what_is_wrong_half_the_time() -> None:
    logits = np.array([[8.0, 0.0, 0.0]] * 4 + [[0.0, 8.0, 0.0]] * 4 + [[0.0, 0.0, 8.0]] * 4)
    gold = [0, 0, 1, 2, 1, 1, 0, 2, 2, 2, 0, 1]
    sharpness, shift = calibration(logits, gold)
    assert 0 < sharpness < 0.3
    assert shift == pytest.approx([0, 0, 0], abs=1e-3)


def test_a_file_with_few_of_a_label_does_not_make_it_unlikely() -> None:
    added = even_labels([0, 1, 1, 2])
    assert added[0] == added[2] and added[0] - added[1] == pytest.approx(np.log(2))
    assert not even_labels([0, 0, 1]).any()


def test_part_of_what_was_known_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = CrossEncoder.shipped()
    before.save(tmp_path)
    zeros = {name: np.zeros_like(value) for name, value in before.network_.items()}
    monkeypatch.setattr(training, "train", lambda *_: zeros)
    half = CrossEncoder(start=str(tmp_path), keep=0.5).fit(PAIRS)
    wanted = before.network_["relation.bias"] / 2
    assert half.network_["relation.bias"] == pytest.approx(wanted, rel=0.05, abs=0.01)
    told = CrossEncoder(start=str(tmp_path), keep=1.0).fit(PAIRS, PAIRS)
    assert told.network_["layers.0.qkv.weight"] == pytest.approx(
        before.network_["layers.0.qkv.weight"], abs=1e-2
    )
