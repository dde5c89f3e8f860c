"""Last states and their gradients, beside those of torch's own LSTM."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch.nn.utils.rnn import pack_sequence  # noqa: E402

from fabula.ordering.models.pointer.lstm import LastStates, Repeated, step  # noqa: E402


@given(st.lists(st.integers(1, 7), min_size=1, max_size=6), st.booleans())
def test_states_and_gradients_are_those_of_torch(lengths: list[int], both: bool) -> None:
    torch.manual_seed(0)
    theirs = torch.nn.LSTM(3, 4, bidirectional=both).double()
    ours = LastStates(3, 4, bidirectional=both).double().eval()
    ours.load_state_dict(theirs.state_dict())
    units = [torch.randn(n, 3, dtype=torch.double, requires_grad=True) for n in lengths]
    _, expected = theirs(pack_sequence(units, enforce_sorted=False))
    found = ours(pack_sequence(units, enforce_sorted=False))
    for state, other in zip(found, expected, strict=True):
        assert torch.allclose(state, other, atol=1e-12)
    learnt = zip(_slopes(found, ours, units), _slopes(expected, theirs, units), strict=True)
    assert all(torch.allclose(one, other, atol=1e-12) for one, other in learnt)


def _slopes(states: tuple[Any, Any], net: Any, units: list[Any]) -> Any:
    h, c = states
    weights = torch.arange(h.numel(), dtype=h.dtype).reshape(h.shape)
    return torch.autograd.grad((h * weights).sum() + (c**2).sum(), [*net.parameters(), *units])


def test_learning_with_halves_goes_almost_the_same_way() -> None:
    torch.manual_seed(0)
    net = LastStates(20, 50)
    units = [torch.randn(n, 20) for n in (9, 3, 5, 5)]
    slopes = {}
    for training in (True, False):
        found = net.train(training)(pack_sequence(units, enforce_sorted=False))
        slopes[training] = torch.cat([one.flatten() for one in _slopes(found, net, [])])
    likeness = torch.nn.functional.cosine_similarity(slopes[True], slopes[False], dim=0)
    assert likeness > 0.999


def test_one_product_for_all_uses() -> None:
    torch.manual_seed(0)
    linear = torch.nn.Linear(3, 3, bias=False).double()
    repeated = Repeated(linear.weight, exact=True)
    start = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
    wanted = [linear.weight, start]

    def reached(product: Any) -> Any:
        x = start
        for _ in range(4):
            x = product(x).tanh()
        return torch.autograd.grad(x.sum(), wanted)

    for one, other in zip(reached(repeated), reached(linear), strict=True):
        assert torch.allclose(one, other, atol=1e-12)


def test_a_use_that_leads_nowhere_is_not_waited_for() -> None:
    weight = torch.eye(2, requires_grad=True)
    product = Repeated(weight, exact=True)
    product(torch.ones(1, 2))
    (slope,) = torch.autograd.grad(product(torch.tensor([[1.0, 2.0]])).sum(), [weight])
    assert slope.tolist() == [[1.0, 2.0], [1.0, 2.0]]


def test_a_step_by_hand() -> None:
    # i, f and o wide open, g = tanh(1): c = 2 + tanh(1)
    h, c = step(torch.tensor([[50.0, 50.0, 1.0, 50.0]]), torch.tensor([[2.0]]))
    assert c.item() == pytest.approx(2.76159, abs=1e-5)
    assert h.item() == pytest.approx(0.99204, abs=1e-5)
