"""Shared by ordering experiments: data sets, model specs, and a store of measured cells."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.runs.fingerprints import fingerprint_items, model_size
from fabula.bench.runs.source_code import package_source
from fabula.core.cell_store import CellStore, cell_name
from fabula.core.files import make_folder, sha256_of, write_text
from fabula.core.params import check_settings
from fabula.core.safety.checked_json import parse_json
from fabula.core.training import resumable
from fabula.errors import InputError, UsageError
from fabula.ordering.items import Text, read_texts
from fabula.registry import create_model, models
from fabula.text.io.records import meta_path
from fabula.text.io.splits import side_path
from fabula.text.io.streams import split_name

__all__ = ["SHOWN", "Cells", "Data", "Spec", "read_data"]

SHOWN = ("PMR", "Acc", "tau", "WLCS-l")
_UNNAMED = ("settings", "seed", "texts", "code", "files")  # in a cell's key, not in its label


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """A data set as ``fabula build ordering --split`` writes it."""

    name: str
    level: str
    train: tuple[Text, ...]
    dev: tuple[Text, ...]
    test: tuple[Text, ...]

    @property
    def key(self) -> str:
        """Content hash of the training and development texts."""
        return fingerprint_items([*self.train, *self.dev])


def read_data(path: str | PathLike[str]) -> Data:
    """``x.jsonl`` for ``x.train.jsonl``, ``x.test.jsonl``, and ``x.dev.jsonl`` if it is there."""
    stem = split_name(path)[0]
    files = {side: side_path(Path(path), side) for side in ("train", "dev", "test")}
    sides = {side: tuple(read_texts(file)) for side, file in files.items() if file.is_file()}
    for side in ("train", "test"):
        if not sides.get(side):
            problem = "is missing or empty; build it with 'fabula build ordering ... --split date'"
            raise InputError(problem, path=files[side])
        if len({text.id for text in sides[side]}) < len(sides[side]) and side == "test":
            raise InputError("two texts have the same id", path=files[side])
    level = "sentence"
    card = meta_path(files["train"])
    if card.is_file():
        level = parse_json(card.read_text(encoding="utf-8")).get("level", level)
    return Data(stem, level, sides["train"], sides.get("dev", ()), sides["test"])


@dataclass(frozen=True, slots=True)
class Spec:
    """A registered model, trained for each cell, and the parameters to make it with.

    Or a folder: the model in it has been trained already and is measured as it is.
    """

    name: str
    settings: tuple[tuple[str, Any], ...] = ()

    def at(self, level: str) -> Spec:
        """The spec with the paper's sizes for ``level``, unless ``settings`` give others."""
        if level != "paragraph" or f"ordering/{self.name}" not in models:
            return self
        wider = getattr(models.get(f"ordering/{self.name}"), "paragraphs", {})
        return Spec(self.name, tuple({**wider, **dict(self.settings)}.items()))

    @property
    def folder(self) -> Path | None:
        if f"ordering/{self.name.partition(':')[0]}" in models:
            return None
        return Path(self.name) if (Path(self.name) / "config.json").is_file() else None

    def make(self, seed: int) -> Any:
        registry_name = f"ordering/{self.name}"
        if registry_name not in models:
            if self.settings:
                raise UsageError(f"{self.name} takes no parameters; name a registered model")
            model = create_model("ordering", self.name)
            if self.folder is None and hasattr(model, "seed"):
                model.seed = seed
            return model
        factory = models.get(registry_name)
        accepted = inspect.signature(factory).parameters
        unknown = [key for key, _ in self.settings if key not in accepted]
        if unknown:
            raise UsageError(f"{self.name} has no parameter {unknown[0]!r}")
        check_settings(factory, dict(self.settings))
        seed_option = {"seed": seed} if "seed" in accepted else {}
        return factory(**{**seed_option, **dict(self.settings)})


class Cells:
    """Resumable store of an experiment's trained models and measurements."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.cells = CellStore(make_folder(folder) / "cells")
        self.models = CellStore(Path(folder) / "models")
        self.unfinished = Path(folder) / "unfinished"

    def measure(
        self,
        key: Mapping[str, Any],
        spec: Spec,
        train: Callable[[], tuple[Sequence[Text], Sequence[Text]]],
        test: Sequence[Text],
        *,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Metrics of a model on ``test``; it is trained first unless stored or without ``fit``.

        ``key`` says what the training texts are; a model trained for one key is kept and serves
        every test set.
        """
        identity = {**key, "model": spec.name, "settings": dict(spec.settings), "seed": seed}
        depends = {**identity, "code": package_source(), "files": _files(spec)}

        def measured() -> dict[str, Any]:
            training = {name: value for name, value in depends.items() if name != "test"}
            model, seconds = self._trained(training, spec, train, seed)
            run = evaluate("ordering", test, model, seed=seed, name=spec.name)
            return {
                **identity,
                "items": len(test),
                "training_seconds": seconds,
                "seconds": run.timing["seconds"],
                "parameters": model_size(model),
                "all_parameters": model_size(model, words=True),  # of word vectors, too
                "metrics": {
                    name: {"value": estimate.value, "low": estimate.low, "high": estimate.high}
                    for name, estimate in run.metrics.items()
                },
            }

        return self.cells.cell(
            _label(depends), {**depends, "items": fingerprint_items(test)}, measured
        )

    def _trained(
        self, key: Mapping[str, Any], spec: Spec, train: Callable[[], Any], seed: int
    ) -> tuple[Any, float | None]:
        """The model and the seconds its training took, now or when it was stored."""
        model = spec.make(seed)
        if spec.folder is not None or not hasattr(model, "fit"):
            return model, None

        def fit(folder: Path) -> tuple[Any, float]:
            items, dev = train()
            started = time.monotonic()
            with resumable(self.unfinished / cell_name(spec.name, key)):
                model.fit(items, dev)
            seconds = round(time.monotonic() - started, 1)
            model.save(folder)
            write_text(folder / "seconds.json", f"{seconds}\n")
            return model, seconds

        def load(folder: Path) -> tuple[Any, float]:
            seconds = float(parse_json((folder / "seconds.json").read_text(encoding="utf-8")))
            return type(model).load(folder), seconds

        return self.models.subfolder(_label(key), key, fit, load)


def _label(depends: Mapping[str, Any]) -> str:
    return "-".join(str(value) for name, value in depends.items() if name not in _UNNAMED)


def _files(spec: Spec) -> dict[str, str]:
    """SHA-256 of each file in the model's folder and in the paths its parameters name."""
    named = [spec.folder, *(Path(value) for _, value in spec.settings if isinstance(value, str))]
    checksums = {}
    for path in named:
        if path is not None and path.exists():
            files = sorted(path.rglob("*")) if path.is_dir() else [path]
            checksums.update({str(file): sha256_of(file) for file in files if file.is_file()})
    return checksums
