"""Training the joint layers, in torch: binary cross-entropy over all pairs of a text."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.learning import need_torch, one_thread
from fabula.ordering.joint import HEAD_SIZE
from fabula.progress import track

__all__ = ["network", "pooled", "spread_masks", "teach", "train"]

Floats = NDArray[np.float32]
Text = Sequence[NDArray[np.float16]]  # the states of the units, in their right order


def train(
    texts: Sequence[Text],
    *,
    width: int,
    epochs: float,
    rate: float,
    batch_states: int,
    seed: int,
) -> dict[str, Floats]:
    """The trained weights by name."""
    return teach(lambda: network(width), lambda name: rate, texts, epochs, batch_states, seed)


def teach(
    make: Callable[[], Any],
    rate_of: Callable[[str], float],
    texts: Sequence[Text],
    epochs: float,
    batch_states: int,
    seed: int,
    warm: int = 80,
) -> dict[str, Floats]:
    """Train a network from states and units to pair scores; its weights by name.

    ``rate_of`` says how fast a parameter learns. Rates rise over ``warm`` steps, then fall to
    almost nothing.
    """
    torch = need_torch()
    rng = random.Random(seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = make()
        groups: dict[float, list[Any]] = {}
        for name, parameter in net.named_parameters():
            groups.setdefault(rate_of(name), []).append(parameter)
        optimiser = torch.optim.AdamW(
            [{"params": some, "top": top} for top, some in groups.items()],
            betas=(0.9, 0.98),
            weight_decay=0.01,
        )
        plan: list[list[tuple[Text, list[int]]]] = []
        while len(plan) == 0 or epochs > 0:
            fresh = _batches(_items(texts, rng), batch_states, rng)
            plan += fresh[: max(1, round(len(fresh) * min(epochs, 1)))]
            epochs -= 1
        for step, items in enumerate(track(plan, "training on pairs")):
            share = min(1, (step + 1) / warm) * max(0.02, 1 - step / len(plan))
            for group in optimiser.param_groups:
                group["lr"] = group["top"] * share
            optimiser.zero_grad()
            _loss(net, items).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
    return {name: value.detach().numpy().copy() for name, value in net.state_dict().items()}


def _items(texts: Sequence[Text], rng: random.Random) -> list[tuple[Text, list[int]]]:
    """Each text once, two in five with units left out: what is left still has one right order."""
    items = []
    for text in texts:
        kept = list(range(len(text)))
        if len(kept) > 3 and rng.random() < 0.4:
            kept = sorted(rng.sample(kept, rng.randint(3, len(kept))))
        items.append((text, kept))
    return items


def _batches(
    items: list[tuple[Text, list[int]]], most: int, rng: random.Random
) -> list[list[tuple[Text, list[int]]]]:
    """Texts of like length together, at most ``most`` states a batch with the padding."""
    sized = [(sum(len(text[i]) for i in kept), rng.random(), (text, kept)) for text, kept in items]
    batches: list[list[tuple[Text, list[int]]]] = []
    room = 0
    for size, _, item in sorted(sized, key=lambda one: one[:2]):
        if not batches or size * (len(batches[-1]) + 1) > room:
            batches.append([])
            room = max(most, size)
        batches[-1].append(item)
    rng.shuffle(batches)
    return batches


def _loss(net: Any, items: list[tuple[Text, list[int]]]) -> Any:
    import torch
    from torch.nn import functional

    longest = max(sum(len(text[i]) for i in kept) for text, kept in items)
    x = np.zeros((len(items), longest, items[0][0][0].shape[1]), dtype=np.float32)
    unit = np.full((len(items), longest), -1)
    for row, (text, kept) in enumerate(items):
        at = 0
        for place, index in enumerate(kept):
            states = text[index]
            x[row, at : at + len(states)] = states
            unit[row, at : at + len(states)] = place
            at += len(states)
    logits = net(torch.from_numpy(x), torch.from_numpy(unit))
    size = logits.shape[1]
    first, second = torch.triu_indices(size, size, 1)
    number = torch.tensor([len(kept) for _, kept in items])
    real = (second[None] < number[:, None]).float()
    losses = functional.softplus(-logits[:, first, second]) * real
    return (losses.sum(1) / real.sum(1)).mean()


def network(width: int) -> Any:
    """The network as a torch module; its parameters have the names that ``joint`` reads."""
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

        def forward(self, x: Any, mask: Any) -> Any:
            batch, length, _ = x.shape
            heads = width // HEAD_SIZE
            split = self.qkv(self.n1(x)).view(batch, length, 3, heads, HEAD_SIZE)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
            x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
            return x + self.down(functional.gelu(self.up(self.n2(x))))

    class Joint(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.inp = nn.Sequential(nn.LayerNorm(384), nn.Linear(384, width))
            self.layers = nn.ModuleList(Layer() for _ in range(2))
            self.norm, self.drop = nn.LayerNorm(width), nn.Dropout(0.1)
            self.a = nn.Linear(2 * width, width // 2)
            self.b = nn.Linear(2 * width, width // 2, bias=False)
            self.w = nn.Linear(width // 2, 1, bias=False)

        def forward(self, x: Any, unit: Any) -> Any:
            mask = spread_masks(unit, width // HEAD_SIZE)
            x = self.drop(self.inp(x))
            for layer in self.layers:
                x = layer(x, mask)
            z = self.drop(pooled(self.norm(x), unit))
            score = self.w(functional.relu(self.a(z)[:, :, None] + self.b(z)[:, None])).squeeze(-1)
            return score - score.transpose(1, 2)

    return Joint()


def spread_masks(unit: Any, heads: int) -> Any:
    """[B, heads, L, L], added to attention: half of the heads see their own unit, the rest all."""
    torch = need_torch()
    own = torch.where(unit[:, :, None] == unit[:, None, :], 0.0, -1e4)
    every = torch.where(unit < 0, -1e4, 0.0)[:, None, :].expand_as(own)
    return torch.stack([own] * (heads // 2) + [every] * (heads - heads // 2), 1)


def pooled(x: Any, unit: Any) -> Any:
    """Each unit as the mean of its states and the first of them, [B, units, 2 D]."""
    torch = need_torch()
    pad = unit < 0
    member = torch.nn.functional.one_hot(unit.clamp(min=0)).float() * (~pad)[:, :, None]
    mean = member.transpose(1, 2) @ x / member.sum(1).clamp(min=1)[:, :, None]
    opens = torch.cat([unit[:, :1] >= 0, unit[:, 1:] != unit[:, :-1]], 1) & ~pad
    return torch.cat([mean, (member * opens[:, :, None]).transpose(1, 2) @ x], -1)
