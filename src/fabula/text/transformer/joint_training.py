"""Training a transformer further, in torch: the network of ``tuned``, a loop, and batches.

A task adds a head that makes scores of the units, and a loss.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.core.training import has_halves, need_torch, train
from fabula.text.transformer.joint_inference import AWAY, KEPT, Tuned, sight, slots
from fabula.text.transformer.spec import MINILM, Body, gaps

__all__ = ["Ids", "Unit", "batches", "encode", "prepare", "reader", "teach"]

Floats = NDArray[np.float32]
Ids = Sequence[int]  # of a unit's word pieces
Unit = Ids | NDArray[np.float16]  # or what lower layers that stay as they are make of them
Item = TypeVar("Item")

_OPENS, _CLOSES = 36, 20  # word pieces kept of a longer unit, in training alone
_AT_ONCE = 256  # units that are read before their states are shortened


def encode(units: Sequence[str], body: Body = MINILM) -> list[list[int]]:
    """Units as word pieces; of long ones the beginning and the end."""
    texts = [unit.encode("utf-8", "replace").decode() for unit in units]
    found = [encoding.ids for encoding in body.tokenizer().encode_batch(texts)]
    return [ids if len(ids) <= _OPENS + _CLOSES else ids[:_OPENS] + ids[-_CLOSES:] for ids in found]


def prepare(units: Sequence[str], body: Body) -> Sequence[Unit]:
    """Units as the network takes them: word pieces, or states where the lower layers are settled.

    Those are read once and whole, as they will be by ``Tuned``.
    """
    if not body.settled:
        return encode(units, body)
    tuned, found = Tuned({}, body), []
    for at in track(range(0, len(units), _AT_ONCE), "reading units"):
        some = tuned.states(units[at : at + _AT_ONCE], shown=False)
        found += [states.astype(np.float16) for states in some]
    return found


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

    def optimiser(net: Any) -> Any:
        groups: dict[float, list[Any]] = {}
        for name, parameter in net.named_parameters():
            if parameter.requires_grad:
                top = rate if name.startswith("layers.") else head * rate
                groups.setdefault(top, []).append(parameter)
        adam = torch.optim.AdamW(
            [{"params": some, "lr": top} for top, some in groups.items()],
            betas=(0.9, 0.98),
            weight_decay=0.01,
        )
        schedule = torch.optim.lr_scheduler.LambdaLR(
            adam, lambda step: min(1, (step + 1) / warm) * max(0.02, 1 - step / len(plan))
        )
        return [adam], [{"scheduler": schedule, "interval": "step"}]

    learnt: list[str] = []

    def made() -> Any:
        net = make()
        learnt.extend(name for name, value in net.named_parameters() if value.requires_grad)
        return net

    trained = train(made, plan, loss, optimiser, epochs=1, seed=seed, clip=1.0, distributed=False)
    return {name: trained.weights[name] for name in learnt}


def reader(first: int = 0, see: float | None = None, kept: int = KEPT, body: Body = MINILM) -> Any:
    """The network as a class of torch modules, to be given a head by a task.

    Its ``read`` takes texts (lists of units, as ``prepare`` gives them) to [texts, units, 2 sizes].
    Layers below ``first`` stay as they are. With ``see`` all heads see all units, but each learns
    how much it looks at others, and starts with so little. A unit keeps at most ``kept`` states.
    """
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional
    size, heads = body.dimension, body.heads
    lowest = body.lower if body.settled else 0

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.n1, self.n2 = (nn.LayerNorm(size, eps=body.epsilon) for _ in range(2))
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
            self.drop = nn.Dropout(0.1)

        def forward(self, x: Any, mask: Any) -> Any:
            batch, length, _ = x.shape
            split = self.qkv(x).view(batch, length, 3, heads, body.head_size)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            # Written out: torch's fused attention is slower than this on so few states.
            shares = (q @ k.transpose(2, 3) * body.head_size**-0.5 + mask).softmax(-1)
            seen = (shares.to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, size)
            x = self.n1(x + self.drop(self.out(seen)))
            return self.n2(x + self.drop(self.down(functional.gelu(self.up(x)))))

    class Reader(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            given = {name: torch.from_numpy(part) for name, part in body.weights().items()}
            numbers = range(lowest, body.layers)
            self.layers = nn.ModuleDict({str(number): Layer() for number in numbers})
            self.load_state_dict({name: given[name] for name in self.state_dict()})
            for number in numbers[: max(0, first - lowest)]:
                self.layers[str(number)].requires_grad_(False).drop.p = 0.0
            start, near = sight(body)
            self._see = torch.from_numpy(start)
            self._near = None if near is None else torch.from_numpy(near)
            if see is not None:
                for number in range(body.lower, body.layers):
                    self.layers[str(number)].see = nn.Parameter(torch.full((heads,), see))
            self.drop = nn.Dropout(0.1)
            # Word and place vectors and their normalisation stay as they are.
            self._given = {name: part for name, part in given.items() if "layers." not in name}

        def read(self, texts: Sequence[Sequence[Unit]]) -> Any:
            # Half as precise and twice as fast, where the processor can; only while learning.
            halves = self.training and has_halves()
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                return self._read(texts).float()

        def _read(self, texts: Sequence[Sequence[Unit]]) -> Any:
            units = [unit for text in texts for unit in text]
            states, counts = _stacked(units, kept) if body.settled else self._alone(units)
            unit, source = _places(texts, counts, kept)
            x = states.reshape(-1, size)[torch.from_numpy(source)]
            unit, place = torch.from_numpy(unit), source % kept
            x = self.drop(x * (unit >= 0)[:, :, None])
            mask = _mask(unit, place, self._near)
            every = mask(self._see) if see is None else None
            for number in range(body.lower, body.layers):
                layer = self.layers[str(number)]
                x = layer(x, mask(layer.see) if every is None else every)
            return self.drop(_pooled(x, unit))

        def _alone(self, units: Sequence[Any]) -> tuple[Any, NDArray[np.int64]]:
            """The states of each unit read by itself, [units, kept, size], and their numbers."""
            longest = max(len(ids) for ids in units)
            given = np.zeros((len(units), longest), dtype=np.int64)
            places = np.full((len(units), longest), kept, dtype=np.int64)
            for row, ids in enumerate(units):
                given[row, : len(ids)] = ids
                places[row, : len(ids)] = slots(len(ids), kept)
            member = functional.one_hot(torch.from_numpy(places), kept + 1)[:, :, :kept].float()
            x = self._embedded(torch.from_numpy(given))
            mask = torch.where(member.sum(2) > 0, 0.0, AWAY)[:, None, None, :]
            for number in range(body.lower):
                x = self.layers[str(number)](x, mask)
            counts = member.sum(1)
            states = member.transpose(1, 2) @ x / counts.clamp(min=1)[:, :, None]
            return states, (counts > 0).sum(1).numpy()

        def _embedded(self, ids: Any) -> Any:
            given = self._given
            x = given["words"][ids] + given["positions"][: ids.shape[1]]
            scale, shift = given["embed.weight"], given["embed.bias"]
            return functional.layer_norm(x, (size,), scale, shift, body.epsilon)

    return Reader


def _stacked(units: Sequence[Any], kept: int) -> tuple[Any, NDArray[np.int64]]:
    """States that are known already, as ``_alone`` gives them."""
    torch = need_torch()
    states = np.zeros((len(units), kept, units[0].shape[1]), dtype=np.float32)
    for row, known in enumerate(units):
        states[row, : len(known)] = known
    return torch.from_numpy(states), np.array([len(known) for known in units])


def _places(
    texts: Sequence[Sequence[Unit]], counts: NDArray[np.int64], kept: int
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


def _mask(unit: Any, place: NDArray[np.int64], near: Any) -> Callable[[Any], Any]:
    """From ``see`` to [B, heads, L, L], added to attention: padding is away, other units by see.

    States of the own unit count by ``near``, if there is such a thing.
    """
    torch = need_torch()
    other = (unit[:, :, None] != unit[:, None, :]).float()[:, None]
    rest = torch.where(unit < 0, AWAY, 0.0)[:, None, None, :]
    if near is not None:
        gap = torch.from_numpy(np.stack([gaps(row, row) for row in place]))
        rest = rest + near[gap].permute(0, 3, 1, 2) * (1 - other)
    return lambda see: see[:, None, None] * other + rest


def _pooled(x: Any, unit: Any) -> Any:
    """Each unit as the mean of its states and the first of them, [B, units, 2 D]."""
    torch = need_torch()
    pad = unit < 0
    member = torch.nn.functional.one_hot(unit.clamp(min=0)).float() * (~pad)[:, :, None]
    mean = member.transpose(1, 2) @ x / member.sum(1).clamp(min=1)[:, :, None]
    opens = torch.cat([unit[:, :1] >= 0, unit[:, 1:] != unit[:, :-1]], 1) & ~pad
    return torch.cat([mean, (member * opens[:, :, None]).transpose(1, 2) @ x], -1)
