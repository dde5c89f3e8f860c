"""Training MiniLM further, in torch: the network of ``tuned``, a loop, and batches.

A task adds a head that makes scores of the units, and a loss.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fabula.learning import need_torch, one_thread
from fabula.progress import track
from fabula.text import resources
from fabula.text.minilm import DIMENSION, EPSILON
from fabula.text.tuned import HEAD_SIZE, KEPT, LAYERS, LOWER, layers_of, slots

__all__ = ["Ids", "batches", "encode", "reader", "teach"]

Floats = NDArray[np.float32]
Ids = Sequence[int]  # of a unit's word pieces
Item = TypeVar("Item")

_OPENS, _CLOSES = 36, 20  # word pieces kept of a longer unit, in training alone
_HEADS = DIMENSION // HEAD_SIZE
_AWAY = -1e4  # added to attention's scores: not to be seen


def encode(units: Sequence[str]) -> list[list[int]]:
    """Units as word pieces; of long ones the beginning and the end."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(resources.locate("minilm") / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    texts = [unit.encode("utf-8", "replace").decode() for unit in units]
    found = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    return [ids if len(ids) <= _OPENS + _CLOSES else ids[:_OPENS] + ids[-_CLOSES:] for ids in found]


def batches(
    items: Sequence[Item], size: Callable[[Item], int], most: int, rng: random.Random
) -> list[list[Item]]:
    """Items of like size together, at most ``most`` in a batch with the padding."""
    sized = sorted(((size(item), rng.random(), item) for item in items), key=lambda one: one[:2])
    found: list[list[Item]] = []
    for each, _, item in sized:
        if not found or each * (len(found[-1]) + 1) > max(most, each):
            found.append([])
        found[-1].append(item)
    rng.shuffle(found)
    return found


def teach(
    make: Callable[[], Any],
    plan: Sequence[Any],
    loss: Callable[[Any, Any], Any],
    *,
    rate: float,
    head: float = 5.0,
    warm: int = 60,
    seed: int = 0,
) -> dict[str, Floats]:
    """Train the network that ``make`` makes on the batches of ``plan``; its weights by name.

    The layers learn by ``rate``, all else, which starts from nothing, ``head`` times as fast.
    Rates rise over ``warm`` steps, then fall to almost nothing.
    """
    torch = need_torch()
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = make()
        groups: dict[float, list[Any]] = {}
        learnt = {name: some for name, some in net.named_parameters() if some.requires_grad}
        for name, parameter in learnt.items():
            top = rate if name.startswith("layers.") else head * rate
            groups.setdefault(top, []).append(parameter)
        optimiser = torch.optim.AdamW(
            [{"params": some, "top": top} for top, some in groups.items()],
            betas=(0.9, 0.98),
            weight_decay=0.01,
        )
        for step, batch in enumerate(track(plan, "training")):
            share = min(1, (step + 1) / warm) * max(0.02, 1 - step / len(plan))
            for group in optimiser.param_groups:
                group["lr"] = group["top"] * share
            optimiser.zero_grad()
            loss(net, batch).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
    return {name: value.detach().numpy().copy() for name, value in learnt.items()}


def reader(first: int = 0, see: float | None = None, kept: int = KEPT) -> Any:
    """The network as a class of torch modules, to be given a head by a task.

    Its ``read`` takes texts (lists of units, a unit its word pieces) to [texts, units, 768]. Layers
    below ``first`` stay as they are. With ``see`` all heads see all units, but each learns how much
    it looks at others, and starts with so little. A unit keeps at most ``kept`` states.
    """
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            size = DIMENSION
            self.n1, self.n2 = (nn.LayerNorm(size, eps=EPSILON) for _ in range(2))
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
            self.drop = nn.Dropout(0.1)

        def forward(self, x: Any, mask: Any) -> Any:
            batch, length, size = x.shape
            split = self.qkv(x).view(batch, length, 3, _HEADS, HEAD_SIZE)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            # Written out: torch's fused attention is slower than this on so few states.
            shares = (q @ k.transpose(2, 3) * HEAD_SIZE**-0.5 + mask).softmax(-1)
            seen = (shares.to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, size)
            x = self.n1(x + self.drop(self.out(seen)))
            return self.n2(x + self.drop(self.down(functional.gelu(self.up(x)))))

    class Reader(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            folder = resources.locate("minilm")
            self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
            given = layers_of(folder)
            self.load_state_dict({name: torch.from_numpy(part) for name, part in given.items()})
            for layer in self.layers[:first]:
                layer.requires_grad_(False).drop.p = 0.0
            if see is not None:
                for layer in self.layers[LOWER:]:
                    layer.see = nn.Parameter(torch.full((_HEADS,), see))
            self.drop = nn.Dropout(0.1)
            self._words, self._places, self._embedded = _embedding(folder)

        def read(self, texts: Sequence[Sequence[Ids]]) -> Any:
            # Half as precise and twice as fast, where the processor can; only while learning.
            halves = self.training and _has_halves()
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                return self._read(texts).float()

        def _read(self, texts: Sequence[Sequence[Ids]]) -> Any:
            states, counts = self._alone([ids for text in texts for ids in text])
            unit, source = _places(texts, counts, kept)
            x = states.reshape(-1, DIMENSION)[torch.from_numpy(source)]
            unit = torch.from_numpy(unit)
            x = self.drop(x * (unit >= 0)[:, :, None])
            mask = _spread(unit) if see is None else _alike(unit)
            for layer in self.layers[LOWER:]:
                x = layer(x, mask if see is None else mask(layer.see))
            return self.drop(_pooled(x, unit))

        def _alone(self, units: Sequence[Ids]) -> tuple[Any, NDArray[np.int64]]:
            """The states of each unit read by itself, [units, kept, 384], and their numbers."""
            longest = max(len(ids) for ids in units)
            given = np.zeros((len(units), longest), dtype=np.int64)
            places = np.full((len(units), longest), kept, dtype=np.int64)
            for row, ids in enumerate(units):
                given[row, : len(ids)] = ids
                places[row, : len(ids)] = slots(len(ids), kept)
            member = functional.one_hot(torch.from_numpy(places), kept + 1)[:, :, :kept].float()
            x = self._embedded(self._words[torch.from_numpy(given)] + self._places[:longest])
            mask = torch.where(member.sum(2) > 0, 0.0, _AWAY)[:, None, None, :]
            for layer in self.layers[:LOWER]:
                x = layer(x, mask)
            counts = member.sum(1)
            states = member.transpose(1, 2) @ x / counts.clamp(min=1)[:, :, None]
            return states, (counts > 0).sum(1).numpy()

    return Reader


def _has_halves() -> bool:
    """Whether this processor multiplies bfloat16; others are slower with them than with floats."""
    tell = getattr(need_torch().cpu, "get_capabilities", dict)  # an older torch cannot
    able: dict[str, Any] = tell()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


def _embedding(folder: Any) -> tuple[Any, Any, Any]:
    """Word vectors, place vectors and their normalisation, which stay as they are."""
    torch = need_torch()
    from safetensors.torch import load_file

    given = load_file(folder / "model.safetensors")
    name = "embeddings.LayerNorm."
    scale, shift = given[f"{name}weight"], given[f"{name}bias"]
    kind = given["embeddings.token_type_embeddings.weight"][0]
    places = given["embeddings.position_embeddings.weight"] + kind

    def embedded(x: Any) -> Any:
        return torch.nn.functional.layer_norm(x, (DIMENSION,), scale, shift, EPSILON)

    return given["embeddings.word_embeddings.weight"], places, embedded


def _places(
    texts: Sequence[Sequence[Ids]], counts: NDArray[np.int64], kept: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each state of a text, padded: its unit, or -1, and its row in the states of all units."""
    ends = np.cumsum([len(text) for text in texts])
    sizes = np.add.reduceat(counts, ends - [len(text) for text in texts])
    unit = np.full((len(texts), int(sizes.max())), -1, dtype=np.int64)
    source = np.zeros_like(unit)
    row = 0
    for line, text in enumerate(texts):
        at = 0
        for number in range(len(text)):
            some = slice(at, at + counts[row])
            unit[line, some], source[line, some] = number, row * kept + np.arange(counts[row])
            at, row = some.stop, row + 1
    return unit, source


def _spread(unit: Any) -> Any:
    """[B, heads, L, L], added to attention: half of the heads see their own unit, the rest all."""
    torch = need_torch()
    own = torch.where(unit[:, :, None] == unit[:, None, :], 0.0, _AWAY)
    every = torch.where(unit < 0, _AWAY, 0.0)[:, None, :].expand_as(own)
    return torch.stack([own] * (_HEADS // 2) + [every] * (_HEADS - _HEADS // 2), 1)


def _alike(unit: Any) -> Callable[[Any], Any]:
    """The same where each head adds a number of its own to what it sees of other units."""
    torch = need_torch()
    other = (unit[:, :, None] != unit[:, None, :]).float()[:, None]
    every = torch.where(unit < 0, _AWAY, 0.0)[:, None, None, :]
    return lambda see: see[:, None, None] * other + every


def _pooled(x: Any, unit: Any) -> Any:
    """Each unit as the mean of its states and the first of them, [B, units, 2 D]."""
    torch = need_torch()
    pad = unit < 0
    member = torch.nn.functional.one_hot(unit.clamp(min=0)).float() * (~pad)[:, :, None]
    mean = member.transpose(1, 2) @ x / member.sum(1).clamp(min=1)[:, :, None]
    opens = torch.cat([unit[:, :1] >= 0, unit[:, 1:] != unit[:, :-1]], 1) & ~pad
    return torch.cat([mean, (member * opens[:, :, None]).transpose(1, 2) @ x], -1)
