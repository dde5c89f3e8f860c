"""The input of every probe: the items, files to compare with, and results that probes share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fabula.audit.findings import Example
from fabula.audit.item_table import ItemTable
from fabula.audit.stats.item_pairs import conflicting_items, mirrored_pairs
from fabula.audit.stats.near_duplicates import Duplicate, DuplicateIndex, connected_groups
from fabula.audit.stats.options_classifier import OptionsOnlyResult, evaluate_options_only
from fabula.audit.stats.parses import Parses, parse
from fabula.endings.items import Ending

__all__ = ["AuditContext", "ComparisonFile", "RowProblem", "is_testable"]

Ints = NDArray[np.int64]
_log = logging.getLogger("fabula.audit")


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A row of a file that is no item, and why."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class ComparisonFile:
    """A file to look for duplicates in; ``read`` gives its items anew each time."""

    name: str
    read: Callable[[], Iterable[Ending]]


@dataclass(kw_only=True)
class AuditContext:
    """What a probe reads. ``table`` has the testable items, without duplicates.

    ``all_items`` has every item read. ``family`` is the number of probes that test something, for
    which p-values are corrected. ``sample`` limits the items a classifier is trained on, ``parsed``
    the options that are parsed.
    """

    all_items: ItemTable
    problems: Sequence[RowProblem] = ()
    comparison_files: Sequence[ComparisonFile] = ()
    rows: int = 0  # of the file, when ``all_items`` is a sample of them
    seed: int = 0
    family: int = 1
    sample: int = 20_000
    parsed: int = 4_000
    _samples: dict[int, Ints] = field(default_factory=dict)

    @cached_property
    def duplicate_index(self) -> DuplicateIndex:
        return DuplicateIndex(self.all_items.items)

    @cached_property
    def duplicates(self) -> list[Duplicate]:
        """Items of the file that duplicate an earlier one."""
        return self.duplicate_index.inside()

    @cached_property
    def table(self) -> ItemTable:
        duplicates = {duplicate.item for duplicate in self.duplicates}
        testable = [
            index
            for index, item in enumerate(self.all_items.items)
            if index not in duplicates and is_testable(item)
        ]
        return self.all_items.take(testable)

    @property
    def sheet(self) -> ItemTable:
        """The former name of ``table``, for probes written outside this package."""
        return self.table

    @cached_property
    def mirrored(self) -> list[tuple[int, int]]:
        """Pairs of ``all_items`` with equal options and another answer to another context."""
        return mirrored_pairs(self.all_items.items)

    @cached_property
    def conflicts(self) -> list[tuple[int, int]]:
        """Pairs of ``all_items`` with the same context, and answers that contradict."""
        return conflicting_items(self.all_items.items)

    @cached_property
    def item_groups(self) -> Ints:
        """A group number for each item of ``table``, shared by items that must not be divided.

        Items of one context, and mirrored pairs: a classifier trained on one half of a pair has
        learnt the wrong answer of the other.
        """
        first: dict[str, int] = {}
        pairs = [
            (index, first.setdefault(text, index))
            for index, text in enumerate(self.table.contexts)
            if text.strip()
        ]
        return connected_groups(len(self.table), [*pairs, *mirrored_pairs(self.table.items)])

    def sample_items(self, most: int) -> Ints:
        """The indices of at most ``most`` items of ``table``, drawn by the seed, in order."""
        if most not in self._samples:
            n = len(self.table)
            rng = np.random.default_rng((self.seed, most))
            drawn = np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))
            self._samples[most] = drawn.astype(np.int64)
        return self._samples[most]

    @cached_property
    def training_sample(self) -> tuple[ItemTable, Ints]:
        """The items that classifiers are trained on, and their indices in ``table``."""
        indices = self.sample_items(self.sample)
        whole = len(indices) == len(self.table)
        return (self.table if whole else self.table.take(indices)), indices

    @cached_property
    def options_only(self) -> OptionsOnlyResult:
        """How well a classifier does on the training sample without the items' contexts."""
        table, indices = self.training_sample
        return evaluate_options_only(table, groups=self.item_groups[indices], seed=self.seed)

    @cached_property
    def parses(self) -> tuple[ItemTable, Parses] | None:
        """A sample of the items, parsed; None when ``parsed`` is 0 or the text is not English."""
        from fabula.text.segment.language import looks_english

        widest = int(self.table.sizes.max(initial=1))
        table = self.table.take(self.sample_items(max(1, self.parsed // widest)))
        if self.parsed < 1:
            return None
        if not looks_english(" ".join(table.texts[:2000])):
            _log.info("the options do not look English; they are not parsed")
            return None
        return table, parse(table.texts)

    def example(self, index: int, why: str) -> Example:
        return Example(self.table.items[index], why)


def is_testable(item: Ending) -> bool:
    """Whether a test can use an item: it has a gold answer, and options that differ."""
    options = [option.strip() for option in item.options]
    return item.gold is not None and len(options) > 1 and len(set(options)) == len(options)
