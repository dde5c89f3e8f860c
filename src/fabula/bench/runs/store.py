"""Runs: one model's measured answers on one data set, and the folder they are kept in.

A run folder holds ``run.json`` (what was measured, with what, and the result) and
``items.parquet`` (per item: id, answer, and each metric's total and count). ``run.json`` is
written last, so a folder that has one is complete.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.answer import Answer, without_nan
from fabula.core.files import TEMPORARY, atomic, sha256_of, write_text
from fabula.core.safety.checked_json import checked, parse_json, with_checksum
from fabula.core.safety.ownership import remove_files
from fabula.core.stats import ratio
from fabula.errors import DamagedFile, InputError

__all__ = ["Estimate", "ItemResults", "Run", "find_runs", "labels", "load_run", "save_run"]

Floats = NDArray[np.float64]
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value over all items, and its 95% interval."""

    value: float
    low: float
    high: float
    method: str  # "wilson" or "bootstrap"


@dataclass(frozen=True, slots=True, eq=False)
class ItemResults:
    """Per item: the answer (JSON text) and its total and count for each metric."""

    ids: tuple[str, ...]
    answers: tuple[str, ...]
    totals: Mapping[str, Floats]
    counts: Mapping[str, Floats]

    def scores(self, metric: str) -> Floats:
        """total / count of every item; NaN where the count is zero."""
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.totals[metric] / self.counts[metric]
        return np.where(self.counts[metric] > 0, values, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class Run(Answer):
    """One model measured on one data set."""

    task: str
    model: str
    parameters: Mapping[str, Any]
    weights: str | None  # hash of a trained model's weights
    metrics: Mapping[str, Estimate]  # the first is the one rankings use
    data: Mapping[str, Any]  # fingerprint, path, items
    seed: int
    options: Mapping[str, Any]
    versions: Mapping[str, str]
    machine: Mapping[str, Any]
    timing: Mapping[str, Any]  # started, seconds, items_per_second, peak_memory_mb
    notes: tuple[str, ...]
    items: ItemResults
    folder: Path | None = None
    code: str | None = None  # hash of the model's code and values (``runs.identity``)

    def __repr__(self) -> str:
        """One line: what was measured, and the result."""
        values = ", ".join(f"{name}={e.value:.3f}" for name, e in self.metrics.items())
        return f"<Run of {self.model} on {self.data.get('items')} {self.task} items: {values}>"

    def to_dict(self) -> dict[str, Any]:
        """What ``run.json`` records: the model, the data, the metrics, the machine, the time."""
        record: dict[str, Any] = without_nan(_record(self))
        return {**record, "folder": None if self.folder is None else str(self.folder)}

    def _rows(self) -> Iterable[dict[str, Any]]:
        """A row for each item: its id, its score in each metric, the answer (JSON text)."""
        scores = {name: self.items.scores(name) for name in self.metrics}
        for number, (item, answer) in enumerate(
            zip(self.items.ids, self.items.answers, strict=True)
        ):
            values = {name: float(column[number]) for name, column in scores.items()}
            yield {"id": item, **values, "answer": answer}

    def _shown(self) -> Iterable[dict[str, Any]]:
        """A row for each metric."""
        for name, found in self.metrics.items():
            yield {"metric": name, "value": found.value, "low": found.low, "high": found.high}

    def _summary(self) -> str:
        return f"{self.model} on {self.data.get('items')} {self.task} items"


def labels(runs: Sequence[Run]) -> list[str]:
    """Distinct labels for runs: the model name, plus options, seed or a number on duplicates.

    The first of these that differs within duplicates is added.
    """
    names = [run.model for run in runs]
    for detail in (_options_text, lambda run: f"seed {run.seed}"):
        ambiguous = {name for name, count in Counter(names).items() if count > 1}
        for name in ambiguous:
            same = [i for i, other in enumerate(names) if other == name]
            details = {i: detail(runs[i]) for i in same}
            if len(set(details.values())) > 1:
                for i in same:
                    names[i] = f"{name} ({details[i]})" if details[i] else name
    seen: Counter[str] = Counter()
    repeated = Counter(names)
    for i, name in enumerate(names):
        seen[name] += 1
        if repeated[name] > 1:
            names[i] = f"{name} #{seen[name]}"
    return names


def save_run(run: Run, folder: str | PathLike[str]) -> Run:
    """Write ``items.parquet`` and ``run.json``; returns the run with its folder set."""
    import pyarrow
    from pyarrow import parquet

    run_folder = Path(folder)
    try:
        run_folder.mkdir(parents=True, exist_ok=True)
        remove_files(run_folder, TEMPORARY)  # of an evaluation that was killed while it wrote
        (run_folder / "run.json").unlink(
            missing_ok=True
        )  # an old run.json must not vouch for new items
    except OSError as error:
        raise InputError(f"cannot write there ({error.strerror})", path=run_folder) from error
    columns: dict[str, Any] = {"id": run.items.ids, "answer": run.items.answers}
    for name in run.metrics:
        columns[f"{name}_total"] = run.items.totals[name]
        columns[f"{name}_count"] = run.items.counts[name]
    with atomic(run_folder / "items.parquet") as temporary:
        parquet.write_table(pyarrow.Table.from_pydict(columns), temporary, compression="zstd")
    record = {
        "format": FORMAT,
        **_record(run),
        "items_sha256": sha256_of(run_folder / "items.parquet"),
    }
    text = json.dumps(with_checksum(record), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(run_folder / "run.json", text + "\n")
    return dataclasses.replace(run, folder=run_folder)


def load_run(folder: str | PathLike[str]) -> Run:
    """Read a run folder; raises if a file is missing or fails its checksum."""
    run_folder = Path(folder)
    path = run_folder / "run.json"
    if not path.is_file():
        raise InputError("not a finished run: there is no run.json in it", path=run_folder)
    try:
        record = parse_json(path.read_bytes())
        if record.get("format") != FORMAT:
            raise InputError("was written by another version of fabula", path=path)
        record = checked(record)
        del record["format"]
        checksum = record.pop("items_sha256")
        record["metrics"] = {
            name: Estimate(**{key: _from_json(entry) for key, entry in estimate.items()})
            for name, estimate in record["metrics"].items()
        }
        record["notes"] = tuple(record["notes"])
        items = _load_items(run_folder / "items.parquet", checksum, list(record["metrics"]))
        _verify(record["metrics"], items)
        return Run(**record, items=items, folder=run_folder)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise DamagedFile(
            f"{path}: not what fabula wrote ({error}); evaluate again with force"
        ) from error


def _verify(metrics: Mapping[str, Estimate], items: ItemResults) -> None:
    """``ValueError`` if a metric's value is not the one that the stored items give."""
    for name, estimate in metrics.items():
        value = ratio(items.totals[name], items.counts[name])
        both_unknown = math.isnan(value) and math.isnan(estimate.value)
        if not both_unknown and not math.isclose(value, estimate.value, abs_tol=1e-9):
            raise ValueError(f"{name} is {value:.6g} by its items, and not {estimate.value:.6g}")


def find_runs(paths: Iterable[str | PathLike[str]] | str | PathLike[str]) -> list[Run]:
    """All finished runs in the given folders, searched to any depth, in the order of their paths.

    A path may also be one run's folder or its ``run.json``.
    """
    given = [paths] if isinstance(paths, str | PathLike) else list(paths)
    folders: dict[Path, Path] = {}  # resolved path -> path as given
    for path in map(Path, given):
        if not path.exists():
            raise InputError("there is no such file or folder", path=path)
        files = [path] if path.name == "run.json" else sorted(path.rglob("run.json"))
        if not files:
            raise InputError("holds no finished run (no run.json at any depth)", path=path)
        for file in files:
            folders.setdefault(file.resolve(), file.parent)
    return [load_run(folder) for folder in folders.values()]


def _record(run: Run) -> dict[str, Any]:
    """The run as JSON values, without the items."""
    left_out = {"items", "folder"}
    record = {
        entry.name: getattr(run, entry.name)
        for entry in dataclasses.fields(run)
        if entry.name not in left_out
    }
    record["metrics"] = {
        name: {key: _to_json(value) for key, value in dataclasses.asdict(estimate).items()}
        for name, estimate in run.metrics.items()
    }
    return {
        key: dict(value) if isinstance(value, Mapping) else value for key, value in record.items()
    }


def _load_items(path: Path, checksum: str, metrics: Sequence[str]) -> ItemResults:
    from pyarrow import parquet

    if not path.is_file():
        raise DamagedFile(f"{path}: missing beside its run.json; evaluate again with force")
    if sha256_of(path) != checksum:
        raise DamagedFile(f"{path}: changed since it was written; evaluate again with force")
    table = parquet.read_table(path)

    def column(name: str) -> Floats:
        return np.asarray(table[name].to_numpy(), dtype=float)

    return ItemResults(
        ids=tuple(table["id"].to_pylist()),
        answers=tuple(table["answer"].to_pylist()),
        totals={name: column(f"{name}_total") for name in metrics},
        counts={name: column(f"{name}_count") for name in metrics},
    )


def _options_text(run: Run) -> str:
    return ", ".join(
        key if value is True else f"{key}={value}" for key, value in sorted(run.options.items())
    )


def _to_json(value: Any) -> Any:
    """None for NaN and infinity, which JSON lacks."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _from_json(value: Any) -> Any:
    return math.nan if value is None else value
