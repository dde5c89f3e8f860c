from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabula.text.transformer.joint_inference import (
    MAX_STATES,
    CrossSentenceEncoder,
    dequantise,
    pool_states,
    quantise,
)
from fabula.text.transformer.spec import MINILM

UNITS = [
    "Rain fell on the harbour all night.",
    "The mill stood under water by the morning, and nobody could say when the road would open.",
    "Why?",
    "Two boats came back.",
]


@pytest.fixture(scope="module")
def encoder() -> CrossSentenceEncoder:
    return CrossSentenceEncoder(MINILM.weights())


@pytest.fixture(scope="module")
def states() -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(size, 384)).astype(np.float32) for size in (3, 7, 2, 5)]


def test_numpy_and_torch_agree(encoder: CrossSentenceEncoder) -> None:
    torch = pytest.importorskip("torch")
    from fabula.text.transformer.joint_training import encode, encoder_class

    net = encoder_class()().eval()
    with torch.no_grad():
        both = net.encode([encode(UNITS), encode(UNITS[:2])]).numpy()
    for theirs, ours in (
        (both[0], encoder.encode(UNITS)),
        (both[1, :2], encoder.encode(UNITS[:2])),
    ):
        cosines = (theirs * ours).sum(1) / np.linalg.norm(theirs, axis=1)
        assert (cosines / np.linalg.norm(ours, axis=1) > 0.99).all()  # the lower layers are 8-bit


def test_a_single_unit_is_encoded_as_by_minilm(encoder: CrossSentenceEncoder) -> None:
    from fabula.text.encoders.sentence import MiniLM

    mean = encoder.encode(UNITS[:1])[0, :384]
    assert mean @ MiniLM().encode(UNITS[:1])[0] / np.linalg.norm(mean) > 0.99


def test_the_order_given_does_not_matter(encoder: CrossSentenceEncoder) -> None:
    turned = [2, 0, 3, 1]
    again = encoder.encode([UNITS[i] for i in turned])
    assert again == pytest.approx(encoder.encode(UNITS)[turned], abs=1e-4)


def test_units_attend_to_each_other(encoder: CrossSentenceEncoder) -> None:
    assert encoder.encode(UNITS)[:2] != pytest.approx(encoder.encode(UNITS[:2]), abs=1e-3)


def test_chunk_size_does_not_change_the_encoding(
    encoder: CrossSentenceEncoder,
    states: list[np.ndarray[Any, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = encoder.attend(states)
    monkeypatch.setattr("fabula.text.transformer.joint_inference.CHUNK_ROWS", 5)
    assert encoder.attend(states) == pytest.approx(whole, abs=1e-4)


def test_pooled_states_keep_both_ends_and_average_the_middle() -> None:
    states = np.random.default_rng(0).normal(size=(100, 384)).astype(np.float32)
    short = pool_states(states, 16)
    assert short.shape == (16, 384)
    assert (short[:8] == states[:8]).all() and (short[-2:] == states[-2:]).all()
    assert short[8] == pytest.approx(states[8:23].mean(axis=0), abs=1e-5)
    changed = states.copy()
    changed[60] += 1
    assert (pool_states(changed, 16) != short).any()
    assert len(pool_states(states[:16], 16)) == 16 and len(pool_states(states[:5], 16)) == 5
    assert len(pool_states(states, 2)) == 2


def test_a_long_unit_is_read_to_its_end(encoder: CrossSentenceEncoder) -> None:
    body = "The council met again to speak of the harbour and its walls. " * 60
    one, two, short, empty = encoder.unit_states(
        [body + "It rained.", body + "War came.", "Hello.", ""]
    )
    assert len(one) == len(two) == MAX_STATES and len(short) == 4 and len(empty) == 2
    assert np.abs(one - two).max() > 0.1


def test_equal_units_have_equal_states_and_no_units_give_no_states(
    encoder: CrossSentenceEncoder,
) -> None:
    one, other, two = encoder.unit_states(["Rain fell.", "Snow.", "Rain fell."])
    assert (one == two).all() and one.shape != other.shape
    assert encoder.unit_states([]) == []


def test_quantising_dequantised_weights_gives_the_same_weights() -> None:
    rng = np.random.default_rng(0)
    given = {
        "layers.0.up.weight": rng.normal(size=(8, 4)).astype(np.float32),
        "layers.0.up.bias": rng.normal(size=8).astype(np.float32),
        "a.weight": rng.normal(size=(4, 8)).astype(np.float32),
    }
    given["layers.0.up.weight"][3] = 0  # a row of nothing has no scale
    stored = quantise(given)
    back = dequantise(stored)
    assert stored["layers.0.up.weight"].dtype == np.int8 and list(back) == list(given)
    for name, value in given.items():
        assert back[name] == pytest.approx(value, abs=0.03)
    again = quantise(back)
    assert all((again[name] == stored[name]).all() for name in stored)
