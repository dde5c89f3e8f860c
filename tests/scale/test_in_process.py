"""Steps in one process: the rows of a plan, made only as far as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.scale.test_scale import DOUBLE, Here

from fabula.scale import InProcess, Plan

ROWS: list[dict[str, Any]] = [{"id": f"r{i}", "value": i} for i in range(12)]


def counted(seen: list[int]) -> Iterator[dict[str, Any]]:
    for row in ROWS:
        seen.append(row["value"])
        yield row


@pytest.mark.parametrize("size", [1, 4, 100])
def test_the_rows_and_counts_of_a_plan(tmp_path: Path, size: int) -> None:
    plan: Any = Plan(str(tmp_path / "work"), engine=Here(), size=size)
    alone: Any = InProcess(size=size)
    results = [list(build.run(DOUBLE, build.read(ROWS)).rows()) for build in (plan, alone)]
    assert results[0] == results[1]
    assert plan.tally() == alone.tally()
    assert alone.report() is None


def test_no_more_is_read_than_asked_for() -> None:
    seen: list[int] = []
    build = InProcess(size=3)
    made = build.run(DOUBLE, build.read(counted(seen))).rows()
    assert seen == [] and len(list(islice(made, 4))) == 4
    assert seen == [0, 1, 2, 3, 4, 5]


def test_kept_rows_are_made_once_and_no_earlier_than_needed() -> None:
    seen: list[int] = []
    build = InProcess(size=3)
    kept = build.keep(build.run(DOUBLE, build.read(counted(seen))))
    first = list(islice(kept.rows(), 2))
    assert seen == [0, 1, 2]
    every = list(kept.rows())
    assert every[:2] == first and len(every) == len(ROWS)
    assert list(kept.rows()) == every
    assert seen == list(range(len(ROWS)))


def test_a_row_that_fails_stops_the_build() -> None:
    build = InProcess(size=3)
    with pytest.raises(ValueError, match="thirteen"):
        list(build.run(DOUBLE, build.read([{"id": "a", "value": 13}])).rows())


def test_what_a_further_step_reads() -> None:
    build = InProcess(size=3)
    assert list(build.refer("-")) == [{"id": "-", "path": "-"}]
    assert list(build.refer(build.read(ROWS))) == ROWS
