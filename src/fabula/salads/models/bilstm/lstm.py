"""A two-way LSTM layer for short sequences of unequal length, several times faster to train.

torch's own takes both ways one after the other and, going back, adds to every weight matrix at
every word. Here both ways go in step, and the gradients of the weights are one product over all
words. The numbers are those of ``torch.nn.LSTM`` (gates in its order: i, f, g, o).

Shapes: n sequences, longest first, of up to l words; w numbers a word, h of state each way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch

__all__ = ["run_lstm"]

Floats = NDArray[np.float32]


def run_lstm(lstm: Any, words: Any, lengths: Any, dropout: Any) -> tuple[Any, Any]:
    """What ``torch.nn.LSTM`` gives for [n, l, w]: outputs [n, l, 2h] (0 after the end), z [n, 2h].

    z is the last state of the upper layer forwards beside that backwards. ``dropout`` is put on
    the outputs of all layers but the last.
    """
    torch = need_torch()
    order = torch.argsort(lengths, descending=True, stable=True)
    lengths = lengths[order]
    outputs = words[order]
    place = torch.arange(words.shape[1])
    real = place[None, :] < lengths[:, None]
    # Backwards is forwards over the words turned round, each sequence within its own length.
    turned = torch.where(real, lengths[:, None] - 1 - place, place)[:, :, None]
    active = real.sum(0).tolist()  # sequences that have a word at each place
    layer = _layer()
    for number in range(lstm.num_layers):
        weights = [
            torch.stack([getattr(lstm, f"{name}_l{number}{way}") for way in ("", "_reverse")])
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        ]
        backwards = outputs.gather(1, turned.expand_as(outputs))
        both = torch.stack([outputs, backwards])  # [2, n, l, w]
        ahead, back = layer.apply(active, both, *weights)  # [n, l, h] each
        outputs = torch.cat([ahead, back.gather(1, turned.expand_as(back))], dim=2)
        if number + 1 < lstm.num_layers:
            outputs = dropout(outputs)
    each, half = torch.arange(len(lengths)), outputs.shape[2] // 2
    z = torch.cat([outputs[each, lengths - 1, :half], outputs[:, 0, half:]], dim=1)
    back_again = torch.argsort(order)
    return outputs[back_again], z[back_again]


_LAYER: list[Any] = []


def _layer() -> Any:
    """The layer as an autograd function, made when torch is there."""
    if _LAYER:
        return _LAYER[0]
    torch = need_torch()

    class Layer(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(context: Any, *values: Any) -> Any:
            context.active, *tensors = values
            arrays = [tensor.detach().numpy() for tensor in tensors]
            outputs, context.kept = _ahead(context.active, *arrays)
            return torch.from_numpy(outputs)

        @staticmethod
        def backward(context: Any, upper: Any) -> Any:
            found = _back(context.active, upper.detach().numpy(), *context.kept)
            return None, *(torch.from_numpy(slope) for slope in found)

    _LAYER.append(Layer)
    return Layer


# In numpy: the arrays are so small that torch's own cost of a call would be most of the time.


def _ahead(
    active: list[int], x: Floats, read: Floats, keep: Floats, b1: Floats, b2: Floats
) -> tuple[Floats, tuple[Floats, ...]]:
    """[2, n, l, w] and the weights of both ways to [2, n, l, h], and what going back needs."""
    _, n, words, _ = x.shape
    h = keep.shape[2]
    x = np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(2, words * n, -1)  # word by word
    gates = x @ read.transpose(0, 2, 1) + (b1 + b2)[:, None, :]
    gates = gates.reshape(2, words, n, 4 * h)
    # A sigmoid is a tanh of half as much, moved: so one call does for all four gates.
    half = np.full(4 * h, 0.5, dtype=np.float32)
    half[2 * h : 3 * h] = 1.0
    gates *= half
    moved = np.where(half < 1, np.float32(0.5), np.float32(0))
    turned = np.ascontiguousarray(keep.transpose(0, 2, 1) * half)
    states = np.zeros((2, words + 1, n, h), dtype=np.float32)  # before each word
    cells = np.zeros_like(states)
    bent = np.zeros_like(states)  # tanh of the cells
    for t, some in enumerate(active):
        now = gates[:, t, :some]
        now += states[:, t, :some] @ turned
        np.tanh(now, out=now)
        now *= half
        now += moved
        cell = cells[:, t + 1, :some]
        np.multiply(now[..., :h], now[..., 2 * h : 3 * h], out=cell)
        cell += now[..., h : 2 * h] * cells[:, t, :some]
        tanh = bent[:, t + 1, :some]
        np.tanh(cell, out=tanh)
        np.multiply(tanh, now[..., 3 * h :], out=states[:, t + 1, :some])
    outputs = np.ascontiguousarray(states[:, 1:].transpose(0, 2, 1, 3))
    return outputs, (x, gates, states, cells, bent, read, keep)


def _back(
    active: list[int], upper: Floats, x: Floats, gates: Floats, states: Floats, cells: Floats,
    bent: Floats, read: Floats, keep: Floats,
) -> tuple[Floats, ...]:  # fmt: skip
    """The slopes of x, of both weight matrices and of both biases."""
    _, words, n, _ = gates.shape
    h = keep.shape[2]
    i, f, g, o = (gates[..., at * h : (at + 1) * h] for at in range(4))
    tanh = bent[:, 1:]
    # How much each gate's input moves the cell, and the last one's the state.
    slopes = np.concatenate(
        [g * i * (1 - i), cells[:, :-1] * f * (1 - f), i * (1 - g * g), tanh * o * (1 - o)], axis=3
    ).reshape(2, words, n, 4, h)
    through = o * (1 - tanh * tanh)
    upper = np.ascontiguousarray(upper.transpose(0, 2, 1, 3))
    state, cell = np.zeros((2, n, h), dtype=np.float32), np.zeros((2, n, h), dtype=np.float32)
    for t in range(words - 1, -1, -1):
        some = active[t]
        slopes[:, t, some:] = 0
        down = state[:, :some] + upper[:, t, :some]
        total = cell[:, :some] + down * through[:, t, :some]
        now = slopes[:, t, :some]
        now[..., :3, :] *= total[:, :, None, :]
        now[..., 3, :] *= down
        np.multiply(total, f[:, t, :some], out=cell[:, :some])
        np.matmul(now.reshape(2, some, 4 * h), keep, out=state[:, :some])
    flat = slopes.reshape(2, words * n, 4 * h)
    d_x = (flat @ read).reshape(2, words, n, -1).transpose(0, 2, 1, 3)
    d_read = flat.transpose(0, 2, 1) @ x
    d_keep = flat.transpose(0, 2, 1) @ states[:, :-1].reshape(2, words * n, h)
    bias = flat.sum(axis=1)
    return np.ascontiguousarray(d_x), d_read, d_keep, bias, bias
