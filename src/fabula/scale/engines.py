"""Engines that distribute shards over processes: Daft's native runner, Daft on Ray, or none."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.errors import FabulaError, MissingPart, UnknownName, UsageError
from fabula.scale.shards import Shards
from fabula.scale.worker import find_step, work

__all__ = ["ENGINES", "Engine"]

ENGINES = ("native", "ray", "serial")
_WAVE = 2000  # shards per query: bounds the engine's memory

# Turn telemetry off; must be set before daft or ray is imported.
_QUIET = {
    "DAFT_ANALYTICS_ENABLED": "0",
    "DAFT_PROGRESS_BAR": "0",
    "DO_NOT_TRACK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}
# Ray takes only the loopback address where clusters are turned off, which is the default of all
# systems but Linux; it reads this when it is imported.
_RAY_CLUSTERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
_active: list[str] = []  # the engine in use: daft allows one per process


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``native``: processes of this machine. ``ray``: a cluster, or one started here. ``serial``:
    this process alone, for little work or where the extra ``scale`` is not installed.

    ``address`` is a cluster's (``ray://head:10001``); a Ray started here listens on the loopback
    address only. ``workers`` are processes, one a core if it is not said.
    """

    name: str = "native"
    address: str | None = None
    workers: int | None = None

    def check(self) -> None:
        """Raise on an unknown engine or conflicting options, before any work."""
        if self.name not in ENGINES:
            raise UnknownName("engine", self.name, ENGINES)
        if self.address and self.name != "ray":
            raise UsageError(f"--address is for --engine ray; the engine is {self.name!r}")
        if self.name != "serial" and _active and _active[0] != self.name:
            raise UsageError(
                f"this process has begun with the engine {_active[0]!r}, and there is one a process"
            )

    def run(
        self,
        step: str,
        options: Mapping[str, Any],
        source: Shards,
        target: Shards,
        numbers: Sequence[int],
        *,
        careful: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """Run the step on shards; yields their markers as they finish, in any order."""
        if not numbers:
            return
        if self.name == "serial":
            built = find_step(step, options)
            for number in numbers:
                yield work(built, source, target, number, careful=careful)
            return
        daft, max_workers = self._start()

        @daft.cls(max_concurrency=min(self.workers or max_workers, len(numbers)), use_process=True)
        class Worker:
            """Builds the step once, then processes shards."""

            def __init__(self) -> None:
                from threadpoolctl import threadpool_limits

                threadpool_limits(1)  # there is already one worker per core
                self.refused = ""
                try:
                    self.step = find_step(step, options)
                except FabulaError as error:
                    self.refused = str(error)

            @daft.method(return_dtype=daft.DataType.string())  # type: ignore[untyped-decorator]
            def run(self, number: int) -> str:
                try:
                    if self.refused:
                        return json.dumps({"refused": self.refused})
                    return json.dumps(work(self.step, source, target, number, careful=careful))
                except FabulaError as error:
                    return json.dumps({"refused": str(error)})

        for start in range(0, len(numbers), _WAVE):
            wave = list(numbers[start : start + _WAVE])
            frame = daft.from_pydict({"shard": wave})
            # Dispatch one shard at a time to a free worker; the two runners name this differently.
            partitioned = frame.into_partitions(len(wave)) if self.name == "ray" else None
            frame = frame.into_batches(1) if partitioned is None else partitioned
            for row in frame.with_column("done", Worker().run(frame["shard"])).iter_rows():
                marker = json.loads(row["done"])
                if "refused" in marker:
                    raise UsageError(marker["refused"])
                yield marker

    def _start(self) -> tuple[Any, int]:
        """The daft module with this engine active, and the maximum number of workers."""
        self.check()
        for name, value in _QUIET.items():
            os.environ.setdefault(name, value)
        try:
            import daft
        except ImportError as error:
            raise MissingPart("daft", 'pip install "fabula[scale]"') from error
        max_workers = os.cpu_count() or 1
        if self.name == "ray":
            max_workers = self._start_ray()
            daft.set_runner_ray(address=self.address, noop_if_initialized=True)
        elif not _active:
            daft.set_runner_native()
        _active[:] = [self.name]
        return daft, max_workers

    def _start_ray(self) -> int:
        if self.address is None:
            os.environ[_RAY_CLUSTERS] = "0"
        try:
            import ray
        except ImportError as error:
            raise MissingPart("ray", 'pip install "fabula[scale]"') from error
        if not ray.is_initialized():
            how: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
            if self.address is None:
                how |= {"num_cpus": self.workers or os.cpu_count(), "include_dashboard": False}
            try:
                ray.init(address=self.address or "local", **how)
            except (ConnectionError, RuntimeError, ValueError) as error:
                where = f"at {self.address}" if self.address else "here"
                raise UsageError(f"there is no Ray cluster {where}: {error}") from error
            if self.address is None:
                _refuse_wide(ray)
        return int(ray.cluster_resources().get("CPU", 1))


def _refuse_wide(ray: Any) -> None:
    """Shut a Ray down that this process started and that other machines could reach."""
    address = ray.util.get_node_ip_address()
    if address not in ("127.0.0.1", "::1"):
        ray.shutdown()
        raise UsageError(
            f"Ray, imported before fabula, would listen on {address} for every machine; set "
            f"{_RAY_CLUSTERS}=0, or start a cluster with 'ray start' and give its --address"
        )
