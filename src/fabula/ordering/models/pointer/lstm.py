"""An LSTM that returns its last states only, with the weight gradients of all steps accumulated.

Torch adds to the gradient of a recurrent weight at every step: for a state of 1,000 and a batch of
8 that is most of the work, bound by memory. Here the steps are collected, and one product at the
end serves all of them. In training the products are of bfloat16 where the processor has it;
states, gates and sums keep their precision.

Shapes: S units, W words in all (packed: the first words of all units, the second ones, ...), D.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from fabula.core.training import has_halves, need_torch

torch = need_torch()
nn = torch.nn

__all__ = ["LastStates", "Repeated", "step"]


class Repeated:
    """x to x W^T, called at many steps; the gradient of W is one product over all of them."""

    def __init__(self, weight: Any, *, exact: bool) -> None:
        kind = torch.bfloat16 if not exact and has_halves() else weight.dtype
        self._weight = weight.detach().to(kind)
        self._pending: list[tuple[Any, Any]] = []
        self._last = _WeightGradient.apply(weight, self._pending)

    def __call__(self, x: Any) -> Any:
        return _Product.apply(x, self._weight, self._last, self._pending)


class _Product(torch.autograd.Function):  # type: ignore[misc, name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, last: Any, pending: list[tuple[Any, Any]]) -> Any:
        inputs = x.to(weight.dtype)
        ctx.save_for_backward(inputs, weight)
        ctx.pending = pending
        return (inputs @ weight.T).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, output_gradient: Any) -> tuple[Any, None, Any, None]:
        inputs, weight = ctx.saved_tensors
        gradient = output_gradient.to(weight.dtype)
        ctx.pending.append((inputs.flatten(0, -2), gradient.flatten(0, -2)))
        return (
            (gradient @ weight).to(output_gradient.dtype),
            None,
            output_gradient.new_zeros(()),
            None,
        )


class _WeightGradient(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """A node that every product depends on: its backward pass runs after all of theirs."""

    @staticmethod
    def forward(ctx: Any, weight: Any, pending: list[tuple[Any, Any]]) -> Any:
        ctx.pending, ctx.kind = pending, weight.dtype
        return weight.new_zeros(())

    @staticmethod
    def backward(ctx: Any, _: Any) -> tuple[Any, None]:
        inputs, gradients = (torch.cat(each) for each in zip(*ctx.pending, strict=True))
        ctx.pending.clear()
        return (gradients.T @ inputs).to(ctx.kind), None


def step(gates: Any, c: Any) -> tuple[Any, Any]:
    """One step of an LSTM: h and c from the gates' inputs [S, 4 D] and the c before."""
    i, f, g, o = gates.chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


class LastStates(nn.LSTM):  # type: ignore[misc, name-defined]
    """A one-layer ``torch.nn.LSTM``, uni- or bidirectional, that returns its last states only.

    Packed words to h and c after the last word of each unit, [directions, S, D].
    """

    def __init__(self, inputs: int, hidden: int, bidirectional: bool = False) -> None:
        super().__init__(inputs, hidden, bidirectional=bidirectional)

    def forward(self, packed: Any) -> tuple[Any, Any]:
        sizes, states = packed.batch_sizes, []
        for direction in ["", "_reverse"][: 1 + self.bidirectional]:
            words = packed.data[_backwards(sizes)] if direction else packed.data
            states.append(self._steps(words, sizes.tolist(), direction))
        h, c = (torch.stack(each) for each in zip(*states, strict=True))
        order = packed.unsorted_indices
        return (h, c) if order is None else (h[:, order], c[:, order])

    def _steps(self, words: Any, sizes: list[int], direction: str) -> tuple[Any, Any]:
        of_word, of_state = (
            Repeated(getattr(self, f"weight_{kind}_l0{direction}"), exact=not self.training)
            for kind in ("ih", "hh")
        )
        bias = getattr(self, f"bias_ih_l0{direction}") + getattr(self, f"bias_hh_l0{direction}")
        h = c = words.new_zeros((sizes[0], self.hidden_size))
        ended = []  # units are sorted longest first, so the ones that end are the last rows
        steps = (of_word(words) + bias).split(sizes)
        for gates, (size, left) in zip(steps, pairwise([*sizes, 0]), strict=True):
            h, c = step(gates + of_state(h), c)
            if left < size:
                ended.append((h[left:], c[left:]))
                h, c = h[:left], c[:left]
        h, c = (torch.cat(each[::-1]) for each in zip(*ended, strict=True))
        return h, c


def _backwards(sizes: Any) -> Any:
    """The permutation of a packed sequence that reverses the words of each unit, [W]."""
    starts = sizes.cumsum(0) - sizes
    unit = torch.cat([torch.arange(size) for size in sizes.tolist()])
    position = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    lengths = (sizes[:, None] > torch.arange(int(sizes[0]))).sum(0)
    return starts[lengths[unit] - 1 - position] + unit
