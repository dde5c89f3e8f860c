"""The training loop of all torch models, run by Lightning with fabula's own progress bars.

It seeds, trains epoch by epoch, scores each epoch on development data, stops early and keeps the
weights of the best epoch. Inside ``resumable`` it goes on within an epoch after a stop."""

from __future__ import annotations

import logging
import os
import random
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fabula.core.progress import track
from fabula.core.training.checkpoint import (
    Standing,
    next_checkpoint,
    not_resumable,
    standing_of,
    take_up,
)
from fabula.errors import DamagedFile, MissingPart

__all__ = [
    "Development",
    "Devices",
    "Epoch",
    "TrackedBatches",
    "Trained",
    "filled",
    "has_halves",
    "is_first",
    "keep_back",
    "need_lightning",
    "need_torch",
    "on_devices",
    "one_thread",
    "recorded_epochs",
    "train",
]

_log = logging.getLogger("fabula.core")

Item = TypeVar("Item")


def keep_back(
    items: Sequence[Item], seed: int, share: float = 0.05
) -> tuple[list[Item], list[Item]]:
    """Split off a random development share for early stopping: (training, development).

    At least one item is held out; a single item serves as both.
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
    """Whether this processor has bfloat16 products; without, bfloat16 is slower than float32."""
    capabilities = getattr(need_torch().cpu, "get_capabilities", dict)  # an older torch cannot
    flags: dict[str, Any] = capabilities()
    return bool(flags.get("avx512_bf16") or flags.get("amx_bf16"))


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
    max_minutes: float | None = None  # of one training
    used: bool = False  # whether anything was trained on them

    def options(self) -> dict[str, Any]:
        """The keyword arguments of Lightning's ``Trainer``."""
        options: dict[str, Any] = {"accelerator": self.accelerator}
        if self.max_minutes is not None:
            options["max_time"] = timedelta(minutes=self.max_minutes)
        if self.number > 1:  # our batches share themselves out
            options |= {"devices": self.number, "strategy": self.strategy}
            options["use_distributed_sampler"] = False
        return options


_chosen: ContextVar[Devices | None] = ContextVar("fabula_devices", default=None)
_histories: ContextVar[list[list[Epoch]] | None] = ContextVar("fabula_epochs", default=None)


@contextmanager
def on_devices(devices: Devices) -> Iterator[Devices]:
    """Every ``train`` inside the block runs on these devices."""
    token = _chosen.set(devices)
    try:
        yield devices
    finally:
        _chosen.reset(token)


@contextmanager
def recorded_epochs() -> Iterator[list[list[Epoch]]]:
    """A list to which every ``train`` inside the block adds its epochs."""
    histories: list[list[Epoch]] = []
    token = _histories.set(histories)
    try:
        yield histories
    finally:
        _histories.reset(token)


def is_first() -> bool:
    """Whether this process has rank 0, the one that saves and prints in distributed training."""
    names = ("LOCAL_RANK", "NODE_RANK", "GROUP_RANK")
    return all(os.environ.get(name, "0") == "0" for name in names)


class Epoch(NamedTuple):
    """The losses of one epoch of training."""

    loss: float  # the mean over its batches
    seconds: float  # of training alone
    score: float | None  # on the development data
    details: Mapping[str, float] = {}  # other scores of the same


class Trained(NamedTuple):
    """The weights of the best epoch (without development data: the last), and all epochs."""

    weights: dict[str, NDArray[Any]]
    epochs: list[Epoch]


@dataclass(frozen=True, slots=True)
class Development:
    """Development data: ``score(network)``, larger is better, decides which epoch is kept.

    Training stops after ``patience`` epochs in a row that gained no more than ``min_gain``.
    """

    score: Callable[[Any], float]
    patience: int | None = None  # None: all epochs are trained
    min_gain: float = 0.0
    latest: bool = False  # of equally good epochs the last is kept, not the first
    details: Callable[[], Mapping[str, float]] | None = None  # what else the last score found


def train(
    make: Callable[[], Any],
    batches: Any,
    loss: Callable[[Any, Any], Any],
    optimiser: Callable[[Any], Any],
    *,
    epochs: int,
    seed: int,
    development: Development | None = None,
    clip: float | None = None,
    single_thread: bool = True,
    distributed: bool = True,
) -> Trained:
    """Minimise ``loss(network, batch)`` over sized ``batches``, drawn anew each epoch.

    ``make`` builds the network once the seed is set. ``optimiser(network)`` gives an optimiser, or
    one with its schedule as Lightning's ``configure_optimizers`` does. ``clip`` bounds the norm of
    the gradient. ``distributed`` trainings run on the devices of ``on_devices``.
    """
    torch, lightning = need_torch(), need_lightning()

    class Learner(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            with not_resumable():
                self.network = make()
            self.best = _arrays(self.network)
            self.history: list[Epoch] = []
            self.losses: list[float] = []
            self.before = 0.0  # seconds of this epoch before a stop
            self.standing: Standing | None = None  # to be taken up

        def on_train_epoch_start(self) -> None:
            self.started = time.perf_counter()
            if self.standing is None:
                self.losses.clear()
                self.keep(0)

        def on_train_batch_start(self, batch: Any, index: int) -> None:
            if self.standing is not None and index == self.standing.batches:
                take_up(self, self.standing)
                self.history = [Epoch(*epoch) for epoch in self.standing.values["history"]]
                self.standing = None

        def on_train_batch_end(self, *_: Any) -> None:
            if 0 < len(self.losses) < len(batches):
                self.keep(len(self.losses))

        def keep(self, done: int) -> None:
            if checkpoint is not None and checkpoint.due():
                seconds = self.before + time.perf_counter() - self.started
                checkpoint.save(standing_of(self, done, seconds))

        def training_step(self, batch: Any, index: int) -> Any:
            if self.standing is not None:
                return None  # learnt from before the stop
            value = loss(self.network, batch)
            self.losses.append(float(value.detach()))
            return value

        def configure_gradient_clipping(self, *_: Any, **options: Any) -> None:
            if clip is not None:
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), clip)

        def configure_optimizers(self) -> Any:
            return optimiser(self.network)

        def on_train_epoch_end(self) -> None:
            seconds = self.before + time.perf_counter() - self.started
            self.before = 0.0
            score = None if development is None else self.develop(development)
            more = development.details() if development and development.details else {}
            self.history.append(Epoch(float(np.mean(self.losses)), seconds, score, more))
            _log.info("epoch %d: %s", len(self.history), self.history[-1])

        def develop(self, development: Development) -> float:
            self.network.eval()
            with torch.no_grad():
                score = development.score(self.network)
            self.network.train()
            scores = [epoch.score for epoch in self.history if epoch.score is not None]
            best = max(scores, default=float("-inf"))
            if score > best or (development.latest and score == best):
                self.best = _arrays(self.network)
            if development.patience is not None:
                stale = _stale([*scores, score], development.min_gain)
                stop = stale > 0 and stale >= development.patience
                strategy = self.trainer.strategy
                if strategy.reduce_boolean_decision(stop, all=False):
                    self.trainer.should_stop = True
            return score

    threads = one_thread() if single_thread else nullcontext()
    devices = (_chosen.get() if distributed else None) or Devices()
    checkpoint = next_checkpoint() if devices.number == 1 else None
    with torch.random.fork_rng(devices=[]), threads:
        torch.manual_seed(seed)
        learner = Learner()
        if len(batches):
            learner.standing = None if checkpoint is None else checkpoint.read()
            _fit(learner, batches, epochs, devices)
    histories = _histories.get()
    if histories is not None:
        histories.append(learner.history)
    weights = _arrays(learner.network) if development is None else learner.best
    return Trained(weights, learner.history)


def _stale(scores: Sequence[float], min_gain: float) -> int:
    """The number of last epochs in a row that did not beat the best before by ``min_gain``."""
    best, stale = float("-inf"), 0
    for score in scores:
        stale = 0 if score - min_gain > best else stale + 1
        best = score if stale == 0 else best
    return stale


def _arrays(network: Any) -> dict[str, NDArray[Any]]:
    return {name: value.numpy().copy() for name, value in network.state_dict().items()}


def _fit(learner: Any, batches: Any, epochs: int, devices: Devices) -> None:
    lightning = need_lightning()
    done = 0 if learner.standing is None else learner.standing.epochs
    devices.used = True
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).setLevel(logging.ERROR)
    trainer = lightning.Trainer(
        max_epochs=epochs - done,
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
        **devices.options(),
    )
    with warnings.catch_warnings():
        # Lightning suggests worker processes for loading; the data is in memory already.
        warnings.simplefilter("ignore")
        shares = (trainer.global_rank, trainer.world_size)
        trainer.fit(learner, TrackedBatches(batches, epochs, *shares, done=done))


class TrackedBatches:
    """Batches with a progress bar for each epoch; process ``rank`` of ``world`` takes its share.

    All processes draw the same order from the same seed and take equally many batches; the
    remainder of an epoch is dropped. The batches of epochs that were ``done`` before a stop are
    drawn again, and not given.
    """

    def __init__(
        self, batches: Any, epochs: int, rank: int = 0, world: int = 1, *, done: int = 0
    ) -> None:
        self.batches = batches
        self.done = done
        self.epochs = epochs
        self.epoch = 0
        self.rank, self.world = rank, min(world, max(1, len(batches)))

    def __len__(self) -> int:
        return len(self.batches) // self.world

    def __iter__(self) -> Iterator[Any]:
        # A generator: Lightning makes iterators that it never reads, and they are no epochs.
        while self.epoch < self.done:
            self.epoch += 1
            deque(self.batches, maxlen=0)
        self.epoch += 1
        shown = track(self.batches, f"training, epoch {self.epoch} of at most {self.epochs}")
        if self.world == 1:
            yield from shown
            return
        every = islice(shown, len(self) * self.world)
        yield from islice(every, self.rank % self.world, None, self.world)


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread: an LSTM multiplies small matrices, where threads mostly wait."""
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
