"""Fine-tuning the cross-encoder in torch: labelled pairs in, weights out; resumable."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import atomic
from fabula.core.progress import track
from fabula.core.training import has_halves, need_torch, one_thread
from fabula.errors import DamagedFile
from fabula.pairs.items import LABELS, NEGATED, Pair
from fabula.pairs.models.cross_encoder.encoding import (
    HIDDEN,
    Sequence2,
    sequence_of,
    word_pieces,
)
from fabula.pairs.models.cross_encoder.workers import GradientWorkers
from fabula.text.transformer.joint_inference import MASKED
from fabula.text.transformer.joint_training import batches, layer_class
from fabula.text.transformer.spec import Backbone, relative_position_buckets

__all__ = ["Plan", "accuracy", "build_network", "train"]

_log = logging.getLogger("fabula.pairs")

Floats = NDArray[np.float32]
PIECES = 2048  # word pieces of a batch, with the padding: some 64 pairs
_SWAPPED = 0.25  # share of pairs that are shown the other way round
_WARMUP = 100  # steps


class Plan(NamedTuple):
    """How long and how fast to train, and where to keep what was reached."""

    epochs: int = 2
    rate: float = 1.5e-4  # of the layers; the head, which starts untrained, learns 3 times as fast
    seed: int = 0
    checkpoint: Path | None = None  # a file; training goes on from it
    stop: int | None = None  # steps after which the training ends early, at the rate it has then
    minutes: float = 4.0  # between two checkpoints
    workers: int = 1  # processes, each of which takes a share of every batch


class _Item(NamedTuple):
    sequence: Sequence2
    allowed: tuple[float, ...]  # the labels that may be right; all: none is known
    same: float  # 1 or 0; -1: not known


def train(
    pairs: Sequence[Pair],
    dev: Sequence[Pair],
    body: Backbone,
    plan: Plan,
    start: Mapping[str, Floats] | None = None,
) -> dict[str, Floats]:
    """The trained weights by name, by AdamW with a linearly decaying rate; ``start`` to go on from.

    Every step draws its dropout from its own number, so that a training that was interrupted and
    resumed gives the same weights, with the same number of workers.
    """
    torch = need_torch()
    rng = random.Random(plan.seed)
    items = _items(pairs, body)
    steps: list[list[_Item]] = []
    for _ in range(plan.epochs):
        shown = [swapped if rng.random() < _SWAPPED else item for item, swapped in items]
        steps += batches(shown, lambda item: len(item.sequence.ids), PIECES, rng)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(plan.seed)
        net = build_network(body)
        if start is not None:
            net.load_state_dict({name: torch.from_numpy(value) for name, value in start.items()})
        _run(net, steps, plan, lambda: accuracy(net, dev, body))
    return {name: value.detach().numpy().copy() for name, value in net.named_parameters()}


def _run(net: Any, steps: Sequence[list[_Item]], plan: Plan, score: Callable[[], str]) -> None:
    torch = need_torch()
    groups = [
        {"params": [p for n, p in net.named_parameters() if n.startswith("layers.") == inner],
         "lr": plan.rate * factor}
        for inner, factor in ((True, 1.0), (False, 3.0))
    ]  # fmt: skip
    adam = torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.01)
    peaks = [group["lr"] for group in adam.param_groups]
    done = _resume(net, adam, plan.checkpoint, len(steps))
    saved, losses = time.monotonic(), []
    net.train()
    end = len(steps) if plan.stop is None else min(plan.stop, len(steps))
    workers = GradientWorkers(net, _loss, steps, count=plan.workers, seed=plan.seed)
    for step in track(range(done, end), "training"):
        factor = min(1.0, (step + 1) / _WARMUP) * max(0.02, 1 - step / len(steps))
        for group, peak in zip(adam.param_groups, peaks, strict=True):
            group["lr"] = peak * factor
        losses.append(workers.gradients(step))
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()
        last = step + 1 == end
        if time.monotonic() - saved > 60 * plan.minutes or last:
            if plan.checkpoint is not None:
                _save(net, adam, plan.checkpoint, step + 1, len(steps))
            mean = float(np.mean(losses[-500:]))
            _log.info("step %d of %d: loss %.4f, %s", step + 1, len(steps), mean, score())
            saved = time.monotonic()
    workers.close()


def _save(net: Any, adam: Any, path: Path, step: int, steps: int) -> None:
    from safetensors.torch import save_file

    tensors = {f"net.{name}": value.detach() for name, value in net.named_parameters()}
    for name, parameter in net.named_parameters():
        for moment, value in adam.state[parameter].items():
            tensors[f"adam.{moment}.{name}"] = value.detach().clone()
    with atomic(path) as temporary:
        save_file(tensors, str(temporary), {"step": str(step), "steps": str(steps)})


def _resume(net: Any, adam: Any, path: Path | None, steps: int) -> int:
    """Take over a checkpoint's weights and moments; the number of steps that it had done."""
    if path is None or not path.is_file():
        return 0
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        meta = file.metadata()
        if int(meta["steps"]) != steps:
            raise DamagedFile(f"{path}: a checkpoint of another training; remove it")
        weights = {name: file.get_tensor(f"net.{name}") for name, _ in net.named_parameters()}
        net.load_state_dict(weights)
        stored = set(file.keys())
        for name, parameter in net.named_parameters():
            moments = {m: f"adam.{m}.{name}" for m in ("step", "exp_avg", "exp_avg_sq")}
            if stored.issuperset(moments.values()):  # a head without labels is not trained
                adam.state[parameter] = {m: file.get_tensor(key) for m, key in moments.items()}
    _log.info("going on from step %s of %d, %s", meta["step"], steps, path)
    return int(meta["step"])


def _items(pairs: Sequence[Pair], body: Backbone) -> list[tuple[_Item, _Item]]:
    """Each pair as it is, and the other way round: then a contradiction is one, and what follows
    or does not is only known not to contradict."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a, pair.b)))
    pieces = dict(zip(texts, word_pieces(texts, body), strict=True))
    items = []
    for pair in pairs:
        a, b = pieces[pair.a], pieces[pair.b]
        allowed, swapped = _allowed(pair.label)
        same = -1.0 if pair.same is None else float(pair.same)
        items.append(
            (
                _Item(sequence_of(a, b, body), allowed, same),
                _Item(sequence_of(b, a, body), swapped, same),
            )
        )
    return items


def _allowed(label: str | None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if label is None:
        return (1.0,) * 3, (1.0,) * 3
    if label in NEGATED:
        allowed = tuple(float(known != NEGATED[label]) for known in LABELS)
        return allowed, allowed if label == "not_contradiction" else (1.0,) * 3
    allowed = tuple(float(known == label) for known in LABELS)
    return allowed, allowed if label == "contradiction" else (1.0, 1.0, 0.0)


def build_network(body: Backbone) -> Any:
    """The network as a torch module; its parameters have the names of the stored weights."""
    torch = need_torch()
    nn, functional = torch.nn, torch.nn.functional
    size = body.dimension
    layer_type = layer_class(body)
    tables = {name: torch.from_numpy(part) for name, part in body.embeddings().items()}

    class CrossEncoderNetwork(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleDict({str(n): layer_type() for n in range(body.layers)})
            weights = body.layer_weights(range(body.layers))
            self.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
            self.second = nn.Parameter(tables["second"].clone())
            self.compare = nn.Linear(5 * size, HIDDEN)
            self.relation, self.same = nn.Linear(HIDDEN, 3), nn.Linear(HIDDEN, 1)
            self.drop = nn.Dropout(0.1)

        def forward(self, sequences: Sequence[Sequence2]) -> tuple[Any, Any]:
            longest = max(len(sequence.ids) for sequence in sequences)
            ids = np.zeros((len(sequences), longest), dtype=np.int64)
            part = np.full((len(sequences), longest), 3, dtype=np.int64)  # 3: padding
            for row, (pieces, second) in enumerate(sequences):
                ids[row, : len(pieces)] = pieces
                part[row, 0] = 0
                part[row, 1:second] = 1
                part[row, second : len(pieces)] = 2
            halves = self.training and has_halves()
            with torch.autocast("cpu", torch.bfloat16, enabled=halves):
                x = self._states(torch.from_numpy(ids), torch.from_numpy(part))
            member = functional.one_hot(torch.from_numpy(part), 4)[:, :, :3].float()
            means = member.transpose(1, 2) @ x.float() / member.sum(1)[:, :, None]
            first, a, b = means.unbind(1)
            pooled = self.drop(torch.cat([first, a, b, (a - b).abs(), a * b], 1))
            hidden = self.drop(torch.relu(self.compare(pooled)))
            return self.relation(hidden), self.same(hidden)[:, 0]

        def _states(self, ids: Any, part: Any) -> Any:
            x = tables["words"][ids] + tables["positions"][: ids.shape[1]]
            x = x + (part == 2)[:, :, None] * self.second
            x = functional.layer_norm(
                x, (size,), tables["embed.weight"], tables["embed.bias"], body.epsilon
            )
            mask = torch.where(part == 3, MASKED, 0.0)[:, None, None, :]
            if body.relative_positions:
                place = np.arange(ids.shape[1])
                near = tables["near"][torch.from_numpy(relative_position_buckets(place, place))]
                mask = mask + near.permute(2, 0, 1)[None]
            x = self.drop(x)
            for number in range(body.layers):
                x = self.layers[str(number)](x, mask)
            return x

    return CrossEncoderNetwork()


def _loss(net: Any, items: Sequence[_Item]) -> Any:
    """Cross-entropy of the labels that may be right, summed, and of ``same``, where known."""
    torch = need_torch()
    functional = torch.nn.functional
    relation, same = net([item.sequence for item in items])
    allowed = torch.tensor([item.allowed for item in items])
    likely = torch.logsumexp(relation.log_softmax(1) + allowed.clamp(min=1e-30).log(), 1)
    known = allowed.sum(1) < len(LABELS)
    gold = torch.tensor([item.same for item in items])
    loss = -(likely * known).sum()
    asked = gold >= 0
    if asked.any():
        loss = loss + functional.binary_cross_entropy_with_logits(
            same[asked], gold[asked], reduction="sum"
        )
    return loss


def accuracy(net: Any, pairs: Sequence[Pair], body: Backbone) -> str:
    """Development accuracy as the log shows it: of the labels, and of ``same``."""
    torch = need_torch()
    if not pairs:
        return "no development pairs"
    net.eval()
    rights: dict[str, list[float]] = {"labels": [], "same": []}
    items = sorted((item for item, _ in _items(pairs, body)), key=lambda i: len(i.sequence.ids))
    with torch.no_grad():
        for start in range(0, len(items), 64):
            chunk = items[start : start + 64]
            relation, same = net([item.sequence for item in chunk])
            for item, best, value in zip(chunk, relation.argmax(1), same, strict=True):
                if sum(item.allowed) < len(LABELS):
                    rights["labels"].append(item.allowed[int(best)])
                if item.same >= 0:
                    rights["same"].append(float((float(value) > 0) == (item.same == 1)))
    net.train()
    shown = [f"{name} {np.mean(r):.4f} of {len(r)}" for name, r in rights.items() if r]
    return "development accuracy: " + ", ".join(shown)
