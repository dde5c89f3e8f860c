"""Where a table keeps context, options and answer, and how its answer is written.

Data sets of multiple choice differ in little but the names of their columns: a ``Columns`` says
them, and ``KNOWN`` has those of the usual sets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fabula.core.safety.checked_json import parse_json
from fabula.endings.items import Ending
from fabula.errors import UsageError

__all__ = ["GOLD_AS", "KNOWN", "Columns", "Row", "flaw", "layout_of"]

GOLD_AS = ("index", "number", "letter", "text")


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of a table's columns.

    ``context`` is one column with a text or a list of sentences, or several with a sentence each;
    ``options`` one column with a list, or a column for each option (empty ones at the end are
    options that the item does not have). ``gold_as`` says how the answer is written: ``index``
    from 0, ``number`` from 1, ``letter`` from A, or the ``text`` of the option.
    """

    context: tuple[str, ...] = ("context",)
    options: tuple[str, ...] = ("options",)
    gold: str | None = "gold"
    gold_as: str = "index"
    id: str | None = "id"
    relation: str | None = "relation"

    @classmethod
    def parse(
        cls,
        context: str | None = None,
        options: str | None = None,
        gold: str | None = None,
        gold_as: str | None = None,
        identifier: str | None = None,
    ) -> Columns | None:
        """From flags such as ``--options A,B,C --gold label``; None when no flag is given.

        >>> Columns.parse(options="a, b").options
        ('a', 'b')
        """
        if gold_as is not None and gold_as not in GOLD_AS:
            raise UsageError(f"--gold-as takes {', '.join(GOLD_AS)}; it is {gold_as!r}")
        given: dict[str, Any] = {
            "context": _names(context, "--context"),
            "options": _names(options, "--options"),
            "gold": gold,
            "gold_as": gold_as,
            "id": identifier,
        }
        given = {name: value for name, value in given.items() if value is not None}
        return cls(**given) if given else None

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Whether a row has the options of this layout and something of its context."""
        return all(name in row for name in self.options) and self.context[0] in row

    def ending(self, row: Mapping[str, Any], line: int) -> Ending:
        """The item in a row; a ``ValueError`` says what is wrong with it."""
        for name in (*self.context, *self.options):
            if name not in row:
                found = ", ".join(map(str, row)) or "none"
                raise ValueError(f"{name!r} is missing; the columns are: {found}")
        options = _texts(row, self.options, "options")
        while len(self.options) > 1 and options and not options[-1].strip():
            options.pop()
        if len(options) < 2:
            what = repr(self.options[0]) if len(self.options) == 1 else "the row"
            plural = "option" if len(options) == 1 else "options"
            raise ValueError(f"{what} has {len(options)} {plural}, at least 2 are needed")
        number = row.get(self.id) if self.id else None
        return Ending(
            id=str(line if number is None or number == "" else number),
            context=tuple(_texts(row, self.context, "context")),
            options=tuple(options),
            gold=self._gold(row, options),
            relation=self._relation(row),
        )

    def _gold(self, row: Mapping[str, Any], options: list[str]) -> int | None:
        if self.gold is None:
            return None
        if self.gold not in row and self.gold != "gold" and self not in KNOWN:
            raise ValueError(f"{self.gold!r} is missing; the columns are: {', '.join(row)}")
        value = row.get(self.gold)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # a column of integers with a gap in it comes as floats
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        if isinstance(value, str) and not value.strip():
            return None
        gold = _place(value, self.gold_as, options)
        if gold is None or not 0 <= gold < len(options):
            raise ValueError(f"{self.gold!r} must be {self._allowed(options)}; it is {value!r}")
        return gold

    def _allowed(self, options: list[str]) -> str:
        first, last = {
            "index": ("0", str(len(options) - 1)),
            "number": ("1", str(len(options))),
            "letter": ("A", chr(ord("A") + len(options) - 1)),
            "text": ("", ""),
        }[self.gold_as]
        if not first:
            return "the text of one of the options"
        return f"{first} or {last}" if len(options) == 2 else f"{first} to {last}"

    def _relation(self, row: Mapping[str, Any]) -> str | None:
        value = row.get(self.relation) if self.relation else None
        if value in (None, ""):
            return None
        if value not in ("cause", "effect"):
            raise ValueError(f"{self.relation!r} must be 'cause' or 'effect'; it is {value!r}")
        return str(value)


_SENTENCES = tuple(f"InputSentence{i}" for i in range(1, 5))
_SNAKE = tuple(f"input_sentence_{i}" for i in range(1, 5))
_QUIZ = ("RandomFifthSentenceQuiz1", "RandomFifthSentenceQuiz2")

# Read as they are distributed, blind ones too. Ours is the first, and the fallback.
KNOWN = (
    Columns(),
    Columns(_SENTENCES, _QUIZ, "AnswerRightEnding", "number", "InputStoryid", None),
    Columns(
        _SNAKE, ("sentence_quiz1", "sentence_quiz2"), "answer_right_ending", "number", "story_id"
    ),
    Columns(("premise",), ("choice1", "choice2"), "label", "index", "idx", "question"),
    Columns(("ctx",), ("endings",), "label", "index", "ind", None),
    Columns(("goal",), ("sol1", "sol2"), "label", "index", "id", None),
)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table, the item in it if there is one, and what is wrong with it, if anything.

    An item may be there and have a flaw: two options that are equal, or one that is empty.
    """

    line: int
    data: dict[str, Any]
    item: Ending | None
    problem: str | None


def layout_of(row: Mapping[str, Any]) -> Columns:
    """The first layout of ``KNOWN`` that fits a row; if none does, Story Cloze's or our own."""
    fitting = next((layout for layout in KNOWN if layout.fits(row)), None)
    if fitting is not None:
        return fitting
    story = any(name in row for name in (*_SENTENCES, *_QUIZ))  # one with a column missing
    return KNOWN[1] if story else KNOWN[0]


def flaw(item: Ending) -> str | None:
    """What is wrong with an item's options: equal ones, empty ones.

    >>> flaw(Ending("a", (), ("x", "y", "x ")))
    'options 1 and 3 are equal'
    """
    bare = [option.strip() for option in item.options]
    for place, option in enumerate(bare):
        if not option:
            return f"option {place + 1} is empty"
        if option in bare[:place]:
            return f"options {bare.index(option) + 1} and {place + 1} are equal"
    return None


def _names(text: str | None, option: str) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise UsageError(f"{option} takes column names with commas between; it is {text!r}")
    return names


def _texts(row: Mapping[str, Any], names: tuple[str, ...], what: str) -> list[str]:
    """The texts under the names: a list in one column, or one text a column."""
    if len(names) > 1:
        values = ["" if row[name] is None else row[name] for name in names]
        for name, value in zip(names, values, strict=True):
            if not isinstance(value, str):
                raise ValueError(f"{name!r} must be a text; it is {value!r}")
        return values if what == "options" else [value for value in values if value.strip()]
    (name,) = names
    value = row[name]
    if isinstance(value, str):
        if value.lstrip().startswith("["):  # a list in a CSV cell is JSON
            try:
                value = parse_json(value)
            except ValueError:
                value = [value]
        elif what == "context":
            value = [value] if value.strip() else []
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        either = "a text or a list of strings" if what == "context" else "a list of strings"
        raise ValueError(f"{name!r} must be {either}")
    return list(value)


def _place(value: Any, gold_as: str, options: list[str]) -> int | None:
    """Where an answer points to, from 0, or None when it cannot be understood."""
    if gold_as == "text":
        bare = [option.strip() for option in options]
        text = str(value).strip()
        return bare.index(text) if text in bare else None
    if gold_as == "letter":
        letter = str(value).strip().upper()
        return ord(letter) - ord("A") if len(letter) == 1 else None
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        value = int(value)
    if type(value) is not int:
        return None
    return value - (gold_as == "number")
