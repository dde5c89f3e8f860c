"""A task small enough to check by hand: is a number even?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fabula.errors import UsageError
from fabula.task import Score, Task, View


@dataclass(frozen=True)
class Number:
    id: str
    values: tuple[int, ...]
    gold: tuple[bool, ...] | None = None


Answer = list[float]  # for each value, the probability that it is even


def number(n: int) -> Number:
    values = tuple(range(n, n + 1 + n % 3))
    return Number(f"n{n}", values, tuple(value % 2 == 0 for value in values))


def numbers(count: int) -> list[Number]:
    return [number(n) for n in range(count)]


def _read(path: Any) -> Iterator[Number]:
    for line in Path(path).read_text().splitlines():
        yield number(json.loads(line)["n"])


def _present(item: Number, rng: Any, options: Any) -> View[Number, Answer]:
    order = list(range(len(item.values)))
    rng.shuffle(order)
    seen = replace(item, values=tuple(item.values[i] for i in order), gold=None)

    def restore(answer: Answer) -> Answer:
        back = [0.0] * len(answer)
        for position, i in enumerate(order):
            back[i] = answer[position]
        return back

    return View(seen, restore)


def _check(item: Number, answer: Answer) -> None:
    if len(answer) != len(item.values):
        raise UsageError(f"{len(answer)} probabilities for {len(item.values)} values")


def _right(item: Number, answer: Answer) -> list[bool]:
    assert item.gold is not None
    return [(p > 0.5) == gold for p, gold in zip(answer, item.gold, strict=True)]


TOY: Task[Number, Answer] = Task(
    name="toy",
    read=_read,
    present=_present,
    call=lambda model, items: model.judge(items),
    check=_check,
    to_row=lambda answer: {"even": list(answer)},
    from_row=lambda row: list(row["even"]),
    metrics={
        "all_right": lambda item, answer: Score(float(all(_right(item, answer)))),
        "accuracy": lambda item, answer: Score(sum(_right(item, answer)), len(item.values)),
        "VI": lambda item, answer: Score(1 - sum(_right(item, answer)) / len(item.values)),
    },
    examples=lambda: numbers(7),
    contract="judge(items) -> list[Answer]",
)


class Judge:
    """Right on all but every ``slip``-th value."""

    def __init__(self, *, slip: int = 1000, name: str = "judge") -> None:
        self.slip, self.name = slip, name

    def judge(self, items: Any) -> list[Answer]:
        return [[self._one(value) for value in item.values] for item in items]

    def _one(self, value: int) -> float:
        even = value % 2 == 0
        return 0.9 if even != (value % self.slip == self.slip - 1) else 0.1


class Stopping(Judge):
    """Fails at one call, and counts what it was asked."""

    def __init__(self, *, slip: int = 5) -> None:
        super().__init__(slip=slip)
        self.calls, self.asked, self.fail_at = 0, 0, 0

    def __getstate__(self) -> dict[str, int]:
        return {"slip": self.slip}  # counting makes no other model of it

    def judge(self, items: Any) -> list[Answer]:
        self.calls += 1
        if self.calls == self.fail_at:
            raise RuntimeError("the power went out")
        self.asked += len(items)
        return super().judge(items)
