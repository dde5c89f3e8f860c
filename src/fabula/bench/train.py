"""Train a model of any task on built items, and save it (JSON and safetensors)."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.answer import Answer, without_nan
from fabula.core.params import check_settings
from fabula.errors import InputError, UnknownName, UsageError
from fabula.text.io.records import items_of

if TYPE_CHECKING:
    from fabula.bench.runs.store import Estimate
    from fabula.core.training import Devices, Epoch

__all__ = ["Trained", "train"]

Items = str | PathLike[str] | Sequence[str | PathLike[str]] | Iterable[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Trained(Answer):
    """A trained ``model``, which ``evaluate`` takes as it is, and how its training went.

    ``epochs`` are those of each network it trained, in order. ``development`` is the metric and
    its value on the development items, for a model without epochs. ``folder`` is where it is saved.
    """

    name: str
    model: Any = field(repr=False)
    items: int
    seconds: float
    folder: Path | None = None
    epochs: tuple[tuple[Epoch, ...], ...] = ()
    development: tuple[str, Estimate] | None = None

    def to_dict(self) -> dict[str, Any]:
        folder = None if self.folder is None else str(self.folder)
        row = {"model": self.name, "items": self.items, "folder": folder, "seconds": self.seconds}
        if self.epochs:
            row["epochs"] = [
                [{"loss": e.loss, "development": e.score, "seconds": e.seconds} for e in epochs]
                for epochs in self.epochs
            ]
        if self.development is not None:
            metric, found = self.development
            value = {"value": found.value, "low": found.low, "high": found.high}
            row["development"] = {"metric": metric, **value}
        plain: dict[str, Any] = without_nan(row)
        return plain

    def _rows(self) -> Iterable[dict[str, Any]]:
        """A row for each epoch; one row for a model that is trained at once."""
        if not self.epochs:
            score = None if self.development is None else self.development[1].value
            yield {"network": 1, "epoch": 1, "loss": None, "seconds": self.seconds, "score": score}
        for network, epochs in enumerate(self.epochs, 1):
            for number, epoch in enumerate(epochs, 1):
                yield {"network": network, "epoch": number, **epoch._asdict()}

    def _summary(self) -> str:
        return f"{self.name}: {self.items} items, {self.seconds:.1f} s"


def train(
    model: str,
    items: Items,
    output: str | PathLike[str] | None = None,
    *,
    dev: Items = (),
    seed: int = 0,
    devices: Devices | None = None,
    **parameters: Any,
) -> Trained:
    """Train ``model`` (``"ordering/linear"``) on items, or on files of them; save it if asked.

    ``dev`` are items to tune and stop on. ``parameters`` are the model's own, such as ``epochs``;
    a wrong one is refused. ``output`` is a folder. ``devices`` is for programs that may be started
    again by Lightning: of the processes, the first alone saves.
    """
    from fabula.core.training import Devices, is_first, on_devices, recorded_epochs
    from fabula.registry import models, tasks

    task_name, _, name = model.partition("/")
    task, factory = tasks.get(task_name), models.get(model)
    if not hasattr(factory, "fit"):
        raise UsageError(f"{model} has nothing to learn; use it as it is with evaluate")
    folder = None if output is None else Path(output)
    if folder is not None and folder.is_file():
        raise UsageError(f"-o {folder}: is a file, and a folder is to be written there")
    unfitted = _unfitted(factory, parameters, seed)
    started = time.monotonic()
    training, tuning = _read(task, items), _read(task, dev)
    chosen = Devices(1) if devices is None else devices
    with on_devices(chosen), recorded_epochs() as histories:
        fitted = unfitted.fit(training, tuning)
    if chosen.number > 1 and not chosen.used:
        raise UsageError(f"{model} is not trained by Lightning: leave out --devices")
    if folder is not None and is_first():
        fitted.save(folder)
    seconds = time.monotonic() - started
    development = None
    if len(tuning) and not histories and task.training is None and is_first():
        development = _development(task, tuning, fitted, name, seed)
    epochs = tuple(map(tuple, histories))
    return Trained(model, fitted, len(training), seconds, folder, epochs, development)


def _unfitted(factory: Any, parameters: Mapping[str, Any], seed: int) -> Any:
    known = inspect.signature(factory).parameters
    for name in parameters:
        if name not in known or name == "seed":
            raise UnknownName("parameter", name, [name for name in known if name != "seed"])
    check_settings(factory, parameters)
    return factory(**({"seed": seed} if "seed" in known else {}), **parameters)


def _read(task: Any, given: Items) -> Any:
    """Items as they are, or those of files; events train on chains or a counts store."""
    if isinstance(given, str | PathLike):
        given = [given]
    entries = list(items_of(given, task.read))
    if not all(isinstance(entry, str | PathLike) for entry in entries):
        return entries
    if task.training is not None:
        return task.training(entries)
    items = []
    for path in entries:
        found = list(task.read(path))
        if not found:
            raise InputError("holds no items", path=path)
        items += found
    return items


def _development(task: Any, items: Any, model: Any, name: str, seed: int) -> tuple[str, Estimate]:
    """The trained model's value on the development items, which it may have been tuned on."""
    from fabula.bench.evaluate import evaluate

    (metric,) = task.metric_names[:1]
    run = evaluate(task, items, model, name=name, metrics=[metric], seed=seed, force=True)
    return metric, run.metrics[metric]
