"""What the probes share: the items, the other files, and what is costly to work out twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import Example
from fabula.audit.item_table import Sheet
from fabula.audit.stats.near_duplicates import Copy, Index, components
from fabula.audit.stats.options_classifier import Learnt, learn
from fabula.audit.stats.parses import Parses, parse
from fabula.endings.items import Ending

__all__ = ["Case", "Other", "Problem", "usable_item"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that could not be read as an item, or an item that no probe can use."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Other:
    """A file to look for copies in; ``read`` gives its items anew each time."""

    name: str
    read: Callable[[], Iterable[Ending]]


@dataclass(kw_only=True)
class Case:
    """One audit. ``sheet`` has the items that can be tested: gold, two options or more, no copy.

    ``every`` has all items read. ``family`` is the number of probes that test something: p-values
    are corrected for it. ``sample`` is the most items a classifier learns from, ``parsed`` the most
    options that are parsed.
    """

    every: Sheet
    problems: Sequence[Problem] = ()
    others: Sequence[Other] = ()
    rows: int = 0  # of the file, when only a sample of them is in ``every``
    seed: int = 0
    family: int = 1
    sample: int = 20_000
    parsed: int = 4_000
    _chosen: dict[int, Ints] = field(default_factory=dict)

    @cached_property
    def index(self) -> Index:
        return Index(self.every.items)

    @cached_property
    def copies(self) -> list[Copy]:
        """Copies inside the file."""
        return self.index.inside()

    @cached_property
    def sheet(self) -> Sheet:
        later = {copy.item for copy in self.copies}
        usable = [
            place
            for place, item in enumerate(self.every.items)
            if place not in later and usable_item(item)
        ]
        return self.every.take(usable)

    @cached_property
    def groups(self) -> Ints:
        """Items of ``sheet`` with one context have one number: folds keep them together."""
        first: dict[str, int] = {}
        pairs = [
            (place, first.setdefault(context, place))
            for place, context in enumerate(self.sheet.contexts)
            if context.strip()
        ]
        return components(len(self.sheet), pairs)

    def sampled(self, most: int) -> Ints:
        """At most so many items of ``sheet``, drawn by the seed, in order; all if there are few."""
        if most not in self._chosen:
            n = len(self.sheet)
            rng = np.random.default_rng((self.seed, most))
            drawn = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
            self._chosen[most] = drawn.astype(np.int64)
        return self._chosen[most]

    @cached_property
    def learning(self) -> tuple[Sheet, Ints]:
        """The items the classifiers learn from, and their places in ``sheet``."""
        places = self.sampled(self.sample)
        whole = len(places) == len(self.sheet)
        return (self.sheet if whole else self.sheet.take(places)), places

    @cached_property
    def learnt(self) -> Learnt:
        sheet, places = self.learning
        return learn(sheet, groups=self.groups[places], seed=self.seed)

    @cached_property
    def parses(self) -> tuple[Sheet, Parses] | None:
        """Some of the items, parsed; None when their language is not the parser's."""
        from fabula.text.segment.language import looks_english

        widest = int(self.sheet.sizes.max(initial=1))
        sheet = self.sheet.take(self.sampled(max(1, self.parsed // widest)))
        if self.parsed < 1 or not looks_english(" ".join(sheet.texts[:2000])):
            return None
        return sheet, parse(sheet.texts)

    def example(self, place: int, why: str) -> Example:
        return Example(self.sheet.items[place], why)


def usable_item(item: Ending) -> bool:
    """Whether a test can be made of an item: a gold answer, and options that differ."""
    options = [option.strip() for option in item.options]
    return item.gold is not None and len(options) > 1 and len(set(options)) == len(options)
