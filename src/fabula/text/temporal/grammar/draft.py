"""What a pattern says before it is placed in time: a draft of a time expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from fabula.text.temporal.grammar.tokens import TokenLine

__all__ = ["NOT_A_TIME", "Build", "Draft", "Found", "Rule", "Spec"]


@dataclass(frozen=True, slots=True)
class Spec:
    """The parts of a time as far as they are told.

    ``value`` is final where given. Otherwise a date is told by ``year`` ... ``weekday``, or by
    ``shift`` many ``unit`` from ``anchor``: "document", the document's date; "narrative", the time
    the text last spoke of. ``direction`` ("last", "this", "next") is from the anchor, too.
    ``clock`` is in minutes after midnight; ``half`` is "am", "pm" or unknown.
    """

    value: str = ""
    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    holiday: str = ""
    season: str = ""
    unit: str = ""
    shift: int | None = None
    direction: str = ""
    anchor: str = "document"
    part: str = ""
    clock: int | None = None
    half: str | None = None
    zone: str = ""
    exact: bool = False  # "exactly two years ago": to the day


@dataclass(slots=True)
class Draft:
    """Tokens ``first`` to ``last`` (one past) as a TIMEX3 ``type`` with its ``spec``.

    ``relation`` is "after" or "before" where the text says how far from an event something is
    ("two days after the raid"), with that distance as a duration.
    """

    first: int
    last: int
    type: str
    spec: Spec
    mod: str = ""
    quant: str = ""
    freq: str = ""
    relation: str = ""
    marks: frozenset[str] = field(default_factory=frozenset)


NOT_A_TIME = ""  # the type of a draft that only keeps other patterns away from its tokens


@dataclass(frozen=True, slots=True)
class Found:
    """A match of a pattern in a sentence."""

    match: re.Match[str]
    line: TokenLine
    first: int
    last: int

    def token_of(self, group: str) -> int:
        """The first token of a named group."""
        return self.line.token_at(self.match.start(group))

    def __getitem__(self, group: str) -> str:
        return self.match[group] or ""

    def after(self) -> str:
        return self.line.word(self.last)

    def before(self, back: int = 1) -> str:
        return self.line.word(self.first - back)

    def draft(self, type_: str, spec: Spec, **more: str) -> Draft:
        return Draft(self.first, self.last, type_, spec, **more)  # type: ignore[arg-type]


Build = Callable[[Found], "Draft | list[Draft] | None"]


class Rule(NamedTuple):
    """A pattern over ``TokenLine.line`` and the function that reads its match."""

    name: str
    pattern: re.Pattern[str]
    build: Build

    @classmethod
    def of(cls, name: str, pattern: str, build: Build) -> Rule:
        return cls(name, re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), build)

    def drafts(self, line: TokenLine) -> Iterator[Draft]:
        for match in self.pattern.finditer(line.line):
            first, last = line.token_at(match.start()), line.token_at(match.end() - 1) + 1
            built = self.build(Found(match, line, first, last))
            if built is not None:
                yield from built if isinstance(built, list) else [built]
