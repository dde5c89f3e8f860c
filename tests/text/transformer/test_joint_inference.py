from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabula.text.transformer.joint_inference import KEPT, Tuned, packed, shorten, unpacked
from fabula.text.transformer.spec import MINILM

UNITS = [
    "Rain fell on the harbour all night.",
    "The mill stood under water by the morning, and nobody could say when the road would open.",
    "Why?",
    "Two boats came back.",
]


@pytest.fixture(scope="module")
def tuned() -> Tuned:
    return Tuned(MINILM.weights())


@pytest.fixture(scope="module")
def states() -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(0)
    return [rng.normal(size=(size, 384)).astype(np.float32) for size in (3, 7, 2, 5)]


def test_numpy_and_torch_agree(tuned: Tuned) -> None:
    torch = pytest.importorskip("torch")
    from fabula.text.transformer.joint_training import encode, reader

    net = reader()().eval()
    with torch.no_grad():
        both = net.read([encode(UNITS), encode(UNITS[:2])]).numpy()
    for theirs, ours in ((both[0], tuned.read(UNITS)), (both[1, :2], tuned.read(UNITS[:2]))):
        cosines = (theirs * ours).sum(1) / np.linalg.norm(theirs, axis=1)
        assert (cosines / np.linalg.norm(ours, axis=1) > 0.99).all()  # the lower layers are 8-bit


def test_a_unit_alone_is_what_minilm_makes_of_it(tuned: Tuned) -> None:
    from fabula.text.encoders.sentence import MiniLM

    mean = tuned.read(UNITS[:1])[0, :384]
    assert mean @ MiniLM().encode(UNITS[:1])[0] / np.linalg.norm(mean) > 0.99


def test_the_order_given_does_not_matter(tuned: Tuned) -> None:
    turned = [2, 0, 3, 1]
    again = tuned.read([UNITS[i] for i in turned])
    assert again == pytest.approx(tuned.read(UNITS)[turned], abs=1e-4)


def test_units_see_each_other(tuned: Tuned) -> None:
    assert tuned.read(UNITS)[:2] != pytest.approx(tuned.read(UNITS[:2]), abs=1e-3)


def test_long_texts_are_computed_in_parts(
    tuned: Tuned, states: list[np.ndarray[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tuned.join(states)
    monkeypatch.setattr("fabula.text.transformer.joint_inference._ROWS", 5)
    assert tuned.join(states) == pytest.approx(whole, abs=1e-4)


def test_shortening_keeps_both_ends_and_hears_the_middle() -> None:
    states = np.random.default_rng(0).normal(size=(100, 384)).astype(np.float32)
    short = shorten(states, 16)
    assert short.shape == (16, 384)
    assert (short[:8] == states[:8]).all() and (short[-2:] == states[-2:]).all()
    assert short[8] == pytest.approx(states[8:23].mean(axis=0), abs=1e-5)
    changed = states.copy()
    changed[60] += 1
    assert (shorten(changed, 16) != short).any()
    assert len(shorten(states[:16], 16)) == 16 and len(shorten(states[:5], 16)) == 5
    assert len(shorten(states, 2)) == 2


def test_a_long_unit_is_read_to_its_end(tuned: Tuned) -> None:
    body = "The council met again to speak of the harbour and its walls. " * 60
    one, two, short, empty = tuned.states([body + "It rained.", body + "War came.", "Hello.", ""])
    assert len(one) == len(two) == KEPT and len(short) == 4 and len(empty) == 2
    assert np.abs(one - two).max() > 0.1


def test_equal_units_have_equal_states_and_nothing_is_nothing(tuned: Tuned) -> None:
    one, other, two = tuned.states(["Rain fell.", "Snow.", "Rain fell."])
    assert (one == two).all() and one.shape != other.shape
    assert tuned.states([]) == []


def test_what_is_packed_comes_back_and_packs_to_the_same() -> None:
    rng = np.random.default_rng(0)
    given = {
        "layers.0.up.weight": rng.normal(size=(8, 4)).astype(np.float32),
        "layers.0.up.bias": rng.normal(size=8).astype(np.float32),
        "a.weight": rng.normal(size=(4, 8)).astype(np.float32),
    }
    given["layers.0.up.weight"][3] = 0  # a row of nothing has no scale
    stored = packed(given)
    back = unpacked(stored)
    assert stored["layers.0.up.weight"].dtype == np.int8 and list(back) == list(given)
    for name, value in given.items():
        assert back[name] == pytest.approx(value, abs=0.03)
    again = packed(back)
    assert all((again[name] == stored[name]).all() for name in stored)


def test_many_texts_are_joined_as_each_by_itself(
    tuned: Tuned, states: list[np.ndarray[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [states[:2], states[1:], states[2:3], states]
    # so that some stand in one part
    monkeypatch.setattr("fabula.text.transformer.joint_inference._ROWS", 14)
    for found, text in zip(tuned.join_each(texts), texts, strict=True):
        assert found == pytest.approx(tuned.join(text), abs=1e-4)
    assert tuned.join_each([]) == []
