"""Training of the antecedent scorers in torch: networks, loss, loop; the weights for numpy out.

The loss of an anaphor is the negative log of the probability of all its right candidates (or of
none); where only wrong candidates are known, of everything else.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import has_halves, need_torch
from fabula.coreference.training.examples import Anaphor
from fabula.text.coref.learned.network import GLOBAL_FEATURES
from fabula.text.transformer.spec import MINILM

__all__ = ["Reading", "fit_scorer", "logits_of"]

log = logging.getLogger("fabula.coreference")

Floats = NDArray[np.float32]
_HIDDEN, _PAIR_HIDDEN = 64, 128
_WARMUP = 60
_BATCH = 16  # windows
_ABSENT = -1e4  # logit of a candidate that is none


@dataclass(slots=True)
class Reading:
    """A window's word pieces, and the anaphors in it with the rows of their states."""

    ids: list[int]
    anaphors: list[tuple[Anaphor, int, list[list[int]]]]


def fit_scorer(
    readings: Sequence[Reading],
    *,
    layers: int,
    frozen: int = 0,
    epochs: int,
    rate: float,
    head_rate: float,
    seed: int = 0,
    after_epoch: Callable[[Any], str] = lambda network: "",
) -> tuple[Any, dict[str, Floats]]:
    """Train a scorer of features and, with ``layers`` of MiniLM, of states; network and weights.

    The first ``frozen`` layers stay as they are packaged, and are not among the weights.
    """
    torch = need_torch()
    torch.manual_seed(seed)
    rng = random.Random(seed)
    rows = np.concatenate([a.features for r in readings for a, _, _ in r.anaphors])
    network = _network(rows.mean(axis=0), rows.std(axis=0) + 1e-2, layers, frozen)
    groups: dict[float, list[Any]] = {rate: [], head_rate: []}
    for name, parameter in network.named_parameters():
        if not parameter.requires_grad:
            continue
        groups[rate if name.startswith("layers.") else head_rate].append(parameter)
    adam = torch.optim.AdamW(
        [{"params": parts, "lr": peak} for peak, parts in groups.items() if parts],
        betas=(0.9, 0.98),
        weight_decay=0.01,
    )
    steps = epochs * -(-len(readings) // _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min(1, (step + 1) / _WARMUP) * max(0.02, 1 - step / steps)
    )
    for epoch in range(epochs):
        network.train()
        clock, total, count = time.perf_counter(), 0.0, 0
        for batch in _batches(readings, rng):
            anaphors = [anaphor for reading in batch for anaphor, _, _ in reading.anaphors]
            losses = _losses(torch, anaphors, network(batch))
            loss = losses.sum() / max(8, len(anaphors))
            adam.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            schedule.step()
            total, count = total + float(losses.detach().sum()), count + len(anaphors)
        seconds = time.perf_counter() - clock
        log.info(
            "epoch %d: loss %.3f, %.0f s %s",
            epoch + 1,
            total / count,
            seconds,
            after_epoch(network),
        )
    network.eval()
    packaged = tuple(f"layers.{number}." for number in range(frozen))
    weights = {
        name: np.asarray(value.detach().numpy(), dtype=np.float32)
        for name, value in network.state_dict().items()
        if not name.startswith(packaged)
    }
    return network, weights


def logits_of(network: Any, readings: Sequence[Reading]) -> list[tuple[Anaphor, Floats]]:
    """The logits of every anaphor's candidates and, last, of none."""
    torch = need_torch()
    network.eval()
    found = []
    with torch.no_grad():
        for start in range(0, len(readings), _BATCH):
            batch = readings[start : start + _BATCH]
            anaphors = [anaphor for reading in batch for anaphor, _, _ in reading.anaphors]
            for anaphor, row in zip(anaphors, network(batch).numpy(), strict=True):
                found.append((anaphor, np.append(row[: len(anaphor.mentions)], row[-1])))
    return found


def _batches(readings: Sequence[Reading], rng: random.Random) -> list[list[Reading]]:
    """Windows of about equal length together, shuffled."""
    ordered = sorted(readings, key=lambda reading: len(reading.ids) + 20 * rng.random())
    batches = [list(ordered[i : i + _BATCH]) for i in range(0, len(ordered), _BATCH)]
    rng.shuffle(batches)
    return batches


def _losses(torch: Any, anaphors: Sequence[Anaphor], logits: Any) -> Any:
    """The weighted loss of each anaphor, from logits [anaphors, candidates and none]."""
    target = np.full(logits.shape, _ABSENT, dtype=np.float32)
    for row, anaphor in enumerate(anaphors):
        if anaphor.right:
            target[row, anaphor.right] = 0
        elif anaphor.wrong:
            target[row] = 0
            target[row, anaphor.wrong] = _ABSENT
        else:
            target[row, -1] = 0
    weights = torch.tensor([anaphor.weight for anaphor in anaphors])
    logs = logits.log_softmax(1) + torch.from_numpy(target)
    return -weights * torch.logsumexp(logs, 1)


def _network(mean: Floats, deviation: Floats, depth: int, frozen: int) -> Any:
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional
    body = MINILM
    size = body.dimension

    class Layer(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.n1, self.n2 = (nn.LayerNorm(size, eps=body.epsilon) for _ in range(2))
            self.qkv, self.out = nn.Linear(size, 3 * size), nn.Linear(size, size)
            self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)
            self.drop = nn.Dropout(0.1)

        def forward(self, x: Any, mask: Any) -> Any:
            batch, length, _ = x.shape
            split = self.qkv(x).view(batch, length, 3, body.heads, body.head_size)
            q, k, v = split.permute(2, 0, 3, 1, 4)
            shares = (q @ k.transpose(2, 3) * body.head_size**-0.5 + mask).softmax(-1)
            attended = (shares.to(v.dtype) @ v).transpose(1, 2).reshape(batch, length, size)
            x = self.n1(x + self.drop(self.out(attended)))
            return self.n2(x + self.drop(self.down(functional.gelu(self.up(x)))))

    class Network(nn.Module):  # type: ignore[misc, name-defined]
        """The scorer of ``network.Scorer``, under the same names, and MiniLM's layers."""

        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleDict({str(n): Layer() for n in range(depth)})
            if depth:
                packaged = body.layer_weights(range(depth))
                self.load_state_dict(
                    {name: torch.from_numpy(np.array(part)) for name, part in packaged.items()}
                )
                for number in range(frozen):
                    self.layers[str(number)].requires_grad_(False).drop.p = 0.0
                tables = body.embeddings()
                self._tables = {k: torch.from_numpy(np.array(v)) for k, v in tables.items()}
            self.register_buffer("mean", torch.from_numpy(mean))
            self.register_buffer("deviation", torch.from_numpy(deviation))
            widths = [len(mean), _HIDDEN, _HIDDEN, 1]
            self.features = nn.ModuleList(map(nn.Linear, widths, widths[1:]))
            self.none = nn.ModuleList([nn.Linear(GLOBAL_FEATURES + 1, 16), nn.Linear(16, 1)])
            if depth:
                self.pair = nn.ModuleList(
                    [nn.Linear(3 * size, _PAIR_HIDDEN), nn.Linear(_PAIR_HIDDEN, 1)]
                )
                self.anaphor = nn.ModuleList([nn.Linear(size, 32), nn.Linear(32, 1)])
            self.drop = nn.Dropout(0.2)

        def mlp(self, parts: Any, x: Any, drop: bool = False) -> Any:
            for number, part in enumerate(parts):
                if number:
                    x = functional.relu(x)
                    x = self.drop(x) if drop else x
                x = part(x)
            return x[..., 0]

        def states(self, batch: Sequence[Reading]) -> Any:
            longest = max(len(reading.ids) for reading in batch)
            ids = torch.zeros(len(batch), longest, dtype=torch.long)
            mask = torch.full((len(batch), 1, 1, longest), -1e4)
            for row, reading in enumerate(batch):
                ids[row, : len(reading.ids)] = torch.tensor(reading.ids)
                mask[row, :, :, : len(reading.ids)] = 0
            tables = self._tables
            x = tables["words"][ids] + tables["positions"][:longest]
            x = functional.layer_norm(
                x, (size,), tables["embed.weight"], tables["embed.bias"], body.epsilon
            )
            with torch.autocast("cpu", torch.bfloat16, enabled=self.training and has_halves()):
                for number, layer in self.layers.items():
                    with torch.set_grad_enabled(torch.is_grad_enabled() and int(number) >= frozen):
                        x = layer(x, mask)
            return self.drop(x.float())

        def forward(self, batch: Sequence[Reading]) -> Any:
            """Logits [anaphors, candidates + 1] of all anaphors of the windows; none is last."""
            anaphors = [anaphor for reading in batch for anaphor, _, _ in reading.anaphors]
            sizes = [len(anaphor.features) for anaphor in anaphors]
            owner = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
            column = torch.cat([torch.arange(size) for size in sizes])
            features = torch.from_numpy(np.concatenate([a.features for a in anaphors]))
            scores = self.mlp(self.features, (features - self.mean) / self.deviation, drop=True)
            shape = len(sizes), max(sizes)
            alone = torch.full(shape, _ABSENT).index_put((owner, column), scores.detach())
            first = torch.from_numpy(np.stack([a.features[0, :GLOBAL_FEATURES] for a in anaphors]))
            total = 0.2 * torch.logsumexp(alone, 1, keepdim=True)
            none = self.mlp(self.none, torch.cat([first, total], 1))
            if depth:
                states = self.states(batch)
                rows = [row for row, reading in enumerate(batch) for _ in reading.anaphors]
                at = [place for reading in batch for _, place, _ in reading.anaphors]
                own = states[rows, at]
                scores = scores + self.best_pairs(states, batch, own)
                none = none + self.mlp(self.anaphor, own)
            logits = torch.full(shape, _ABSENT).index_put((owner, column), scores)
            return torch.cat([logits, none[:, None]], 1)

        def best_pairs(self, states: Any, batch: Sequence[Reading], own: Any) -> Any:
            """Of each candidate the best score of one of its mentions; 0 where none is read."""
            windows, places, anaphors, candidates = [], [], [], []
            anaphor_number = candidate_number = 0
            for row, reading in enumerate(batch):
                for _, _, mentions in reading.anaphors:
                    for candidate in mentions:
                        windows += [row] * len(candidate)
                        places += candidate
                        anaphors += [anaphor_number] * len(candidate)
                        candidates += [candidate_number] * len(candidate)
                        candidate_number += 1
                    anaphor_number += 1
            best = torch.zeros(candidate_number)
            if not places:
                return best
            other, mine = states[windows, places], own[anaphors]
            scores = self.mlp(self.pair, torch.cat([mine, other, mine * other], 1))
            index = torch.tensor(candidates)
            return best.scatter_reduce(0, index, scores, "amax", include_self=False)

    return Network()
