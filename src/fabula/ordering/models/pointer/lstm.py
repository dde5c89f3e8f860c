"""Weights used again and again within one text: an LSTM that reads units, and what it is made of.

Torch adds to the gradient of such weights at every step: for a state of 1,000 and a batch of 8
that is most of the work, and memory's rather than the processor's. Here the steps wait, and one
product at the end serves all of them. While learning, the products are of bfloat16 where the
processor multiplies them; states, gates and sums stay as they are.

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
    """x to x W^T, many times over; the gradient of W is one product, made when all have theirs."""

    def __init__(self, weight: Any, *, exact: bool) -> None:
        kind = torch.bfloat16 if not exact and has_halves() else weight.dtype
        self._weight = weight.detach().to(kind)
        self._waiting: list[tuple[Any, Any]] = []
        self._last = _Settle.apply(weight, self._waiting)

    def __call__(self, x: Any) -> Any:
        return _Product.apply(x, self._weight, self._last, self._waiting)


class _Product(torch.autograd.Function):  # type: ignore[misc, name-defined]
    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, last: Any, waiting: list[tuple[Any, Any]]) -> Any:
        given = x.to(weight.dtype)
        ctx.save_for_backward(given, weight)
        ctx.waiting = waiting
        return (given @ weight.T).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, slope: Any) -> tuple[Any, None, Any, None]:
        given, weight = ctx.saved_tensors
        known = slope.to(weight.dtype)
        ctx.waiting.append((given.flatten(0, -2), known.flatten(0, -2)))
        return (known @ weight).to(slope.dtype), None, slope.new_zeros(()), None


class _Settle(torch.autograd.Function):  # type: ignore[misc, name-defined]
    """Nothing forwards; all products hang on it, so backwards it comes after the last of them."""

    @staticmethod
    def forward(ctx: Any, weight: Any, waiting: list[tuple[Any, Any]]) -> Any:
        ctx.waiting, ctx.kind = waiting, weight.dtype
        return weight.new_zeros(())

    @staticmethod
    def backward(ctx: Any, _: Any) -> tuple[Any, None]:
        given, slopes = (torch.cat(each) for each in zip(*ctx.waiting, strict=True))
        ctx.waiting.clear()
        return (slopes.T @ given).to(ctx.kind), None


def step(gates: Any, c: Any) -> tuple[Any, Any]:
    """One step of an LSTM: h and c from the gates' inputs [S, 4 D] and the c before."""
    i, f, g, o = gates.chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


class LastStates(nn.LSTM):  # type: ignore[misc, name-defined]
    """``torch.nn.LSTM`` of one layer, one way or both, asked for nothing but its last states.

    Packed words to h and c after the last word of each unit, [ways, S, D].
    """

    def __init__(self, inputs: int, hidden: int, bidirectional: bool = False) -> None:
        super().__init__(inputs, hidden, bidirectional=bidirectional)

    def forward(self, packed: Any) -> tuple[Any, Any]:
        sizes, found = packed.batch_sizes, []
        for way in ["", "_reverse"][: 1 + self.bidirectional]:
            words = packed.data[_backwards(sizes)] if way else packed.data
            found.append(self._steps(words, sizes.tolist(), way))
        h, c = (torch.stack(each) for each in zip(*found, strict=True))
        order = packed.unsorted_indices
        return (h, c) if order is None else (h[:, order], c[:, order])

    def _steps(self, words: Any, sizes: list[int], way: str) -> tuple[Any, Any]:
        of_word, of_state = (
            Repeated(getattr(self, f"weight_{kind}_l0{way}"), exact=not self.training)
            for kind in ("ih", "hh")
        )
        bias = getattr(self, f"bias_ih_l0{way}") + getattr(self, f"bias_hh_l0{way}")
        h = c = words.new_zeros((sizes[0], self.hidden_size))
        ended = []  # the longest units stand first: those that end are the last ones
        steps = (of_word(words) + bias).split(sizes)
        for gates, (size, left) in zip(steps, pairwise([*sizes, 0]), strict=True):
            h, c = step(gates + of_state(h), c)
            if left < size:
                ended.append((h[left:], c[left:]))
                h, c = h[:left], c[:left]
        h, c = (torch.cat(each[::-1]) for each in zip(*ended, strict=True))
        return h, c


def _backwards(sizes: Any) -> Any:
    """Where each word of a packed sequence finds the one it changes places with, [W]."""
    starts = sizes.cumsum(0) - sizes
    unit = torch.cat([torch.arange(size) for size in sizes.tolist()])
    place = torch.repeat_interleave(torch.arange(len(sizes)), sizes)
    lengths = (sizes[:, None] > torch.arange(int(sizes[0]))).sum(0)
    return starts[lengths[unit] - 1 - place] + unit
