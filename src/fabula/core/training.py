"""How torch models are trained: Lightning's loop, kept quiet, with fabula's own progress bars."""

from __future__ import annotations

import logging
import os
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from fabula.core.progress import track
from fabula.errors import DamagedFile, MissingPart

__all__ = [
    "Devices",
    "filled",
    "has_halves",
    "is_first",
    "keep_back",
    "learn",
    "need_lightning",
    "need_torch",
    "on_devices",
    "one_thread",
]

Item = TypeVar("Item")


def keep_back(
    items: Sequence[Item], seed: int, share: float = 0.05
) -> tuple[list[Item], list[Item]]:
    """The items to train on, and a random share of them to know when to stop.

    At least one is kept back; a single item has to do for both.
    """
    number = max(1, int(share * len(items)))
    kept = set(random.Random(seed).sample(range(len(items)), number))
    rest = [item for i, item in enumerate(items) if i not in kept]
    return rest or list(items), [items[i] for i in sorted(kept)]


def filled(network: Any, weights: Mapping[str, Any], name: str) -> Any:
    """The network with these weights (numpy arrays), for inference; ``name`` is for the error."""
    torch = need_torch()
    try:
        network.load_state_dict({key: torch.from_numpy(value) for key, value in weights.items()})
    except RuntimeError as error:
        raise DamagedFile(f"{name}: the weights do not fit: {error}") from error
    return network.eval()


def has_halves() -> bool:
    """Whether this processor multiplies bfloat16; others are slower with them than with floats."""
    tell = getattr(need_torch().cpu, "get_capabilities", dict)  # an older torch cannot
    able: dict[str, Any] = tell()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


@dataclass(slots=True)
class Devices:
    """What Lightning trains on: how many devices, by which of its strategies.

    The default strategy is its distributed data parallel one: as many processes, each of which
    takes its share of every epoch's batches, with equal weights in all after every step. Lightning
    starts the others by running the same program again, so this is for programs (``fabula train``),
    not for a notebook.
    """

    number: int = 1
    strategy: str = "ddp_find_unused_parameters_true"
    accelerator: str = "cpu"
    used: bool = False  # whether anything was trained by Lightning at all

    def options(self) -> dict[str, Any]:
        """What to tell the Trainer."""
        if self.number == 1:
            return {"accelerator": self.accelerator}
        how = {"accelerator": self.accelerator, "devices": self.number, "strategy": self.strategy}
        return {**how, "use_distributed_sampler": False}  # our batches share themselves out


_chosen: ContextVar[Devices | None] = ContextVar("fabula_devices", default=None)


@contextmanager
def on_devices(devices: Devices) -> Iterator[Devices]:
    """Train on these devices whatever is trained by ``learn`` inside the block."""
    token = _chosen.set(devices)
    try:
        yield devices
    finally:
        _chosen.reset(token)


def is_first() -> bool:
    """Whether this process is the one that saves and speaks, of those that train together."""
    names = ("LOCAL_RANK", "NODE_RANK", "GROUP_RANK")
    return all(os.environ.get(name, "0") == "0" for name in names)


def learn(
    learner: Any, training: Any, validating: Any = None, *, epochs: int, **options: Any
) -> None:
    """Fit a LightningModule on batches that know their number; ``options`` go to the Trainer."""
    lightning = need_lightning()
    devices = _chosen.get() or Devices()
    devices.used = True
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    trainer = lightning.Trainer(
        max_epochs=epochs,
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
        **devices.options(),
        **options,
    )
    with warnings.catch_warnings():
        # Lightning suggests worker processes for loading; the data is in memory already.
        warnings.simplefilter("ignore")
        shown = _Shown(training, epochs, trainer.global_rank, trainer.world_size)
        trainer.fit(learner, shown, validating)


class _Shown:
    """Batches with a bar for each epoch; of several processes, each takes its own.

    All draw the batches in the same order, being seeded alike, and take as many: what does not
    come out even is left for another epoch's order.
    """

    def __init__(self, batches: Any, epochs: int, rank: int = 0, world: int = 1) -> None:
        self.batches = batches
        self.epochs = epochs
        self.epoch = 0
        self.rank, self.world = rank, min(world, max(1, len(batches)))

    def __len__(self) -> int:
        return len(self.batches) // self.world

    def __iter__(self) -> Iterator[Any]:
        # A generator: Lightning makes iterators that it never reads, and they are no epochs.
        self.epoch += 1
        shown = track(self.batches, f"training, epoch {self.epoch} of at most {self.epochs}")
        if self.world == 1:
            yield from shown
            return
        every = islice(shown, len(self) * self.world)
        yield from islice(every, self.rank % self.world, None, self.world)


@contextmanager
def one_thread() -> Iterator[None]:
    """An LSTM goes word by word over small matrices: threads would mostly wait for each other."""
    torch = need_torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def need_torch() -> Any:
    """torch, or an error with the line that installs it."""
    try:
        import torch
    except ImportError as error:
        raise MissingPart("torch", 'pip install "fabula[train]"') from error
    return torch


def need_lightning() -> Any:
    """lightning, or an error with the line that installs it."""
    try:
        import lightning
    except ImportError as error:
        raise MissingPart("lightning", 'pip install "fabula[train]"') from error
    return lightning
