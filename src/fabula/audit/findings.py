"""A finding, the result of a probe: a claim with its uncertainty, and items to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fabula.endings.items import Ending

__all__ = ["ALPHA", "Check", "Example", "Finding", "Status"]

ALPHA = 0.02  # of clean data sets, so many at most are accused: well below the usual 5 %
Status = Literal["leak", "slight", "note", "ok", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One test of the null "the right answer might as well be any of the item's options".

    ``value`` is in the unit of the check, mostly the accuracy of a rule; ``p`` is one test's own;
    ``detectable`` is the smallest value that would be detected 19 times in 20.
    """

    name: str
    value: float
    p: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    n: int = 0
    detectable: float | None = None
    corrected: float | None = None  # for all tests of the audit, filled in at the end
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def found(self) -> bool:
        return self.corrected is not None and self.corrected <= ALPHA

    def to_row(self) -> dict[str, Any]:
        row = {name: getattr(self, name) for name in self.__slots__ if name != "detail"}
        return {**row, "found": self.found, **self.detail}


@dataclass(frozen=True, slots=True)
class Example:
    """An item to look at, and why."""

    item: Ending
    why: str

    def to_row(self) -> dict[str, Any]:
        return {**self.item.to_row(), "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one probe found.

    ``finding`` is said when its checks survive the correction for all tests of the audit,
    ``otherwise`` when they do not. A probe that states facts instead of testing sets ``status``.
    ``accuracy`` is the share of answers a rule without the context gets right, where that is what
    the probe measures; it is what findings are ranked by, unless it ``covers_all_items`` not.
    Without an accuracy they are ranked by ``value`` where ``value_is_share``. A finding that
    ``reads_context`` is a note: it does not say that the options give the answer away.
    """

    name: str
    finding: str
    otherwise: str = ""
    advice: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    p: float | None = None  # corrected for all tests of the audit, filled in at the end
    detectable: str = ""
    accuracy: float | None = None
    covers_all_items: bool = True  # False: the accuracy is that of a part of the data
    value_is_share: bool = True  # False: a ratio or a mean, which says nothing beside shares
    reads_context: bool = False
    share: tuple[float, float, float] | None = None  # of answers given away, where no accuracy
    status: Status | None = None
    checks: tuple[Check, ...] = ()
    examples: tuple[Example, ...] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)

    @property
    def found(self) -> bool:
        return self.status in ("leak", "slight")

    @property
    def gain(self) -> float:
        """How much of the room above chance is given away, for ranking."""
        if self.accuracy is None or self.chance is None or self.chance >= 1:
            return 0.0
        return max(0.0, (self.accuracy - self.chance) / (1 - self.chance))

    @property
    def interval(self) -> tuple[float, float, float] | None:
        """The gain over chance and its 95 % interval, as shares of the range above chance.

        None where the finding is not the accuracy of a rule over all items, nor states a ``share``
        (of items that another file has, say: those answers are known).
        """
        if self.share is not None:
            return self.share
        if self.accuracy is None or self.chance is None or self.chance >= 1:
            return None
        if not self.covers_all_items:
            return None
        if self.low is None or self.high is None:  # a probe from outside may give none
            return self.gain, self.gain, self.gain
        if self.accuracy != self.value:  # the interval is that of another quantity
            return None
        room = 1 - self.chance
        low, high = ((bound - self.chance) / room for bound in (self.low, self.high))
        return self.gain, max(0.0, low), max(0.0, high)

    def with_status(self, status: Status, p: float | None, checks: tuple[Check, ...]) -> Finding:
        said = self.finding if status in ("leak", "slight", "note") else self.otherwise
        return replace(self, status=status, p=p, checks=checks, finding=said or self.finding)

    def to_row(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "status": self.status,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "chance": self.chance,
            "p": self.p,
            "tests": len(self.checks),
            "finding": self.finding,
            "advice": self.advice if self.status != "ok" else "",
            "detectable": self.detectable,
            "examples": [example.to_row() for example in self.examples],
            "checks": [check.to_row() for check in self.checks],
            **self.detail,
        }
