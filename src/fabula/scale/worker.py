"""Run one step on one shard, isolating rows that fail or crash the worker."""

from __future__ import annotations

import importlib
import json
import logging
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fabula.core.safety.checked_json import parse_json
from fabula.errors import DamagedFile, MissingPart, UsageError
from fabula.scale.shards import Shards

__all__ = ["Step", "Tally", "find_step", "memory_mb", "timed", "work"]

_log = logging.getLogger(__name__)


class Tally(dict[str, float]):
    """Counts of a step by name ("tokens", "chains"), and its timings ("parse seconds")."""

    def add(self, name: str, amount: float = 1) -> None:
        self[name] = self.get(name, 0) + amount

    def merge(self, other: Mapping[str, float]) -> None:
        for name, amount in other.items():
            self.add(name, amount)

    def counts(self) -> dict[str, int]:
        """What was counted, without the timings."""
        return {name: int(n) for name, n in self.items() if not name.endswith(" seconds")}


# A step maps a batch of rows to rows; it is independent of shards, workers and engines.
Step = Callable[[list[Any], Tally], Iterable[dict[str, Any]]]

_DEATHS = 2  # worker deaths on one row until the row is excluded


def find_step(target: str, options: Mapping[str, Any]) -> Step:
    """The step built by the factory ``module:factory`` with its options."""
    module, _, name = target.partition(":")
    step: Step = getattr(importlib.import_module(module), name)(**options)
    return step


@contextmanager
def timed(tally: Tally, what: str) -> Iterator[None]:
    """Add the seconds of a block to a tally."""
    started = time.perf_counter()
    try:
        yield
    finally:
        tally.add(f"{what} seconds", time.perf_counter() - started)


def work(
    step: Step, source: Shards, target: Shards, number: int, *, careful: bool = False
) -> dict[str, Any]:
    """Run a step on one shard and write its result, unless that was done already.

    If the batch fails, its rows run one at a time, and a row that fails alone is recorded with its
    error, so that one poisoned document neither stops a run nor loses others. ``careful`` is for a
    shard on which workers die: each row is logged before it starts, so that the next worker knows
    which row crashed.
    """
    marker_before = target.marker(number)
    if marker_before is not None:
        return {**marker_before, "shard": number, "kept": True}
    rows = list(source.read(number))
    started, cpu = time.perf_counter(), time.process_time()
    poisoned: list[dict[str, str]] = []
    tally = Tally()
    try:
        if careful:
            raise _RowByRowError
        result = list(step(rows, tally))
    except (DamagedFile, MissingPart, UsageError):
        raise  # not caused by the documents
    except Exception as error:
        if not careful:
            _log.info("shard %d failed and is run row by row: %s", number, error)
        tally = Tally()
        crash_log = _CrashLog(target, number) if careful else None
        result = list(_row_by_row(step, rows, tally, poisoned, crash_log))
    marker = target.write(
        number,
        result,
        given=len(rows),
        poisoned=poisoned,
        tally={name: round(value, 6) for name, value in tally.items()},
        seconds=round(time.perf_counter() - started, 6),
        cpu_seconds=round(time.process_time() - cpu, 6),
        memory_mb=round(memory_mb("VmHWM"), 1),
        held_mb=round(memory_mb("VmRSS"), 1),
        worker=os.getpid(),
        ended=round(time.time(), 3),
    )
    return {**marker, "shard": number, "kept": False}


class _RowByRowError(Exception):
    """Control flow: process the rows one at a time."""


def _row_by_row(
    step: Step,
    rows: list[Any],
    tally: Tally,
    poisoned: list[dict[str, str]],
    crash_log: _CrashLog | None,
) -> Iterator[dict[str, Any]]:
    for index, row in enumerate(rows):
        name = str(row.get("id", "?")) if isinstance(row, dict) else "?"
        if crash_log is not None and not crash_log.begin(index):
            _log.warning("%s is left out: the worker died on it %d times", name, _DEATHS)
            poisoned.append({"id": name, "error": f"the worker died on it {_DEATHS} times"})
            continue
        row_tally = Tally()
        try:
            result = list(step([row], row_tally))
        except (DamagedFile, MissingPart, UsageError):
            raise
        except Exception as error:
            _log.warning("%s is left out: %s", name, error)
            poisoned.append({"id": name, "error": f"{type(error).__name__}: {error}"[:500]})
        else:
            tally.merge(row_tally)
            yield from result


class _CrashLog:
    """Log of started rows of a shard, to count worker deaths per row."""

    def __init__(self, target: Shards, number: int) -> None:
        self.storage, self.name = target.storage, f"{number:06d}.try"
        previous = parse_json(self.storage.get(self.name) or b'{"row": null, "deaths": {}}')
        self.deaths: Counter[str] = Counter(previous["deaths"])
        if previous["row"] is not None:
            self.deaths[str(previous["row"])] += 1

    def begin(self, row: int) -> bool:
        """Log that a row starts; False if workers died on it ``_DEATHS`` times."""
        excluded = self.deaths[str(row)] >= _DEATHS
        note = {"row": None if excluded else row, "deaths": self.deaths}
        self.storage.put(self.name, json.dumps(note).encode())
        return not excluded


def memory_mb(which: str = "VmHWM") -> float:
    """Resident memory of this process in MB: peak (VmHWM) or current (VmRSS)."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{which}:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError) as error:
        _log.debug("/proc/self/status: %s", error)
    import resource
    import sys

    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
