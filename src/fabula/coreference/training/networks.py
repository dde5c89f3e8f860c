"""Training of the antecedent scorer in torch: network, loss, loop; the weights for numpy out.

The loss of an anaphor is the negative log of the probability of all its right candidates (or of
none); where only wrong candidates are known, of everything else.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.training import need_torch
from fabula.coreference.training.examples import Anaphor
from fabula.text.coref.learned.network import GLOBAL_FEATURES

__all__ = ["fit_scorer"]

log = logging.getLogger("fabula.coreference")

Floats = NDArray[np.float32]
_HIDDEN = 64
_WARMUP = 60
_BATCH = 16  # groups
_ABSENT = -1e4  # logit of a candidate that is none


def fit_scorer(
    groups: Sequence[Sequence[Anaphor]], *, epochs: int, rate: float, seed: int = 0
) -> dict[str, Floats]:
    """Train one network of features on groups of anaphors, those of one text together."""
    torch = need_torch()
    torch.manual_seed(seed)
    rng = random.Random(seed)
    rows = np.concatenate([anaphor.features for group in groups for anaphor in group])
    network = _network(rows.mean(axis=0), rows.std(axis=0) + 1e-2)
    adam = torch.optim.AdamW(network.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01)
    steps = epochs * -(-len(groups) // _BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min(1, (step + 1) / _WARMUP) * max(0.02, 1 - step / steps)
    )
    for epoch in range(epochs):
        total, count = 0.0, 0
        for anaphors in _batches(groups, rng):
            losses = _losses(torch, anaphors, network(anaphors))
            adam.zero_grad()
            (losses.sum() / max(8, len(anaphors))).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            schedule.step()
            total, count = total + float(losses.detach().sum()), count + len(anaphors)
        log.info("epoch %d: loss %.3f", epoch + 1, total / count)
    return {
        name: np.asarray(value.detach().numpy(), dtype=np.float32)
        for name, value in network.state_dict().items()
    }


def _batches(groups: Sequence[Sequence[Anaphor]], rng: random.Random) -> list[list[Anaphor]]:
    """The anaphors of several groups together, shuffled."""
    order = sorted(groups, key=lambda _: rng.random())
    batches = [
        [anaphor for group in order[i : i + _BATCH] for anaphor in group]
        for i in range(0, len(order), _BATCH)
    ]
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


def _network(mean: Floats, deviation: Floats) -> Any:
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional

    class Network(nn.Module):  # type: ignore[misc, name-defined]
        """A member of ``network.Scorer``, under the same names."""

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("mean", torch.from_numpy(mean))
            self.register_buffer("deviation", torch.from_numpy(deviation))
            widths = [len(mean), _HIDDEN, _HIDDEN, 1]
            self.features = nn.ModuleList(map(nn.Linear, widths, widths[1:]))
            self.none = nn.ModuleList([nn.Linear(GLOBAL_FEATURES + 1, 16), nn.Linear(16, 1)])
            self.drop = nn.Dropout(0.2)

        def mlp(self, parts: Any, x: Any, drop: bool = False) -> Any:
            for number, part in enumerate(parts):
                if number:
                    x = functional.relu(x)
                    x = self.drop(x) if drop else x
                x = part(x)
            return x[..., 0]

        def forward(self, anaphors: Sequence[Anaphor]) -> Any:
            """Logits [anaphors, candidates + 1]; none is last."""
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
            logits = torch.full(shape, _ABSENT).index_put((owner, column), scores)
            return torch.cat([logits, none[:, None]], 1)

    return Network()
