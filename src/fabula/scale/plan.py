"""A resumable plan: write documents as shards, then run steps over the shards in turn."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import chain, count, islice
from typing import Any

from fabula.core.files import fingerprint
from fabula.core.progress import track
from fabula.core.safety.checked_json import parse_checked, with_checksum
from fabula.errors import FabulaError, InputError, UsageError
from fabula.scale.engines import Engine
from fabula.scale.shards import Shards, is_shards
from fabula.scale.storage import StorageFolder, absolute_location
from fabula.scale.worker import Tally, memory_mb

__all__ = ["SIZE", "Plan", "Report", "run_step", "shard_rows"]

SIZE = 50  # rows per shard: seconds of parsing, so that a killed run loses little
_CLAIM = "plan.json"  # the run that a folder belongs to
_log = logging.getLogger("fabula.scale")
_PATIENCE = 12  # worker deaths in a row, without a finished shard, before giving up


@dataclass(frozen=True, slots=True)
class Report:
    """Statistics of a step: rows in and out, failed rows, tallies, time and memory.

    ``seconds`` is the wall time of this run; ``worker_seconds`` is the sum over all workers,
    interrupted runs included.
    """

    step: str
    shards: int
    resumed: int  # shards already finished when the run began
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
    """Write rows as shards of ``size``, skipping finished ones; returns the number of shards."""
    finished, stream = set(target.done()), iter(rows)
    for number in count():
        batch = list(islice(stream, size))
        if not batch:
            target.storage.tidy()
            return number
        if number not in finished:
            target.write(number, batch, given=len(batch), poisoned=[], tally={}, seconds=0.0)
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
    runner = engine or Engine()
    runner.check()
    numbers = source.done()
    finished = set(target.done())
    started = time.perf_counter()
    pending = [number for number in numbers if number not in finished]
    name = step.partition(":")[2]
    sizes = sum(marker["rows"] for marker in source.markers(pending))
    markers_done = _run_with_retries(runner, step, dict(options or {}), source, target, pending)
    for _ in track(_row_ticks(markers_done), f"{name}: rows", total=sizes):
        pass
    target.storage.tidy()
    markers = list(target.markers(numbers))
    tally = Tally()
    for marker in markers:
        tally.merge(marker.get("tally", {}))
    return Report(
        step=name,
        shards=len(numbers),
        resumed=len(numbers) - len(pending),
        given=sum(marker["given"] for marker in markers),
        rows=sum(marker["rows"] for marker in markers),
        poisoned=tuple(error for marker in markers for error in marker["poisoned"]),
        tally={key: round(value, 3) for key, value in sorted(tally.items())},
        seconds=round(time.perf_counter() - started, 3),
        worker_seconds=round(sum(marker.get("seconds", 0.0) for marker in markers), 3),
        memory_mb=max((marker.get("memory_mb", 0.0) for marker in markers), default=0.0),
    )


def _row_ticks(markers: Iterable[Mapping[str, Any]]) -> Iterator[None]:
    """One tick per input row: progress by shard is too coarse to estimate the time left."""
    for marker in markers:
        yield from (None for _ in range(marker["given"]))


def _run_with_retries(
    engine: Engine, step: str, options: dict[str, Any], source: Shards, target: Shards, todo: Any
) -> Iterator[dict[str, Any]]:
    """Run the shards, retrying those lost to a dead worker.

    After the second death shards run row by row, so that the crashing row is identified.
    """
    pending, deaths, deaths_in_a_row = dict.fromkeys(todo), 0, 0
    while pending:
        try:
            for marker in engine.run(
                step, options, source, target, list(pending), careful=deaths >= 2
            ):
                pending.pop(marker["shard"], None)
                deaths_in_a_row = 0
                yield marker
            if pending:
                raise RuntimeError(f"{len(pending)} shards went without an answer")
        except FabulaError:
            raise
        except Exception as error:
            deaths, deaths_in_a_row = deaths + 1, deaths_in_a_row + 1
            if deaths_in_a_row > _PATIENCE:
                raise UsageError(
                    f"the workers died {deaths_in_a_row} times and no shard was finished: {error}"
                ) from error
            _log.warning("a worker died (%s); its shards are run again", error)
            for number in set(target.done()) & pending.keys():
                del pending[number]
                yield {**(target.marker(number) or {}), "shard": number, "kept": True}


def _claim(storage: StorageFolder) -> dict[str, Any]:
    """What ``plan.json`` says; nothing if it is missing or not one of ours."""
    try:
        return parse_checked(storage.get(_CLAIM) or b"")
    except ValueError:
        return {}


def _identity(storage: StorageFolder) -> str | None:
    identity = _claim(storage).get("identity")
    return identity if isinstance(identity, str) else None


class Plan:
    """Steps run in sequence in one work folder, from which an interrupted run resumes.

    ``folder`` is a path or URL every worker can reach; ``identity`` lists everything the result
    depends on, so that a folder is never resumed by a different run.
    """

    sharded = True

    def __init__(
        self,
        folder: str,
        *,
        identity: Iterable[str] = (),
        engine: Engine | None = None,
        size: int = SIZE,
        what: str = "documents",
    ) -> None:
        self.folder, self.size, self.what = absolute_location(str(folder)), size, what
        self.engine = engine or Engine()
        self.identity = fingerprint([*map(str, identity), str(size)])
        self.reports: list[Report] = []
        self.reading: dict[str, Any] = {}
        self._written: dict[str, Shards] = {}  # by step, in the work folder

    def start(self, *others: str) -> None:
        """Claim the folders for this run; raises if another run or anybody else has one.

        A folder is claimed when it is new or empty, by the ``plan.json`` written first.
        """
        self.engine.check()
        for folder in (self.folder, *others):
            storage = StorageFolder(folder)
            identity = _identity(storage)
            if identity is None:
                if storage.names():
                    raise UsageError(
                        f"{folder} holds files that this run did not write; "
                        "name a folder that is new or empty"
                    )
                claim = {"identity": self.identity, "made": not storage.exists()}
                storage.put(_CLAIM, json.dumps(with_checksum(claim)).encode())
            elif identity != self.identity:
                raise UsageError(
                    f"{folder} holds the shards of another run (other sources or options); "
                    "remove it, or name another"
                )

    def read(
        self,
        rows: Iterable[Mapping[str, Any]],
        name: str = "documents",
        size: int | None = None,
        facts: Callable[[], Mapping[str, Any]] = dict,
        *,
        most: int | None = None,
    ) -> Shards:
        """Write the rows as shards, unless an interrupted run has written them all.

        A shard has ``size`` rows, or so few that there are about ``most`` shards. ``facts`` is
        asked once all rows are read; what it says is kept with the shards (``Shards.closed``).
        """
        self.engine.check()
        if most is not None:
            rows = list(rows)
            size = max(1, len(rows) // most)
        target, started = self._shards(name), time.perf_counter()
        fresh = target.closed() is None
        if fresh:  # read one row first: an unreadable source leaves no folder
            rows = iter(rows)
            rows = chain(list(islice(rows, 1)), rows)
        self.start()
        if fresh:
            shards = shard_rows(track(rows, "reading"), target, size=size or self.size)
            target.close(shards=shards, **facts())
        took = self.reading.get("seconds", 0.0) + time.perf_counter() - started
        self.reading = {"seconds": round(took, 3)}
        return target

    def run(
        self, step: str, source: Shards, target: Shards | str | None = None, **options: Any
    ) -> Shards:
        """Run a step over all shards of ``source``, into ``target``.

        That is a folder, or a name in the work folder, which is the step's if it is not said.
        """
        if isinstance(target, Shards):
            self.start(target.folder)
            result = target
        else:
            self.start()
            result = self._shards(target or step.partition(":")[2])
        report = run_step(step, source, result, options=options, engine=self.engine)
        self.reports.append(report)
        if report.given and len(report.poisoned) == report.given:
            first = report.poisoned[0]
            raise InputError(
                f"none of {report.given} could be used; the first, {first['id']}: {first['error']}"
            )
        result.close(shards=report.shards)
        return result

    def keep(self, made: Shards) -> Shards:
        """The same rows, for more than one reading: those of shards are."""
        return made

    def refer(self, source: Shards | str) -> Iterator[dict[str, Any]]:
        """Rows for a further step: one that names a file, or one for each shard of a folder."""
        name = source.folder if isinstance(source, Shards) else source
        path = absolute_location(name)
        if is_shards(name):
            yield from ({"id": path, "path": path, "shard": n} for n in Shards(path).done())
        else:
            yield {"id": path, "path": path}

    def refuse_empty(self, rows: Shards, why: str) -> None:
        """Raise if nothing was read, and leave no folder behind."""
        if not rows.done():
            self.clear()
            raise InputError(why)

    def clear(self) -> None:
        """Remove what this run wrote in its work folder, once the result is written.

        A folder that the run did not make, and any file of somebody else, stays.
        """
        storage = StorageFolder(self.folder)
        claim = _claim(storage)
        if claim.get("identity") != self.identity:
            return
        removed = [shards.remove() for shards in self._written.values()]
        if not all(removed) or set(storage.names()) > {_CLAIM}:
            _log.warning("%s stays: it holds files that this run did not write", self.folder)
            return
        storage.delete([_CLAIM])
        if claim.get("made"):
            storage.remove_empty()

    def _shards(self, name: str) -> Shards:
        """The shards of a step in the work folder."""
        return self._written.setdefault(name, Shards(f"{self.folder}/{name}"))

    def tally(self) -> dict[str, int]:
        """What the steps counted."""
        return self._merged().counts()

    def _merged(self) -> Tally:
        tally = Tally()
        for report in self.reports:
            tally.merge(report.tally)
        return tally

    def report(self) -> dict[str, Any]:
        """The run in numbers: documents, what was counted, skipped, seconds by step, memory."""
        tally = self._merged()
        seconds_inside = {
            name.removesuffix(" seconds"): round(value, 3)
            for name, value in tally.items()
            if name.endswith(" seconds")
        }
        poisoned = [error for report in self.reports for error in report.poisoned]
        return {
            "engine": self.engine.name,
            "workers": self.engine.workers,
            self.what: self.reports[0].given if self.reports else 0,
            **tally.counts(),
            "skipped": len(poisoned),
            "errors": poisoned[:20],
            "resumed_shards": sum(report.resumed for report in self.reports),
            "shards": sum(report.shards for report in self.reports),
            "seconds": {
                "read": self.reading.get("seconds", 0.0),
                **{report.step: report.seconds for report in self.reports},
            },
            "worker_seconds": {report.step: report.worker_seconds for report in self.reports},
            "worker_seconds_inside": seconds_inside,
            "memory_mb": {
                "workers": max((report.memory_mb for report in self.reports), default=0.0),
                "this_process": round(memory_mb(), 1),
            },
        }

    def summary(self) -> str:
        """The report as a few lines of text."""
        report = self.report()
        counted = [
            f"{value:,} {name}"
            for name, value in report.items()
            if isinstance(value, int) and name not in ("workers", "shards", "resumed_shards")
        ]
        steps = ", ".join(f"{name} {seconds:,.1f} s" for name, seconds in report["seconds"].items())
        memory = report["memory_mb"]
        lines = [
            f"engine {report['engine']}: " + ", ".join(counted),
            f"  {steps}; {report['shards']} shards, {report['resumed_shards']} of them done before",
            f"  memory: {memory['workers']:,.0f} MB the largest worker, "
            f"{memory['this_process']:,.0f} MB this process",
        ]
        lines += [f"  set aside {error['id']}: {error['error']}" for error in report["errors"][:5]]
        return "\n".join(lines)
