"""The state of an unfinished training in a file, every few minutes: it goes on within an epoch.

Weights, best weights, the optimiser's moments and torch's random numbers are tensors of a
safetensors file; counts, losses and rates are JSON in its header. What the batches draw is drawn
again up to where the training stood, so that the weights are those of a training without a stop.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from fabula.core.files import atomic, make_folder
from fabula.core.safety.ownership import remove_files

__all__ = [
    "Checkpoint",
    "Standing",
    "next_checkpoint",
    "not_resumable",
    "resumable",
    "standing_of",
    "take_up",
]

_log = logging.getLogger("fabula.core")
_MINUTES = 3.0  # between two states that are kept
_NAMES = re.compile(r"\d+\.safetensors")


class Standing(NamedTuple):
    """Where a training stands: epochs done, batches done in this one, and what to take up."""

    epochs: int
    batches: int
    values: Mapping[str, Any]
    tensors: Mapping[str, Any]


@dataclass(slots=True)
class Checkpoint:
    """The file of one training; ``due`` every few minutes."""

    path: Path
    minutes: float
    saved: float

    def due(self) -> bool:
        return time.monotonic() - self.saved >= 60 * self.minutes

    def save(self, standing: Standing) -> None:
        from safetensors.torch import save_file

        told = {"epochs": standing.epochs, "batches": standing.batches, **standing.values}
        make_folder(self.path.parent)
        # save_file refuses tensors that share their memory.
        tensors = {name: value.detach().clone() for name, value in standing.tensors.items()}
        with atomic(self.path) as temporary:
            save_file(tensors, str(temporary), {"standing": json.dumps(told)})
        self.saved = time.monotonic()

    def read(self) -> Standing | None:
        """What was kept; None, with a warning, where it cannot be read."""
        if not self.path.is_file():
            return None
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, "pt") as file:
                told = json.loads(file.metadata()["standing"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            standing = Standing(told.pop("epochs"), told.pop("batches"), told, tensors)
        except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
            _log.warning("%s cannot be read, and training begins anew: %s", self.path, error)
            return None
        _log.info("going on from batch %d of epoch %d", standing.batches + 1, standing.epochs + 1)
        return standing


_files: ContextVar[Iterator[Checkpoint] | None] = ContextVar("fabula_checkpoints", default=None)


@contextmanager
def resumable(folder: str | PathLike[str], minutes: float = _MINUTES) -> Iterator[None]:
    """Every ``train`` inside the block keeps its state in ``folder`` and goes on from there.

    The trainings of a block are told apart by their number, so it must train the same ones in the
    same order. The folder is removed when the block ends without an error.
    """
    place = Path(folder)
    numbered = (
        Checkpoint(place / f"{number}.safetensors", minutes, time.monotonic()) for number in count()
    )
    token = _files.set(numbered)
    try:
        yield
    finally:
        _files.reset(token)
    remove_files(place, _NAMES)
    if place.is_dir() and not any(place.iterdir()):
        place.rmdir()


@contextmanager
def not_resumable() -> Iterator[None]:
    """A training within the making of another's network begins anew: it is part of that one."""
    token = _files.set(None)
    try:
        yield
    finally:
        _files.reset(token)


def next_checkpoint() -> Checkpoint | None:
    """The file of the next training of the block; None outside of one."""
    files = _files.get()
    return None if files is None else next(files)


def standing_of(learner: Any, batches: int, seconds: float) -> Standing:
    """All that a training needs to go on after so many batches of its epoch."""
    import torch

    tensors = {"random": torch.get_rng_state()}
    tensors |= {f"net.{name}": value for name, value in learner.network.state_dict().items()}
    tensors |= {f"best.{name}": torch.from_numpy(value) for name, value in learner.best.items()}
    optimisers = []
    for place, optimiser in enumerate(_listed(learner.optimizers(use_pl_optimizer=False))):
        state = optimiser.state_dict()
        numbers: dict[str, dict[str, float]] = {}
        for parameter, moments in state["state"].items():
            for name, value in moments.items():
                if torch.is_tensor(value):
                    tensors[f"optimiser.{place}.{parameter}.{name}"] = value
                else:
                    numbers.setdefault(str(parameter), {})[name] = value
        optimisers.append({"numbers": numbers, "groups": state["param_groups"]})
    values = {
        "losses": list(learner.losses),
        "seconds": seconds,
        "history": [[*epoch[:3], dict(epoch[3])] for epoch in learner.history],
        "optimisers": optimisers,
        "schedules": [schedule.state_dict() for schedule in _listed(learner.lr_schedulers())],
    }
    return Standing(len(learner.history), batches, values, tensors)


def take_up(learner: Any, standing: Standing) -> None:
    """Make the learner what it was, when the first batch comes that it had not learnt from.

    Its history is the caller's, whose type is not known here.
    """
    import torch

    values, tensors = standing.values, standing.tensors
    torch.set_rng_state(tensors["random"])
    learner.network.load_state_dict(_under(tensors, "net."))
    learner.best = {name: value.numpy() for name, value in _under(tensors, "best.").items()}
    learner.losses[:] = values["losses"]
    learner.before = values["seconds"]
    for place, optimiser in enumerate(_listed(learner.optimizers(use_pl_optimizer=False))):
        told = values["optimisers"][place]
        state: dict[int, dict[str, Any]] = {int(n): dict(m) for n, m in told["numbers"].items()}
        for name, value in _under(tensors, f"optimiser.{place}.").items():
            parameter, _, moment = name.partition(".")
            state.setdefault(int(parameter), {})[moment] = value
        optimiser.load_state_dict({"state": state, "param_groups": told["groups"]})
    for schedule, state_dict in zip(
        _listed(learner.lr_schedulers()), values["schedules"], strict=True
    ):
        schedule.load_state_dict(state_dict)


def _under(tensors: Mapping[str, Any], start: str) -> dict[str, Any]:
    return {name[len(start) :]: value for name, value in tensors.items() if name.startswith(start)}


def _listed(some: Any) -> list[Any]:
    return [] if some is None else list(some) if isinstance(some, list | tuple) else [some]
