"""Engines: which processes the shards go to. Both are daft; the plan is the same one line."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabula.errors import MissingPart, UnknownName, UsageError
from fabula.scale.shards import Shards
from fabula.scale.work import find_step, work

__all__ = ["ENGINES", "run_shards"]

ENGINES = ("native", "ray")

# Set before daft or ray is imported: nothing is sent anywhere.
_QUIET = {
    "DAFT_ANALYTICS_ENABLED": "0",
    "DAFT_PROGRESS_BAR": "0",
    "DO_NOT_TRACK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
}


def run_shards(
    step: str,
    options: Mapping[str, Any],
    source: Shards,
    target: Shards,
    numbers: Sequence[int],
    *,
    engine: str = "native",
    address: str | None = None,
    workers: int | None = None,
) -> Iterator[dict[str, Any]]:
    """The markers of the shards as they are done, in no promised order."""
    if not numbers:
        return
    daft = _start(engine, address)
    many = workers or os.cpu_count() or 1

    @daft.cls(max_concurrency=many, use_process=True)
    class Worker:
        """Makes the step once, then takes shard after shard."""

        def __init__(self) -> None:
            self.step = find_step(step, options)

        @daft.method(return_dtype=daft.DataType.string())  # type: ignore[untyped-decorator]
        def run(self, number: int) -> str:
            return json.dumps(work(self.step, source, target, number))

    frame = daft.from_pydict({"shard": list(numbers)})
    # A shard at a time to whoever is free; the two runners name this differently.
    frame = frame.into_partitions(len(numbers)) if engine == "ray" else frame.into_batches(1)
    for row in frame.with_column("done", Worker().run(frame["shard"])).iter_rows():
        yield json.loads(row["done"])


def _start(engine: str, address: str | None) -> Any:
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    if address and engine != "ray":
        raise UsageError(f"--address is for --engine ray; the engine is {engine!r}")
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        import daft
    except ImportError as error:
        raise MissingPart("daft", 'pip install "fabula[scale]"') from error
    if engine == "ray":
        try:
            import ray
        except ImportError as error:
            raise MissingPart("ray", 'pip install "fabula[scale]"') from error
        if not ray.is_initialized():
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        if engine == "ray":
            daft.set_runner_ray(address=address, noop_if_initialized=True)
        else:
            daft.set_runner_native()
    except Exception as error:
        raise UsageError(f"this process has begun with another engine than {engine!r}") from error
    return daft
