"""Multiple-choice items as columns, one row an option: what every probe reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import fingerprint
from fabula.endings.items import Ending
from fabula.text.segment.treebank import Words, tokenize

__all__ = ["ItemTable", "group_sums"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def group_sums(groups: Ints, values: NDArray[Any], n: int) -> Floats:
    """The sum of the values of each of ``n`` groups."""
    return np.bincount(groups, weights=values.astype(float), minlength=n).astype(np.float64)


class ItemTable:
    """Items and their options; arrays over options follow the order of the items.

    The options of item i are the rows ``starts[i]`` to ``starts[i + 1]``; ``sizes`` counts them.
    ``columns`` has further columns of the file, one value an item, for the slices. ``memo`` caches
    what depends on the texts alone, not on the gold answers.
    """

    def __init__(
        self, items: Sequence[Ending], columns: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.items = list(items)
        self.memo: dict[str, Any] = {}
        self.columns = {name: list(values) for name, values in (columns or {}).items()}
        self.sizes: Ints = np.array([len(item.options) for item in self.items], dtype=np.int64)
        self.starts: Ints = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        self.gold: Ints = np.array(
            [-1 if item.gold is None else item.gold for item in self.items], dtype=np.int64
        )

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def texts(self) -> list[str]:
        """All options, item by item."""
        return [option for item in self.items for option in item.options]

    @cached_property
    def contexts(self) -> list[str]:
        return [" ".join(item.context) for item in self.items]

    @cached_property
    def item_of_option(self) -> Ints:
        """The item of each option."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def positions(self) -> Ints:
        """The position of each option in its item, from 0."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], self.sizes)

    @cached_property
    def right(self) -> Flags:
        """Whether each option is the right one."""
        right: Flags = self.positions == np.repeat(self.gold, self.sizes)
        return right

    @cached_property
    def words(self) -> Words:
        return tokenize(self.texts)

    @cached_property
    def context_words(self) -> Words:
        return tokenize(self.contexts)

    @cached_property
    def sentiment(self) -> Floats:
        from fabula.text.sentiment import compound

        return compound([text[:2000] for text in self.texts])

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(
            part
            for item in self.items
            for part in (*item.context, "", *item.options, "", str(item.gold))
        )

    @property
    def chances(self) -> Floats:
        """The probability that a random guess is right, item by item."""
        return 1.0 / self.sizes

    def sum_by_item(self, values: NDArray[np.float64] | Ints | Flags) -> Floats:
        """The sum over the options of each item."""
        return group_sums(self.item_of_option, values, len(self))

    @cached_property
    def gold_rows(self) -> Ints:
        """The row of each item's right option among all options."""
        return self.starts[:-1] + self.gold

    def winners(self, values: Floats) -> Flags:
        """Whether each option has the largest value of its item; of a tie, all have it."""
        best = np.maximum.reduceat(values, self.starts[:-1])
        wins: Flags = values == np.repeat(best, self.sizes)
        return wins

    def take(self, chosen: Sequence[int] | Ints) -> ItemTable:
        """The table of some of the items, by index; cached columns are taken over."""
        indices = np.array([int(index) for index in chosen], dtype=np.int64)
        columns = {name: [values[i] for i in indices] for name, values in self.columns.items()}
        part = ItemTable([self.items[i] for i in indices], columns)
        rows = self.option_rows(indices)
        cached = self.__dict__
        if "words" in cached:
            part.__dict__["words"] = self.words.take(rows)
        if "context_words" in cached:
            part.__dict__["context_words"] = self.context_words.take(indices)
        if "sentiment" in cached:
            part.__dict__["sentiment"] = self.sentiment[rows]
        return part

    def option_rows(self, items: Ints) -> Ints:
        """The rows of the options of some of the items, item by item."""
        sizes = self.sizes[items]
        ends = np.cumsum(sizes)
        shift = np.repeat(self.starts[items] - (ends - sizes), sizes)
        rows: Ints = np.arange(len(shift)) + shift
        return rows

    def with_random_gold(self, seed: int) -> ItemTable:
        """The same texts with each item's gold answer redrawn uniformly: data under the null."""
        gold = np.random.default_rng(seed).integers(0, self.sizes)
        items = [
            Ending(item.id, item.context, item.options, int(position), item.relation)
            for item, position in zip(self.items, gold, strict=True)
        ]
        redrawn = ItemTable(items, self.columns)
        for name in (
            "texts",
            "contexts",
            "item_of_option",
            "positions",
            "words",
            "context_words",
            "sentiment",
        ):
            redrawn.__dict__[name] = getattr(self, name)
        redrawn.memo = self.memo
        return redrawn
