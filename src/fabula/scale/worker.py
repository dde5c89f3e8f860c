"""One shard through one step: what a worker does, wherever it runs."""

from __future__ import annotations

import importlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fabula.errors import DamagedFile, MissingPart, UsageError
from fabula.scale.shards import Shards

__all__ = ["Step", "Tally", "find_step", "memory_mb", "timed", "work"]


class Tally(dict[str, float]):
    """What a step counts by the way ("tokens", "chains"), and its seconds as "parse seconds"."""

    def add(self, name: str, amount: float = 1) -> None:
        self[name] = self.get(name, 0) + amount

    def merge(self, other: Mapping[str, float]) -> None:
        for name, amount in other.items():
            self.add(name, amount)


# A step turns a batch of rows into rows, and knows nothing of shards, workers or engines.
Step = Callable[[list[Any], Tally], Iterable[dict[str, Any]]]

_DEATHS = 2  # of workers on one row alone, until it is the row that is to blame


def find_step(target: str, options: Mapping[str, Any]) -> Step:
    """The step behind ``module:factory``, made with its options."""
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

    When the batch fails, its rows go one at a time, and a row that fails alone is set aside with
    its error: one poisoned document neither stops a run nor takes others with it. ``careful`` is
    for a shard on which workers die: each row is noted before it is begun, so that the next worker
    knows which one it was.
    """
    known = target.marker(number)
    if known is not None:
        return {**known, "shard": number, "kept": True}
    rows = list(source.read(number))
    started, cpu = time.perf_counter(), time.process_time()
    poisoned: list[dict[str, str]] = []
    tally = Tally()
    try:
        if careful:
            raise _OneByOneError
        found = list(step(rows, tally))
    except (DamagedFile, MissingPart, UsageError):
        raise  # nothing is wrong with the documents
    except Exception:
        tally = Tally()
        blame = _Blame(target, number) if careful else None
        found = list(_one_by_one(step, rows, tally, poisoned, blame))
    marker = target.write(
        number,
        found,
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


class _OneByOneError(Exception):
    """Not a failure: the rows are to go one at a time."""


def _one_by_one(
    step: Step,
    rows: list[Any],
    tally: Tally,
    poisoned: list[dict[str, str]],
    blame: _Blame | None,
) -> Iterator[dict[str, Any]]:
    for place, row in enumerate(rows):
        name = str(row.get("id", "?")) if isinstance(row, dict) else "?"
        if blame is not None and not blame.begin(place):
            poisoned.append({"id": name, "error": f"the worker died on it {_DEATHS} times"})
            continue
        mine = Tally()
        try:
            found = list(step([row], mine))
        except (DamagedFile, MissingPart, UsageError):
            raise
        except Exception as error:
            poisoned.append({"id": name, "error": f"{type(error).__name__}: {error}"[:500]})
        else:
            tally.merge(mine)
            yield from found


class _Blame:
    """Which rows of a shard were begun and never ended."""

    def __init__(self, target: Shards, number: int) -> None:
        self.place, self.name = target.place, f"{number:06d}.try"
        before = json.loads(self.place.get(self.name) or b'{"row": null, "deaths": {}}')
        self.deaths: Counter[str] = Counter(before["deaths"])
        if before["row"] is not None:
            self.deaths[str(before["row"])] += 1

    def begin(self, row: int) -> bool:
        """Note that a row is begun; False if workers died on it so often that it is left out."""
        guilty = self.deaths[str(row)] >= _DEATHS
        note = {"row": None if guilty else row, "deaths": self.deaths}
        self.place.put(self.name, json.dumps(note).encode())
        return not guilty


def memory_mb(which: str = "VmHWM") -> float:
    """Memory of this process: at its most (VmHWM) or now (VmRSS)."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{which}:"):
                return int(line.split()[1]) / 1024
    except (OSError, ValueError):
        pass
    import resource
    import sys

    unit = 1024 if sys.platform != "darwin" else 1024 * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
