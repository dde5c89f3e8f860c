"""A plan: documents into shards, then step after step over them, resumed where it was left."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain, count, islice
from typing import Any

from fabula.core.files import fingerprint
from fabula.core.progress import track
from fabula.errors import FabulaError, InputError, UsageError
from fabula.scale.engines import Engine
from fabula.scale.shards import Shards
from fabula.scale.storage import Place, reached
from fabula.scale.worker import Tally, memory_mb

__all__ = ["SIZE", "Plan", "Report", "run_step", "shard_rows"]

SIZE = 50  # rows a shard: some seconds of parsing, so that little is lost when a run is killed
_PATIENCE = 12  # times that the workers may die without one shard being finished


@dataclass(frozen=True, slots=True)
class Report:
    """What a step did: rows in and out, those set aside, what it counted, time and memory.

    ``seconds`` is by the clock and of this run alone; ``worker_seconds`` is that of all workers,
    those of runs that were stopped included.
    """

    step: str
    shards: int
    resumed: int  # done already when the run began
    given: int
    rows: int
    poisoned: tuple[Mapping[str, str], ...]
    tally: Mapping[str, float]
    seconds: float
    worker_seconds: float
    memory_mb: float  # of the largest worker

    def to_row(self) -> dict[str, Any]:
        return asdict(self)


def shard_rows(rows: Iterable[Mapping[str, Any]], target: Shards, *, size: int = SIZE) -> int:
    """Write rows as shards of ``size``; those already there are passed over. How many there are."""
    there, stream = set(target.done()), iter(rows)
    for number in count():
        some = list(islice(stream, size))
        if not some:
            target.place.tidy()
            return number
        if number not in there:
            target.write(number, some, given=len(some), poisoned=[], tally={}, seconds=0.0)
    raise AssertionError("count() never ends")


def run_step(
    step: str,
    source: Shards,
    target: Shards,
    *,
    options: Mapping[str, Any] | None = None,
    engine: Engine | None = None,
) -> Report:
    """Run ``module:factory`` over every shard of ``source``; finished shards are not run again."""
    where = engine or Engine()
    where.check()
    numbers = source.done()
    there = set(target.done())
    started = time.perf_counter()
    todo = [number for number in numbers if number not in there]
    name = step.partition(":")[2]
    sizes = sum(marker["rows"] for marker in source.markers(todo))
    made = _persistently(where, step, dict(options or {}), source, target, todo)
    for _ in track(_rows_of(made), f"{name}: rows", total=sizes):
        pass
    target.place.tidy()
    markers = list(target.markers(numbers))
    tally = Tally()
    for marker in markers:
        tally.merge(marker.get("tally", {}))
    return Report(
        step=name,
        shards=len(numbers),
        resumed=len(numbers) - len(todo),
        given=sum(marker["given"] for marker in markers),
        rows=sum(marker["rows"] for marker in markers),
        poisoned=tuple(error for marker in markers for error in marker["poisoned"]),
        tally={key: round(value, 3) for key, value in sorted(tally.items())},
        seconds=round(time.perf_counter() - started, 3),
        worker_seconds=round(sum(marker.get("seconds", 0.0) for marker in markers), 3),
        memory_mb=max((marker.get("memory_mb", 0.0) for marker in markers), default=0.0),
    )


def _rows_of(markers: Iterable[Mapping[str, Any]]) -> Iterator[None]:
    """As many as there were rows: progress in shards would be too coarse to tell the time left."""
    for marker in markers:
        yield from (None for _ in range(marker["given"]))


def _persistently(
    engine: Engine, step: str, options: dict[str, Any], source: Shards, target: Shards, todo: Any
) -> Iterator[dict[str, Any]]:
    """Run the shards, and again those that a dead worker took with it.

    After the second death the shards go row by row, so that the row that kills is found.
    """
    left, deaths, since = dict.fromkeys(todo), 0, 0
    while left:
        try:
            for marker in engine.run(
                step, options, source, target, list(left), careful=deaths >= 2
            ):
                left.pop(marker["shard"], None)
                since = 0
                yield marker
            if left:
                raise RuntimeError(f"{len(left)} shards went without an answer")
        except FabulaError:
            raise
        except Exception as error:
            deaths, since = deaths + 1, since + 1
            if since > _PATIENCE:
                raise UsageError(
                    f"the workers died {since} times and no shard was finished: {error}"
                ) from error
            for number in set(target.done()) & left.keys():
                del left[number]
                yield {**(target.marker(number) or {}), "shard": number, "kept": True}


class Plan:
    """Steps one after another in one folder, which a run that was stopped finds again.

    ``folder`` is a path or a URL that every worker reaches; ``identity`` is all that the result
    depends on, so that a folder is never taken up by another run than its own.
    """

    def __init__(
        self,
        folder: str,
        *,
        identity: Iterable[str] = (),
        engine: Engine | None = None,
        size: int = SIZE,
        what: str = "documents",
    ) -> None:
        self.folder, self.size, self.what = reached(str(folder)), size, what
        self.engine = engine or Engine()
        self.identity = fingerprint([*map(str, identity), str(size)])
        self.reports: list[Report] = []
        self.reading: dict[str, Any] = {}

    def start(self, *others: str) -> None:
        """Claim the folders, or find them claimed by the same run."""
        self.engine.check()
        for folder in (self.folder, *others):
            place = Place(folder)
            known = place.get("plan.json")
            if known is None:
                place.put("plan.json", json.dumps({"identity": self.identity}).encode())
            elif json.loads(known)["identity"] != self.identity:
                raise UsageError(
                    f"{folder} holds the shards of another run (other sources or options); "
                    "remove it, or name another"
                )

    def read(
        self, rows: Iterable[Mapping[str, Any]], name: str = "documents", size: int | None = None
    ) -> Shards:
        """The rows as shards. If they were all read before a run was stopped, not again."""
        self.engine.check()
        target, started = Shards(f"{self.folder}/{name}"), time.perf_counter()
        fresh = target.closed() is None
        if fresh:  # a source that cannot be read leaves nothing behind
            rows = iter(rows)
            rows = chain(list(islice(rows, 1)), rows)
        self.start()
        if fresh:
            shards = shard_rows(track(rows, "reading"), target, size=size or self.size)
            target.close(shards=shards)
        took = self.reading.get("seconds", 0.0) + time.perf_counter() - started
        self.reading = {"seconds": round(took, 3)}
        return target

    def run(
        self, step: str, source: Shards, target: Shards | None = None, **options: Any
    ) -> Shards:
        """A step over all shards of ``source``; its shards go to ``target`` or into the folder."""
        self.start(*([target.folder] if target else []))
        made = target or Shards(f"{self.folder}/{step.partition(':')[2]}")
        report = run_step(step, source, made, options=options, engine=self.engine)
        self.reports.append(report)
        if report.given and len(report.poisoned) == report.given:
            first = report.poisoned[0]
            raise InputError(
                f"none of {report.given} could be used; the first, {first['id']}: {first['error']}"
            )
        made.close(shards=report.shards)
        return made

    def clear(self) -> None:
        """Remove the shards: the result is written."""
        Place(self.folder).remove()

    def report(self) -> dict[str, Any]:
        """The run in numbers: documents, what was counted, skipped, seconds by step, memory."""
        tally = Tally()
        for report in self.reports:
            tally.merge(report.tally)
        inside = {
            name.removesuffix(" seconds"): round(value, 3)
            for name, value in tally.items()
            if name.endswith(" seconds")
        }
        poisoned = [error for report in self.reports for error in report.poisoned]
        return {
            "engine": self.engine.name,
            "workers": self.engine.workers,
            self.what: self.reports[0].given if self.reports else 0,
            **{name: int(n) for name, n in tally.items() if not name.endswith(" seconds")},
            "skipped": len(poisoned),
            "errors": poisoned[:20],
            "resumed_shards": sum(report.resumed for report in self.reports),
            "shards": sum(report.shards for report in self.reports),
            "seconds": {
                "read": self.reading.get("seconds", 0.0),
                **{report.step: report.seconds for report in self.reports},
            },
            "worker_seconds": {report.step: report.worker_seconds for report in self.reports},
            "worker_seconds_inside": inside,
            "memory_mb": {
                "workers": max((report.memory_mb for report in self.reports), default=0.0),
                "this_process": round(memory_mb(), 1),
            },
        }

    def said(self) -> str:
        """The report in a few lines."""
        facts = self.report()
        counted = [
            f"{value:,} {name}"
            for name, value in facts.items()
            if isinstance(value, int) and name not in ("workers", "shards", "resumed_shards")
        ]
        steps = ", ".join(f"{name} {seconds:,.1f} s" for name, seconds in facts["seconds"].items())
        memory = facts["memory_mb"]
        lines = [
            f"engine {facts['engine']}: " + ", ".join(counted),
            f"  {steps}; {facts['shards']} shards, {facts['resumed_shards']} of them done before",
            f"  memory: {memory['workers']:,.0f} MB the largest worker, "
            f"{memory['this_process']:,.0f} MB this process",
        ]
        lines += [f"  set aside {error['id']}: {error['error']}" for error in facts["errors"][:5]]
        return "\n".join(lines)
