"""Fine-tuning the cross-sentence encoder of ``joint_inference`` in torch: network, loop, batches.

A task adds a head, which scores the unit vectors, and a loss.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.core.training import has_halves, need_torch, train
from fabula.text.transformer.joint_inference import (
    MASKED,
    MAX_STATES,
    CrossSentenceEncoder,
    attention_biases,
    pool_indices,
)
from fabula.text.transformer.spec import MINILM, Backbone, relative_position_buckets

__all__ = [
    "Ids",
    "Unit",
    "batches",
    "encode",
    "encoder_class",
    "fine_tune",
    "layer_class",
    "prepare",
]

Floats = NDArray[np.float32]
Ids = Sequence[int]  # a unit's word pieces
Unit = Ids | NDArray[np.float16]  # or its pooled states, where the lower layers are frozen
Item = TypeVar("Item")

_HEAD_PIECES, _TAIL_PIECES = 36, 20  # word pieces kept of a longer unit, in training alone
_CHUNK_UNITS = 256  # units whose token states are in memory before they are pooled


def encode(units: Sequence[str], backbone: Backbone = MINILM) -> list[list[int]]:
    """Units as word piece ids; of long units the beginning and the end."""
    texts = [unit.encode("utf-8", "replace").decode() for unit in units]
    return [
        ids if len(ids) <= _HEAD_PIECES + _TAIL_PIECES else ids[:_HEAD_PIECES] + ids[-_TAIL_PIECES:]
        for ids in (encoding.ids for encoding in backbone.tokenizer().encode_batch(texts))
    ]


def prepare(units: Sequence[str], backbone: Backbone) -> Sequence[Unit]:
    """The network's inputs: word piece ids, or pooled states where the lower layers are frozen.

    The states are computed once, of whole units, by ``CrossSentenceEncoder``.
    """
    if not backbone.frozen_lower:
        return encode(units, backbone)
    encoder, inputs = CrossSentenceEncoder({}, backbone), []
    for start in track(range(0, len(units), _CHUNK_UNITS), "reading units"):
        chunk = encoder.unit_states(units[start : start + _CHUNK_UNITS], progress=False)
        inputs += [states.astype(np.float16) for states in chunk]
    return inputs


def batches(
    items: Sequence[Item], size: Callable[[Item], int], max_size: int, rng: random.Random
) -> list[list[Item]]:
    """Batches of items of similar size, at most ``max_size`` with the padding, shuffled."""
    by_size = sorted(((size(item), rng.random(), item) for item in items), key=lambda key: key[:2])
    result: list[list[Item]] = []
    for item_size, _, item in by_size:
        if not result or item_size * (len(result[-1]) + 1) > max(max_size, item_size):
            result.append([])
        result[-1].append(item)
    rng.shuffle(result)
    return result


def fine_tune(
    make_network: Callable[[], Any],
    plan: Sequence[Any],
    loss: Callable[[Any, Any], Any],
    *,
    rate: float,
    head_factor: float = 5.0,
    warmup_steps: int = 60,
    seed: int = 0,
) -> dict[str, Floats]:
    """Train a network on the batches of ``plan`` with AdamW; the trained weights by name.

    The layers learn at ``rate``, the head, which starts untrained, ``head_factor`` times as fast.
    Rates rise linearly over ``warmup_steps``, then decay linearly to 2 %.
    """
    torch = need_torch()

    def optimiser(net: Any) -> Any:
        groups: dict[float, list[Any]] = {}
        for name, parameter in net.named_parameters():
            if parameter.requires_grad:
                peak_rate = rate if name.startswith("layers.") else head_factor * rate
                groups.setdefault(peak_rate, []).append(parameter)
        adam = torch.optim.AdamW(
            [{"params": parameters, "lr": peak_rate} for peak_rate, parameters in groups.items()],
            betas=(0.9, 0.98),
            weight_decay=0.01,
        )
        schedule = torch.optim.lr_scheduler.LambdaLR(
            adam, lambda step: min(1, (step + 1) / warmup_steps) * max(0.02, 1 - step / len(plan))
        )
        return [adam], [{"scheduler": schedule, "interval": "step"}]

    trained_names: list[str] = []

    def build() -> Any:
        net = make_network()
        trained_names.extend(name for name, value in net.named_parameters() if value.requires_grad)
        return net

    trained = train(build, plan, loss, optimiser, epochs=1, seed=seed, clip=1.0, distributed=False)
    return {name: trained.weights[name] for name in trained_names}


def layer_class(backbone: Backbone) -> Any:
    """A transformer layer of the backbone as a torch module class; its mask is added to the scores.

    Its parameters have the names of ``spec``.
    """
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional
    size, heads = backbone.dimension, backbone.heads

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.n1, self.n2 = (nn.LayerNorm(size, eps=backbone.epsilon) for _ in range(2))
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
            self.drop = nn.Dropout(0.1)

        def forward(self, x: Any, mask: Any) -> Any:
            batch, length, _ = x.shape
            split = self.qkv(x).view(batch, length, 3, heads, backbone.head_size)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            # Written out: torch's fused attention is slower than this on so few states.
            shares = (q @ k.transpose(2, 3) * backbone.head_size**-0.5 + mask).softmax(-1)
            attended = (shares.to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, size)
            x = self.n1(x + self.drop(self.out(attended)))
            return self.n2(x + self.drop(self.down(functional.gelu(self.up(x)))))

    return Layer


def encoder_class(
    first_trained: int = 0,
    other_unit_bias: float | None = None,
    max_states: int = MAX_STATES,
    backbone: Backbone = MINILM,
) -> Any:
    """The cross-sentence encoder as a torch module class, to be subclassed with a task's head.

    Its ``encode`` takes texts (lists of units from ``prepare``) to [texts, units, 2 x dimension].
    Layers below ``first_trained`` are frozen. With ``other_unit_bias`` no head is masked from other
    units; each learns its bias on them, starting from this value.
    """
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional
    size, heads = backbone.dimension, backbone.heads
    layer_type = layer_class(backbone)
    lowest = backbone.lower_layers if backbone.frozen_lower else 0

    class TrainableEncoder(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            pretrained = {name: torch.from_numpy(part) for name, part in backbone.weights().items()}
            numbers = range(lowest, backbone.layers)
            self.layers = nn.ModuleDict({str(number): layer_type() for number in numbers})
            self.load_state_dict({name: pretrained[name] for name in self.state_dict()})
            for number in numbers[: max(0, first_trained - lowest)]:
                self.layers[str(number)].requires_grad_(False).drop.p = 0.0
            initial_bias, relative_bias = attention_biases(backbone)
            self._other_unit_bias = torch.from_numpy(initial_bias)
            self._relative_bias = None if relative_bias is None else torch.from_numpy(relative_bias)
            if other_unit_bias is not None:
                for number in range(backbone.lower_layers, backbone.layers):
                    bias = nn.Parameter(torch.full((heads,), other_unit_bias))
                    self.layers[str(number)].see = bias  # its name in the weights files
            self.drop = nn.Dropout(0.1)
            # The embedding tables and their normalisation are frozen: no parameters.
            self._embeddings = {
                name: part for name, part in pretrained.items() if "layers." not in name
            }

        def encode(self, texts: Sequence[Sequence[Unit]]) -> Any:
            # bfloat16 is twice as fast where the processor has it; in training alone.
            halves = self.training and has_halves()
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                return self._encode(texts).float()

        def _encode(self, texts: Sequence[Sequence[Unit]]) -> Any:
            units = [unit for text in texts for unit in text]
            if backbone.frozen_lower:
                states, counts = _stack_states(units, max_states)
            else:
                states, counts = self._unit_states(units)
            unit_rows, source = _text_layout(texts, counts, max_states)
            x = states.reshape(-1, size)[torch.from_numpy(source)]
            unit, position = torch.from_numpy(unit_rows), source % max_states
            x = self.drop(x * (unit >= 0)[:, :, None])
            mask = _mask(unit, position, self._relative_bias)
            fixed_mask = mask(self._other_unit_bias) if other_unit_bias is None else None
            for number in range(backbone.lower_layers, backbone.layers):
                layer = self.layers[str(number)]
                x = layer(x, mask(layer.see) if fixed_mask is None else fixed_mask)
            return self.drop(_unit_vectors(x, unit))

        def _unit_states(self, units: Sequence[Any]) -> tuple[Any, NDArray[np.int64]]:
            """Pooled states [units, max_states, size] after the lower layers, and their counts."""
            longest = max(len(ids) for ids in units)
            padded = np.zeros((len(units), longest), dtype=np.int64)
            pooled = np.full((len(units), longest), max_states, dtype=np.int64)
            for row, ids in enumerate(units):
                padded[row, : len(ids)] = ids
                pooled[row, : len(ids)] = pool_indices(len(ids), max_states)
            member = functional.one_hot(torch.from_numpy(pooled), max_states + 1)
            member = member[:, :, :max_states].float()
            x = self._embed(torch.from_numpy(padded))
            mask = torch.where(member.sum(2) > 0, 0.0, MASKED)[:, None, None, :]
            for number in range(backbone.lower_layers):
                x = self.layers[str(number)](x, mask)
            counts = member.sum(1)
            states = member.transpose(1, 2) @ x / counts.clamp(min=1)[:, :, None]
            return states, (counts > 0).sum(1).numpy()

        def _embed(self, ids: Any) -> Any:
            tables = self._embeddings
            x = tables["words"][ids] + tables["positions"][: ids.shape[1]]
            scale, shift = tables["embed.weight"], tables["embed.bias"]
            return functional.layer_norm(x, (size,), scale, shift, backbone.epsilon)

    return TrainableEncoder


def _stack_states(units: Sequence[Any], max_states: int) -> tuple[Any, NDArray[np.int64]]:
    """Precomputed states, zero-padded to [units, max_states, size], and their counts."""
    torch = need_torch()
    stacked = np.zeros((len(units), max_states, units[0].shape[1]), dtype=np.float32)
    for row, states in enumerate(units):
        stacked[row, : len(states)] = states
    return torch.from_numpy(stacked), np.array([len(states) for states in units])


def _text_layout(
    texts: Sequence[Sequence[Unit]], counts: NDArray[np.int64], max_states: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each state of each text: its unit (-1 for padding) and its row in all units' states."""
    ends = np.cumsum([len(text) for text in texts])
    sizes = np.add.reduceat(counts, ends - [len(text) for text in texts])
    unit = np.full((len(texts), int(sizes.max())), -1, dtype=np.int64)
    source = np.zeros_like(unit)
    row = 0
    for text_row, text in enumerate(texts):
        start = 0
        for number in range(len(text)):
            span = slice(start, start + counts[row])
            unit[text_row, span] = number
            source[text_row, span] = row * max_states + np.arange(counts[row])
            start, row = span.stop, row + 1
    return unit, source


def _mask(unit: Any, position: NDArray[np.int64], relative_bias: Any) -> Callable[[Any], Any]:
    """From a bias on other units a head to additive attention biases [B, heads, L, L].

    Padding is masked; within a unit the relative position bias applies, if the backbone has one.
    """
    torch = need_torch()
    other = (unit[:, :, None] != unit[:, None, :]).float()[:, None]
    rest = torch.where(unit < 0, MASKED, 0.0)[:, None, None, :]
    if relative_bias is not None:
        buckets = np.stack([relative_position_buckets(row, row) for row in position])
        rest = rest + relative_bias[torch.from_numpy(buckets)].permute(0, 3, 1, 2) * (1 - other)
    return lambda other_unit_bias: other_unit_bias[:, None, None] * other + rest


def _unit_vectors(x: Any, unit: Any) -> Any:
    """Each unit's mean state and first state, concatenated: [B, units, 2 x dimension]."""
    torch = need_torch()
    padding = unit < 0
    member = torch.nn.functional.one_hot(unit.clamp(min=0)).float() * (~padding)[:, :, None]
    mean = member.transpose(1, 2) @ x / member.sum(1).clamp(min=1)[:, :, None]
    is_first = torch.cat([unit[:, :1] >= 0, unit[:, 1:] != unit[:, :-1]], 1) & ~padding
    return torch.cat([mean, (member * is_first[:, :, None]).transpose(1, 2) @ x], -1)
