from __future__ import annotations

import numpy as np
import pytest

from fabula.ordering.joint import pair_logits
from fabula.ordering.mixing import fit_mix
from fabula.ordering.states import KEPT, shorten, unit_states
from fabula.ordering.upper import upper_logits

LOGITS = {"joint": pair_logits, "upper": upper_logits}
Network = tuple[str, object, dict[str, np.ndarray]]  # its name, in torch, its weights


def texts(sizes: list[int], seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(size, 384)).astype(np.float32) for size in sizes]


@pytest.fixture(scope="module", params=LOGITS)
def network(request: pytest.FixtureRequest) -> Network:
    torch = pytest.importorskip("torch")
    from fabula.ordering import joint_training, upper_training

    torch.manual_seed(0)
    make = {"joint": joint_training.network, "upper": upper_training.network}[request.param]
    made = make(64).eval()
    weights = {name: value.numpy() for name, value in made.state_dict().items()}
    return request.param, made, weights


def logits_of(network: Network, states: list[np.ndarray]) -> np.ndarray:
    return LOGITS[network[0]](network[2], states)


def test_numpy_and_torch_agree(network: Network) -> None:
    import torch

    states = texts([3, 7, 2, 5])
    unit = np.repeat(np.arange(4), [3, 7, 2, 5])
    padded = np.concatenate([np.concatenate(states), np.zeros((4, 384), dtype=np.float32)])
    with torch.no_grad():
        theirs = network[1](  # type: ignore[operator]
            torch.from_numpy(padded)[None], torch.from_numpy(np.append(unit, [-1] * 4))[None]
        )
    assert logits_of(network, states) == pytest.approx(theirs[0].numpy(), abs=1e-4)


def test_the_order_given_does_not_matter(network: Network) -> None:
    states = texts([3, 7, 2, 5])
    logits = logits_of(network, states)
    assert logits == pytest.approx(-logits.T, abs=1e-6)
    turned = [2, 0, 3, 1]
    again = logits_of(network, [states[i] for i in turned])
    assert again == pytest.approx(logits[np.ix_(turned, turned)], abs=1e-5)


def test_units_see_each_other(network: Network) -> None:
    states = texts([3, 7, 2])
    alone = logits_of(network, states[:2])
    assert logits_of(network, states)[:2, :2] != pytest.approx(alone, abs=1e-6)


def test_long_texts_are_computed_in_parts(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = texts([4] * 9)
    whole = logits_of(network, states)
    monkeypatch.setattr("fabula.ordering.joint._ROWS", 5)
    assert logits_of(network, states) == pytest.approx(whole, abs=1e-5)


def test_the_upper_layers_start_as_minilms_own() -> None:
    """With a unit alone, the network before training does what MiniLM does from there on."""
    torch = pytest.importorskip("torch")
    from fabula.ordering.upper_training import network
    from fabula.text.encoders import MiniLM

    made = network(8).eval()
    (states,) = unit_states(["Rain fell on the harbour."], 64)
    x, unit = torch.from_numpy(states)[None], torch.zeros((1, len(states)), dtype=torch.long)
    with torch.no_grad():
        from fabula.ordering.joint_training import spread_masks

        for layer in made.layers:
            x = layer(x, spread_masks(unit, 12))
    mean = x[0].mean(0).numpy()
    whole = MiniLM().encode(["Rain fell on the harbour."])[0]
    assert mean @ whole / np.linalg.norm(mean) > 0.99  # the packaged encoder is quantised


def test_shortening_keeps_both_ends_and_hears_the_middle() -> None:
    (states,) = texts([100])
    short = shorten(states, 16, 8, 2)
    assert short.shape == (16, 384)
    assert (short[:8] == states[:8]).all() and (short[-2:] == states[-2:]).all()
    assert short[8] == pytest.approx(states[8:23].mean(axis=0), abs=1e-5)
    changed = states.copy()
    changed[60] += 1
    assert (shorten(changed, 16, 8, 2) != short).any()
    assert shorten(states[:16], 16, 8, 2) is not None and len(shorten(states[:5], 16, 8, 2)) == 5


def test_a_long_unit_is_read_to_its_end() -> None:
    body = "The council met again to speak of the harbour and its walls. " * 60
    one, two, short, empty = unit_states([body + "It rained.", body + "War came.", "Hello.", ""])
    assert len(one) == len(two) == KEPT and len(short) == 4 and len(empty) == 2
    assert np.abs(one - two).max() > 0.1


def test_equal_units_have_equal_states_and_nothing_is_nothing() -> None:
    one, other, two = unit_states(["Rain fell.", "Snow.", "Rain fell."])
    assert (one == two).all() and one.shape != other.shape
    assert unit_states([]) == []


def test_a_useful_witness_gets_weight_and_a_liar_none() -> None:
    rng = np.random.default_rng(0)
    said = []
    for _ in range(60):
        n = 6
        place = np.arange(n)
        truth = np.sign(place[None, :] - place[:, None]).astype(float)
        noise = rng.normal(0, 1, (n, n))
        good = truth + (noise - noise.T)
        said.append(np.stack([good, noise - noise.T, -truth * (rng.random() < 0.7)], axis=2))
    good, _, liar = fit_mix(said)
    assert good > 0.5 and liar == 0.0
