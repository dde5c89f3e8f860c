"""The items as columns: what every probe reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.core.files import fingerprint
from fabula.endings.items import Ending
from fabula.text.segment.treebank import Words, tokenize

__all__ = ["Sheet", "sums"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def sums(groups: Ints, values: NDArray[Any], n: int) -> Floats:
    """The sum of the values of each of n groups."""
    return np.bincount(groups, weights=values.astype(float), minlength=n).astype(np.float64)


class Sheet:
    """Items with gold, their options one below the other.

    ``columns`` holds further columns of the table, one value an item, for the slices. ``memo`` is
    for what probes work out from the texts alone: it stays true whatever the labels are.
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
    def owners(self) -> Ints:
        """The item of each option."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def places(self) -> Ints:
        """The place of each option in its item, from 0."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], self.sizes)

    @cached_property
    def right(self) -> Flags:
        """Whether each option is the right one."""
        found: Flags = self.places == np.repeat(self.gold, self.sizes)
        return found

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
        """How often a blind guess is right, item by item."""
        return 1.0 / self.sizes

    def per_item(self, values: NDArray[np.float64] | Ints | Flags) -> Floats:
        """The sum over the options of each item."""
        return sums(self.owners, values, len(self))

    @cached_property
    def gold_rows(self) -> Ints:
        """The row of each item's right option among all options."""
        return self.starts[:-1] + self.gold

    def winners(self, values: Floats) -> Flags:
        """Whether each option has the largest value of its item; of a tie, all have it."""
        best = np.maximum.reduceat(values, self.starts[:-1])
        wins: Flags = values == np.repeat(best, self.sizes)
        return wins

    def take(self, chosen: Sequence[int] | Ints) -> Sheet:
        """A sheet of some of the items."""
        places = [int(place) for place in chosen]
        columns = {name: [values[i] for i in places] for name, values in self.columns.items()}
        part = Sheet([self.items[i] for i in places], columns)
        chosen_items = np.array(places, dtype=np.int64)
        rows = self.rows(chosen_items)
        known = self.__dict__  # what is worked out already is not worked out again
        if "words" in known:
            part.__dict__["words"] = self.words.take(rows)
        if "context_words" in known:
            part.__dict__["context_words"] = self.context_words.take(chosen_items)
        if "sentiment" in known:
            part.__dict__["sentiment"] = self.sentiment[rows]
        return part

    def rows(self, items: Ints) -> Ints:
        """The options of some of the items, item by item."""
        sizes = self.sizes[items]
        ends = np.cumsum(sizes)
        shift = np.repeat(self.starts[items] - (ends - sizes), sizes)
        rows: Ints = np.arange(len(shift)) + shift
        return rows

    def swapped(self, seed: int) -> Sheet:
        """The same texts with the right answer drawn anew in each item: nothing is left to find."""
        gold = np.random.default_rng(seed).integers(0, self.sizes)
        items = [
            Ending(item.id, item.context, item.options, int(place), item.relation)
            for item, place in zip(self.items, gold, strict=True)
        ]
        twin = Sheet(items, self.columns)
        for name in (
            "texts",
            "contexts",
            "owners",
            "places",
            "words",
            "context_words",
            "sentiment",
        ):
            twin.__dict__[name] = getattr(self, name)  # texts are as they were
        twin.memo = self.memo
        return twin
