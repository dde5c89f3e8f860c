from __future__ import annotations

import io
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import rich.progress

from fabula.core import progress
from fabula.core.progress import shown, track


class Bars:
    """Stands for rich's display and keeps what it was told."""

    made: list[Bars]

    def __init__(self, *_: Any, **__: Any) -> None:
        self.said: list[tuple[Any, ...]] = []
        Bars.made.append(self)

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def add_task(self, what: str, *, total: int | None, rate: str) -> int:
        self.said.append(("add", what, total))
        return 1

    def update(self, bar: int, *, completed: int, rate: str) -> None:
        self.said.append(("at", completed))

    def remove_task(self, bar: int) -> None:
        self.said.append(("remove",))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bars]:
    Bars.made = []
    monkeypatch.setattr(rich.progress, "Progress", Bars)
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    # Not sys.stderr itself: pytest puts its own there for every test.
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=Terminal()))
    return Bars.made


def test_silent_unless_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track(range(3), "counting")) == [0, 1, 2]
    with shown():  # standard error is no terminal here
        assert list(track(iter("ab"), "spelling")) == ["a", "b"]
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(bars: list[Bars]) -> None:
    with shown():
        assert list(track([5, 6], "counting")) == [5, 6]
    (display,) = bars
    assert display.said == [("add", "counting", 2), ("at", 1), ("at", 2), ("remove",)]
    assert list(track([5], "after")) == [5] and len(display.said) == 4


def test_not_wanted(bars: list[Bars]) -> None:
    with shown(False):
        assert list(track([1], "counting")) == [1]
    assert bars == []


def test_the_total_of_a_stream_is_unknown_unless_said(bars: list[Bars]) -> None:
    with shown():
        list(track(iter([1]), "a"))
        list(track(iter([1]), "b", total=1))
    assert [said for said in bars[0].said if said[0] == "add"] == [
        ("add", "a", None),
        ("add", "b", 1),
    ]


def test_a_failure_removes_the_bar(bars: list[Bars]) -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"), shown():
        list(track(failing(), "counting"))
    assert bars[0].said[-1] == ("remove",)


def test_short_work_does_not_flicker(bars: list[Bars], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with shown():
        list(track(range(100), "counting"))
    assert bars[0].said == []
