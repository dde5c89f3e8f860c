from __future__ import annotations

import numpy as np
import pytest

from fabula.ordering.models.pairwise.calibration import fit_mix
from fabula.ordering.models.pairwise.head import follow_scores, opening_scores, pair_logits


def test_numpy_and_torch_agree_and_pairs_are_antisymmetric() -> None:
    torch = pytest.importorskip("torch")
    from fabula.ordering.models.pairwise.training import network
    from fabula.text.transformer.joint_training import encode

    torch.manual_seed(0)
    net = network().eval()
    for new in (net.v, net.o):  # which start from nothing
        torch.nn.init.normal_(new.weight)
    text = encode(["Rain fell.", "The mill stood under water.", "Nobody came."])
    with torch.no_grad():
        units, theirs = net.encode([text])[0].numpy(), [part[0].numpy() for part in net([text])]
    weights = {name: value.detach().numpy() for name, value in net.named_parameters()}
    for make, expected in zip((pair_logits, follow_scores, opening_scores), theirs, strict=True):
        assert make(weights, units) == pytest.approx(expected, abs=1e-4)
    pairs = pair_logits(weights, units)
    assert pairs == pytest.approx(-pairs.T, abs=1e-6)


def test_training_goes_on_from_given_weights() -> None:
    torch = pytest.importorskip("torch")
    from fabula.ordering.models.pairwise.training import network, train

    torch.manual_seed(1)
    start = {name: value.detach().numpy() for name, value in network().named_parameters()}
    texts = [["One man came.", "He left."]]
    same = train(texts, epochs=1, rate=0.0, batch=100, seed=0, start=start)
    assert all((same[name] == value).all() for name, value in start.items())
    other = train(texts, epochs=1, rate=1e-3, batch=100, seed=0, start=start)
    assert any((other[name] != value).any() for name, value in start.items())


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
