"""The pointer and its decoder, by hand, and the search."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from fabula.ordering.models.pointer.network import Decoder, Pointer, beam_search, nll  # noqa: E402


def test_the_score_of_one_head() -> None:
    pointer = Pointer(2, 2, 2, 1)
    with torch.no_grad():
        pointer.w1.weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]]))
        pointer.w1.bias.copy_(torch.tensor([0.5, 0.0]))
        pointer.w2.weight.copy_(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
        pointer.v.copy_(torch.tensor([[1.0, -3.0]]))
    keys, state = torch.tensor([[[1.0, 1.0], [0.0, -1.0]]]), torch.tensor([[[2.0, 3.0]]])
    found = pointer(pointer.prepare(keys), state)
    # W1 key + b + W2 h: (1.5 + 3, 2 + 2) and (.5 + 3, -2 + 2)
    expected = [np.tanh(4.5) - 3 * np.tanh(4.0), np.tanh(3.5) - 3 * np.tanh(0.0)]
    assert found[0, 0].tolist() == pytest.approx(expected)


def test_heads_are_averaged() -> None:
    torch.manual_seed(0)
    both = Pointer(3, 3, 4, 2)
    keys, state = torch.randn(2, 5, 3), torch.randn(2, 1, 3)
    alone = []
    for head in range(2):
        one = Pointer(3, 3, 4, 1)
        rows = slice(4 * head, 4 * head + 4)
        with torch.no_grad():
            one.w1.weight.copy_(both.w1.weight[rows])
            one.w1.bias.copy_(both.w1.bias[rows])
            one.w2.weight.copy_(both.w2.weight[rows])
            one.v.copy_(both.v[head : head + 1])
        alone.append(one(one.prepare(keys), state))
    found = both(both.prepare(keys), state)
    assert torch.allclose(found, (alone[0] + alone[1]) / 2, atol=1e-6)


def test_as_printed_without_tanh_the_pointer_forgets_its_state() -> None:
    torch.manual_seed(0)
    keys, states = torch.randn(1, 4, 3), torch.randn(1, 2, 3)
    linear, squashed = Pointer(3, 3, 3, 1, tanh=False), Pointer(3, 3, 3, 1)
    shares = linear(linear.prepare(keys), states).softmax(2)
    assert torch.allclose(shares[0, 0], shares[0, 1], atol=1e-6)
    shares = squashed(squashed.prepare(keys), states).softmax(2)
    assert not torch.allclose(shares[0, 0], shares[0, 1], atol=1e-3)


def decoder(units: int, seed: int = 0, ends: int = 0) -> tuple[Any, Any, Any]:
    torch.manual_seed(seed)
    made = Decoder(inputs=3, state=3, pointer=Pointer(3, 3, 3, 1), ends=ends)
    vectors = 2 * torch.randn(1, units, 3)
    with torch.no_grad():
        made.pointer.v.mul_(3)  # clear preferences
    return made, vectors, (torch.randn(1, 3), torch.randn(1, 3))


def likelihood(made: Any, vectors: Any, start: Any, order: tuple[int, ...]) -> float:
    """log P(order), step by step."""
    state, last, total = tuple(part[None] for part in start), torch.zeros(1, 1, 3), 0.0
    prepared = made.pointer.prepare(vectors)
    for step, unit in enumerate(order):
        output, state = made.lstm(last, state)
        left = [other for other in range(len(order)) if other not in order[:step]]
        scores = made.pointer(prepared, output)[0, 0]
        total += float(scores[unit] - scores[left].logsumexp(0))
        last = vectors[:, unit : unit + 1]
    return total


@torch.no_grad()
def test_teaching_gives_the_likelihood_of_the_gold_order() -> None:
    made, vectors, start = decoder(4)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        gold, real = torch.tensor([order]), torch.ones(1, 4, dtype=torch.bool)
        log_probs = made.teach(vectors, made.prepare(vectors), start, gold, real)
        assert log_probs.exp().sum(2)[0].tolist() == pytest.approx([1.0] * 4)
        expected = likelihood(made, vectors, start, order)
        assert float(nll(log_probs, gold, real)) == pytest.approx(-expected, abs=1e-5)


@torch.no_grad()
def test_padding_takes_no_part_in_teaching() -> None:
    made, vectors, start = decoder(3)
    gold, real = torch.tensor([[2, 0, 1, 3, 4]]), torch.tensor([[True] * 3 + [False] * 2])
    wide = torch.cat([vectors, torch.full((1, 2, 3), 9.0)], dim=1)
    log_probs = made.teach(wide, made.prepare(wide), start, gold, real)
    expected = likelihood(made, vectors, start, (2, 0, 1))
    assert float(nll(log_probs, gold, real)) == pytest.approx(-expected, abs=1e-5)


@torch.no_grad()
def test_the_end_can_be_pointed_to_while_learning() -> None:
    made, vectors, start = decoder(3, ends=3)
    gold, real = torch.tensor([[2, 0, 1]]), torch.ones(1, 3, dtype=torch.bool)
    log_probs = made.teach(vectors, made.prepare(vectors), start, gold, real)
    assert log_probs.shape == (1, 3, 4) and (log_probs[0, :, 3] > -np.inf).all()
    assert log_probs.exp().sum(2)[0].tolist() == pytest.approx([1.0] * 3)


@torch.no_grad()
@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_every_order_and_the_best_first(seed: int) -> None:
    made, vectors, start = decoder(4, seed)
    real = torch.ones(1, 4, dtype=torch.bool)
    orders, sure = beam_search(made, vectors, vectors, start, real, 24)
    every = {order: likelihood(made, vectors, start, order) for order in permutations(range(4))}
    found = {tuple(o.tolist()): float(p) for o, p in zip(orders[0], sure[0], strict=True)}
    assert found == {order: pytest.approx(every[order], abs=1e-4) for order in every}
    assert tuple(orders[0, 0].tolist()) == max(every, key=lambda order: every[order])
    assert sum(np.exp(list(found.values()))) == pytest.approx(1, abs=1e-4)


@torch.no_grad()
def test_a_beam_of_one_takes_the_best_at_each_step() -> None:
    made, vectors, start = decoder(5, 7)
    real = torch.ones(1, 5, dtype=torch.bool)
    orders, sure = beam_search(made, vectors, vectors, start, real, 1)
    order = tuple(orders[0, 0].tolist())
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert float(sure[0, 0]) == pytest.approx(likelihood(made, vectors, start, order), abs=1e-4)
    wide = beam_search(made, vectors, vectors, start, real, 40)[1][0, 0]
    assert float(wide) >= float(sure[0, 0]) - 1e-5


@torch.no_grad()
def test_texts_of_different_lengths_are_searched_together() -> None:
    made, long, start = decoder(4)
    short = torch.cat([long[:, :2], torch.full((1, 2, 3), 5.0)], dim=1)
    real = torch.tensor([[True] * 4, [True, True, False, False]])
    both = torch.cat([long, short])
    states = tuple(torch.cat([part, part]) for part in start)
    orders, sure = beam_search(made, both, both, states, real, 3)
    for row, vectors, n in ((0, long, 4), (1, long[:, :2], 2)):
        alone, theirs = beam_search(made, vectors, vectors, start, real[row : row + 1, :n], 3)
        finite = theirs[0] > -np.inf
        assert orders[row, finite, :n].tolist() == alone[0, finite].tolist()
        assert sure[row, finite].tolist() == pytest.approx(theirs[0, finite].tolist(), abs=1e-5)
