"""A step over all shards: resumed where it was left, reported when it is done."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import count, islice
from typing import Any

from fabula.progress import track
from fabula.scale.engines import run_shards
from fabula.scale.shards import Shards

__all__ = ["Report", "run_step", "shard_rows"]

SIZE = 50  # rows a shard: some seconds of parsing, so that little is lost when a run is killed


@dataclass(frozen=True, slots=True)
class Report:
    """What a step did: rows in and out, those set aside, time and memory."""

    step: str
    shards: int
    resumed: int  # done already when the run began
    given: int
    rows: int
    poisoned: tuple[Mapping[str, str], ...]
    seconds: float
    memory_mb: float  # of the largest worker

    def to_row(self) -> dict[str, Any]:
        return asdict(self)


def shard_rows(rows: Iterable[Mapping[str, Any]], target: Shards, *, size: int = SIZE) -> int:
    """Write rows as shards of ``size``; those already there are passed over. How many there are."""
    there, stream = set(target.done()), iter(rows)
    for number in count():
        some = list(islice(stream, size))
        if not some:
            return number
        if number not in there:
            target.write(number, some, given=len(some), poisoned=[])
    raise AssertionError("count() never ends")


def run_step(
    step: str,
    source: Shards,
    target: Shards,
    *,
    options: Mapping[str, Any] | None = None,
    engine: str = "native",
    address: str | None = None,
    workers: int | None = None,
) -> Report:
    """Run ``module:factory`` over every shard of ``source``; finished shards are not run again."""
    numbers = source.done()
    there = set(target.done())
    started = time.perf_counter()
    todo = [number for number in numbers if number not in there]
    made = run_shards(
        step, dict(options or {}), source, target, todo,
        engine=engine, address=address, workers=workers,
    )  # fmt: skip
    name = step.partition(":")[2]
    memory = max((m["memory_mb"] for m in track(made, name, total=len(todo))), default=0.0)
    markers = [target.marker(number) or {} for number in numbers]
    return Report(
        step=name,
        shards=len(numbers),
        resumed=len(numbers) - len(todo),
        given=sum(marker["given"] for marker in markers),
        rows=sum(marker["rows"] for marker in markers),
        poisoned=tuple(error for marker in markers for error in marker["poisoned"]),
        seconds=round(time.perf_counter() - started, 3),
        memory_mb=round(memory, 1),
    )
