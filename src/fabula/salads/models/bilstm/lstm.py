"""A bidirectional LSTM layer for short sequences of unequal length, several times faster to train.

torch's own runs the two directions one after the other and, in the backward pass, adds to every
weight matrix at every word. Here the directions run in step, and the gradient of a weight matrix
is one product over all words. The results are those of ``torch.nn.LSTM`` (gates i, f, g, o).

Shapes: n sequences, longest first, of up to l words; word vectors of w, states of h a direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch

__all__ = ["run_lstm"]

Floats = NDArray[np.float32]


def run_lstm(lstm: Any, words: Any, lengths: Any, dropout: Any) -> tuple[Any, Any]:
    """``torch.nn.LSTM`` on [n, l, w]: outputs [n, l, 2h] (0 after the end) and z [n, 2h].

    z is the last state of the upper layer in both directions, concatenated. ``dropout`` is applied
    to the outputs of all layers but the last.
    """
    torch = need_torch()
    order = torch.argsort(lengths, descending=True, stable=True)
    lengths = lengths[order]
    outputs = words[order]
    position = torch.arange(words.shape[1])
    mask = position[None, :] < lengths[:, None]
    # The backward direction reads reversed words, each sequence reversed within its own length.
    reversal = torch.where(mask, lengths[:, None] - 1 - position, position)[:, :, None]
    active = mask.sum(0).tolist()  # number of sequences that have a word at each position
    layer = _layer()
    for number in range(lstm.num_layers):
        weights = [
            torch.stack(
                [getattr(lstm, f"{name}_l{number}{direction}") for direction in ("", "_reverse")]
            )
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        ]
        backwards = outputs.gather(1, reversal.expand_as(outputs))
        both = torch.stack([outputs, backwards])  # [2, n, l, w]
        forwards, backwards_output = layer.apply(active, both, *weights)  # [n, l, h] each
        outputs = torch.cat(
            [forwards, backwards_output.gather(1, reversal.expand_as(backwards_output))], dim=2
        )
        if number + 1 < lstm.num_layers:
            outputs = dropout(outputs)
    rows, width = torch.arange(len(lengths)), outputs.shape[2] // 2
    z = torch.cat([outputs[rows, lengths - 1, :width], outputs[:, 0, width:]], dim=1)
    unsort = torch.argsort(order)
    return outputs[unsort], z[unsort]


_LAYER: list[Any] = []


def _layer() -> Any:
    """The layer as an autograd function; torch is imported on first use."""
    if _LAYER:
        return _LAYER[0]
    torch = need_torch()

    class Layer(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(context: Any, *values: Any) -> Any:
            context.active, *tensors = values
            arrays = [tensor.detach().numpy() for tensor in tensors]
            outputs, context.kept = _forward_pass(context.active, *arrays)
            return torch.from_numpy(outputs)

        @staticmethod
        def backward(context: Any, upper: Any) -> Any:
            gradients = _backward_pass(context.active, upper.detach().numpy(), *context.kept)
            return None, *(torch.from_numpy(gradient) for gradient in gradients)

    _LAYER.append(Layer)
    return Layer


# In numpy: the arrays are so small that torch's own cost of a call would be most of the time.


def _forward_pass(
    active: list[int],
    x: Floats,
    input_weights: Floats,
    state_weights: Floats,
    input_bias: Floats,
    state_bias: Floats,
) -> tuple[Floats, tuple[Floats, ...]]:
    """Words [2, n, l, w] of both directions to states [2, n, l, h], and the saved activations."""
    _, n, words, _ = x.shape
    h = state_weights.shape[2]
    x = np.ascontiguousarray(x.transpose(0, 2, 1, 3)).reshape(2, words * n, -1)  # word by word
    gates = x @ input_weights.transpose(0, 2, 1) + (input_bias + state_bias)[:, None, :]
    gates = gates.reshape(2, words, n, 4 * h)
    # sigmoid(x) = tanh(x / 2) / 2 + 1/2: one tanh call serves all four gates.
    scale = np.full(4 * h, 0.5, dtype=np.float32)
    scale[2 * h : 3 * h] = 1.0
    gates *= scale
    offset = np.where(scale < 1, np.float32(0.5), np.float32(0))
    recurrent = np.ascontiguousarray(state_weights.transpose(0, 2, 1) * scale)
    states = np.zeros((2, words + 1, n, h), dtype=np.float32)  # before each word
    cells = np.zeros_like(states)
    tanh_cells = np.zeros_like(states)  # tanh of the cells
    for t, running in enumerate(active):
        gate = gates[:, t, :running]
        gate += states[:, t, :running] @ recurrent
        np.tanh(gate, out=gate)
        gate *= scale
        gate += offset
        cell = cells[:, t + 1, :running]
        np.multiply(gate[..., :h], gate[..., 2 * h : 3 * h], out=cell)
        cell += gate[..., h : 2 * h] * cells[:, t, :running]
        tanh = tanh_cells[:, t + 1, :running]
        np.tanh(cell, out=tanh)
        np.multiply(tanh, gate[..., 3 * h :], out=states[:, t + 1, :running])
    outputs = np.ascontiguousarray(states[:, 1:].transpose(0, 2, 1, 3))
    return outputs, (x, gates, states, cells, tanh_cells, input_weights, state_weights)


def _backward_pass(
    active: list[int], output_gradient: Floats, x: Floats, gates: Floats, states: Floats,
    cells: Floats, tanh_cells: Floats, input_weights: Floats, state_weights: Floats,
) -> tuple[Floats, ...]:  # fmt: skip
    """The gradients of x, of both weight matrices and of both biases."""
    _, words, n, _ = gates.shape
    h = state_weights.shape[2]
    i, f, g, o = (gates[..., at * h : (at + 1) * h] for at in range(4))
    tanh = tanh_cells[:, 1:]
    # Derivatives of the cell by the inputs of gates i, f, g, and of the state by that of o.
    gradients = np.concatenate(
        [g * i * (1 - i), cells[:, :-1] * f * (1 - f), i * (1 - g * g), tanh * o * (1 - o)], axis=3
    ).reshape(2, words, n, 4, h)
    cell_to_state = o * (1 - tanh * tanh)
    output_gradient = np.ascontiguousarray(output_gradient.transpose(0, 2, 1, 3))
    state, cell = np.zeros((2, n, h), dtype=np.float32), np.zeros((2, n, h), dtype=np.float32)
    for t in range(words - 1, -1, -1):
        running = active[t]
        gradients[:, t, running:] = 0
        state_gradient = state[:, :running] + output_gradient[:, t, :running]
        cell_gradient = cell[:, :running] + state_gradient * cell_to_state[:, t, :running]
        gradient = gradients[:, t, :running]
        gradient[..., :3, :] *= cell_gradient[:, :, None, :]
        gradient[..., 3, :] *= state_gradient
        np.multiply(cell_gradient, f[:, t, :running], out=cell[:, :running])
        np.matmul(gradient.reshape(2, running, 4 * h), state_weights, out=state[:, :running])
    flat_gradients = gradients.reshape(2, words * n, 4 * h)
    x_gradient = (flat_gradients @ input_weights).reshape(2, words, n, -1).transpose(0, 2, 1, 3)
    input_weights_gradient = flat_gradients.transpose(0, 2, 1) @ x
    state_weights_gradient = flat_gradients.transpose(0, 2, 1) @ states[:, :-1].reshape(
        2, words * n, h
    )
    bias_gradient = flat_gradients.sum(axis=1)
    return (
        np.ascontiguousarray(x_gradient),
        input_weights_gradient,
        state_weights_gradient,
        bias_gradient,
        bias_gradient,
    )
