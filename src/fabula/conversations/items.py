"""A chat to be threaded: messages in the order sent, and a model's conversations among them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Protocol

from fabula.errors import InputError, UsageError
from fabula.salads.items import Grouping, check_grouping
from fabula.task import View, read_answers
from fabula.text.io.readers.chat.message import Message
from fabula.text.io.records import Record, read_records

__all__ = [
    "Conversation", "ConversationModel", "Grouping", "Message", "Threading", "call", "check",
    "present", "read_conversations", "read_threading",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stretch of chat. ``labels`` (a conversation's number per message) and ``links`` are gold.

    ``links`` are pairs (message, the earlier message it answers), counted from 0; a message that
    starts a conversation is linked to itself. System lines have labels that nothing scores.
    """

    id: str
    messages: tuple[Message, ...]
    labels: tuple[int, ...] | None = None
    links: tuple[tuple[int, int], ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spoken(self) -> tuple[int, ...]:
        """The positions of the messages that people sent, system lines left out."""
        return tuple(i for i, message in enumerate(self.messages) if not message.system)

    def to_row(self) -> dict[str, Any]:
        """The chat as a JSON row (docs: file formats)."""
        row: dict[str, Any] = {
            "id": self.id,
            "messages": [message.to_row() for message in self.messages],
        }
        if self.labels is not None:
            row["labels"] = list(self.labels)
        if self.links is not None:
            row["links"] = [list(link) for link in self.links]
        return {**row, **self.extra}


@dataclass(frozen=True, slots=True)
class Threading(Grouping):
    """A grouping that also tells, for each message, which earlier one it answers (itself: none)."""

    links: tuple[int, ...] | None = None


def read_conversations(path: str | PathLike[str]) -> Iterator[Conversation]:
    """Chats from JSONL or Parquet, one at a time; a wrong row is an error with its line."""
    for record in read_records(path):
        try:
            yield _conversation(record)
        except (KeyError, TypeError, ValueError) as error:
            problem = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InputError(problem, path=path, line=record.line) from error


_FIELDS = {"id", "messages", "labels", "links"}


def _conversation(record: Record) -> Conversation:
    row = record.data
    if not isinstance(row["messages"], list) or not row["messages"]:
        raise ValueError("'messages' must be a list of at least one message")
    messages = tuple(Message.from_row(m, i) for i, m in enumerate(row["messages"], 1))
    labels, links = row.get("labels"), row.get("links")
    if labels is not None:
        if not isinstance(labels, list) or not all(type(v) is int for v in labels):
            raise ValueError("'labels' must be a list of whole numbers")
        if len(labels) != len(messages):
            raise ValueError(f"{len(labels)} labels for {len(messages)} messages")
    if links is not None:
        links = tuple(_link(link, len(messages)) for link in links)
    return Conversation(
        id=str(record.line if row.get("id") is None else row["id"]),
        messages=messages,
        labels=None if labels is None else tuple(labels),
        links=links,
        extra={key: value for key, value in row.items() if key not in _FIELDS},
    )


def _link(link: Any, messages: int) -> tuple[int, int]:
    if not isinstance(link, list) or len(link) != 2 or not all(type(v) is int for v in link):
        raise ValueError("'links' must be pairs: the message, and the earlier one it answers")
    late, early = max(link), min(link)
    if not 0 <= early <= late < messages:
        raise ValueError(f"a link names message {link}, outside 0..{messages - 1}")
    return late, early


def present(
    conversation: Conversation, rng: random.Random, options: Mapping[str, Any]
) -> View[Conversation, Grouping]:
    """The chat without gold, in the order sent: order, senders and times are what a model has."""
    return View(Conversation(conversation.id, conversation.messages), lambda answer: answer)


def check(conversation: Conversation, grouping: Grouping) -> None:
    """Refuse an answer without one label and one probability in [0, 1] for each message."""
    n = len(conversation.messages)
    check_grouping(grouping, f"chat {conversation.id!r}", n, "messages")
    links = getattr(grouping, "links", None)
    if links is not None and (
        len(links) != n or not all(0 <= earlier <= i for i, earlier in enumerate(links))
    ):
        raise UsageError(
            f"chat {conversation.id!r}: 'links' must name for each of the {n} messages an earlier "
            "one, or itself"
        )


class ConversationModel(Protocol):
    """The contract of a model that threads chats."""

    def thread(self, conversations: list[Conversation], /) -> Sequence[Grouping]: ...


def read_threading(conversation: Conversation, value: Any) -> Grouping:
    """An answer from ``labels``, with or without ``probabilities`` and ``links``, or labels alone.

    >>> read_threading(Conversation("a", (Message(1, "hi"),)), [7]).labels
    (7,)
    """
    if isinstance(value, Grouping):
        return value
    row = value if isinstance(value, Mapping) else {"labels": value}
    labels = tuple(_whole(label) for label in row["labels"])
    probabilities = row.get("probabilities")
    links = row.get("links")
    return Threading(
        labels,
        (1.0,) * len(labels) if probabilities is None else tuple(map(float, probabilities)),
        _answer_links(links, len(labels)),
    )


def _answer_links(links: Any, n: int) -> tuple[int, ...] | None:
    """One earlier message per message; gold pairs, as an items file has them, are read as such."""
    if links is None:
        return None
    if len(links) and isinstance(links[0], list | tuple):
        by_message = dict(_link(list(link), n) for link in links)
        return tuple(by_message.get(i, i) for i in range(n))
    return tuple(map(_whole, links))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or int(value) != value:
        raise ValueError(f"a label must be a whole number; it is {value!r}")
    return int(value)


def call(model: ConversationModel, conversations: Sequence[Conversation]) -> list[Grouping]:
    """The groupings of a model, one for each chat; labels alone will do."""
    return read_answers(conversations, model.thread(list(conversations)), read_threading)
