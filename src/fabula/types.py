"""The words every part of fabula uses: documents, sentences, narratives."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fabula.wellformed import count_replaced, well_formed, well_formed_value

__all__ = ["Actor", "Aside", "Deed", "Document", "Narrative", "Placed", "Sentence"]

_log = logging.getLogger("fabula.text")


@dataclass(frozen=True, slots=True)
class Aside:
    """Text of a document's file that is kept but is no part of the telling, and where it stands.

    ``kind`` is ``quote`` (another mail quoted in this one), ``signature``, ``boilerplate``
    (navigation, cookie banner, copyright), ``header``, ``footer``, ``byline``, ``dateline``,
    ``caption``, ``note``, ``attachment``, ``markup`` or ``notice`` (of a chat program).
    """

    kind: str
    text: str
    line: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", well_formed(self.text))


@dataclass(frozen=True, slots=True)
class Document:
    """One text as it was found.

    ``line`` is where the document starts in ``source``. ``lines`` gives the line of each
    paragraph where the paragraphs stand in the file as they are (plain text), so that a sentence
    can be found again; it is empty where they do not (a JSON field, a table cell). In a format
    without lines (DOCX, PDF ...) it counts paragraphs or pages. ``aside`` is what the file holds
    besides: all text of a file is in a paragraph, in an aside or in the fields read from it.
    ``date`` is when the document was published or sent; ``extra["date_from"]`` says how it is
    known.

    Text that is not well-formed (a lone surrogate) becomes so here, with U+FFFD in its place;
    ``extra["characters_replaced"]`` then says how many.
    """

    id: str
    paragraphs: tuple[str, ...]
    title: str | None = None
    date: str | None = None  # YYYY[-MM[-DD]]
    category: str | None = None
    source: str | None = None
    line: int = 1
    lines: tuple[int, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    aside: tuple[Aside, ...] = ()

    def __post_init__(self) -> None:
        paragraphs = tuple(map(well_formed, self.paragraphs))
        replaced = sum(map(count_replaced, self.paragraphs, paragraphs))
        object.__setattr__(self, "paragraphs", paragraphs)
        for name in ("id", "title", "date", "category", "source", "extra"):
            object.__setattr__(self, name, well_formed_value(getattr(self, name)))
        if replaced:
            object.__setattr__(self, "extra", {**self.extra, "characters_replaced": replaced})
            _log.warning(
                "%s: %d characters that are no text (lone surrogates) are now U+FFFD",
                self.source or self.id, replaced,
            )  # fmt: skip

    @property
    def text(self) -> str:
        """The paragraphs joined by blank lines."""
        return "\n\n".join(self.paragraphs)

    @property
    def month(self) -> str | None:
        """``YYYY-MM``, or None when the date is missing or only a year."""
        return self.date[:7] if self.date and len(self.date) >= 7 else None

    def to_row(self) -> dict[str, Any]:
        """The document as plain values; ``from_row`` gives it back."""
        row = {name: getattr(self, name) for name in self.__slots__}
        aside = [{name: getattr(a, name) for name in a.__slots__} for a in self.aside]
        sequences = {"paragraphs": list(self.paragraphs), "lines": list(self.lines)}
        return {**row, **sequences, "aside": aside}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Document:
        sequences = {"paragraphs": tuple(row["paragraphs"]), "lines": tuple(row["lines"])}
        aside = tuple(Aside(**one) for one in row.get("aside", ()))
        return cls(**{**row, **sequences, "aside": aside})


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, and where it stands.

    ``start`` and ``end`` are offsets into the paragraph, such that
    ``paragraph[start:end] == text``.
    """

    text: str
    source: str | None = None
    line: int = 1
    paragraph: int = 0
    start: int = 0
    end: int = 0
    document: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", well_formed(self.text))


@dataclass(frozen=True, slots=True)
class Placed:
    """A sentence in its narrative: its place (from 1) and how sure we are that it belongs.

    ``id`` names the sentence by what it says, so that it is found again in another pile;
    ``repeat_of`` is the position of the sentence this one says again; ``why`` tells, in words,
    what drew it here; ``time`` is when it was sent, where that is known; ``also_in`` are the near
    copies of it in other documents. ``message`` and ``conversation`` number the chat message it
    came in and its conversation; ``answers`` is the position of what that message answers.
    ``unordered`` are the positions of sentences of which it is unknown whether they come before.
    """

    sentence: Sentence
    position: int
    probability: float
    id: str = ""
    repeat_of: int | None = None
    runner_up: int | None = None
    why: tuple[str, ...] = ()
    sender: str | None = None
    time: str | None = None
    fixed: bool = False
    when: str | None = None  # when it happened, in EDTF
    also_in: tuple[Sentence, ...] = ()
    message: int | None = None
    conversation: int | None = None
    answers: int | None = None
    unordered: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody or something that acts in a narrative, and the positions where it does.

    ``kind`` is person, organisation or place; ``aliases`` are its other names in the text.
    """

    name: str
    positions: tuple[int, ...]
    kind: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deed:
    """Who did what to whom, in the sentence at ``position``; a part nobody fills is empty.

    ``standing`` is certain, negated, modal, planned or reported (``said_by``). ``doer`` and
    ``undergoer`` are the names of actors; while ``certain`` is False a pronoun's meaning is in
    doubt, and ``subject`` or ``object`` says so: "he (Bellini?)".
    """

    position: int
    verb: str
    subject: str = ""
    object: str = ""
    negated: bool = False
    standing: str = "certain"
    said_by: str = ""
    doer: str = ""
    undergoer: str = ""
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Narrative:
    """One recovered story: its sentences in the order in which things happened."""

    id: int
    title: str
    sentences: tuple[Placed, ...]
    order_confidence: float = 1.0
    actors: tuple[Actor, ...] = ()
    deeds: tuple[Deed, ...] = ()
    locked: bool = False
