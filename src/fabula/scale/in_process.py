"""A build without an engine: its steps run in this process, on rows as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from fabula.core.progress import track
from fabula.scale.worker import Tally, find_step

__all__ = ["InProcess", "Stream"]


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows that are made while they are read; each call of ``rows`` makes them anew."""

    make: Callable[[], Iterator[Any]]

    def rows(self) -> Iterator[Any]:
        return self.make()


class InProcess:
    """The counterpart of a ``Plan`` for one process: nothing is written, and an error stops it.

    Steps get ``size`` rows at a time, so memory does not grow with the corpus.
    """

    sharded = False

    def __init__(self, *, size: int) -> None:
        self.size = size
        self._tally = Tally()

    def read(
        self,
        rows: Iterable[Mapping[str, Any]],
        name: str = "documents",
        size: int | None = None,
        *,
        most: int | None = None,
    ) -> Stream:
        """The rows, which are read once."""
        tracked = track(rows, name)
        return Stream(lambda: tracked)

    def run(self, step: str, source: Stream, target: object = None, **options: Any) -> Stream:
        """Run a step over the rows of ``source``; there is no ``target`` without shards."""

        def made() -> Iterator[Any]:
            built = find_step(step, options)
            rows = source.rows()
            while batch := list(islice(rows, self.size)):
                yield from built(batch, self._tally)

        return Stream(made)

    def keep(self, made: Stream) -> Stream:
        """The same rows, for more than one reading: each is made once and then remembered."""
        rows, known = made.rows(), list[Any]()

        def again() -> Iterator[Any]:
            at = 0
            while True:
                if at == len(known):
                    try:
                        known.append(next(rows))
                    except StopIteration:
                        return
                yield known[at]
                at += 1

        return Stream(again)

    def refer(self, source: Stream | str) -> Iterator[dict[str, Any]]:
        """Rows for a further step: one that names a file, or the rows already made."""
        if isinstance(source, Stream):
            yield from source.rows()
        else:
            yield {"id": source, "path": source}

    def refuse_empty(self, rows: Stream, why: str) -> None:
        """Nothing: how many rows there are is known when they have been read."""

    def tally(self) -> dict[str, int]:
        """What the steps counted so far."""
        return self._tally.counts()

    def report(self) -> None:
        """A run in one process is not reported."""
