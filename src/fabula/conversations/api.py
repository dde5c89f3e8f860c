"""``thread``: which conversation each message of a chat belongs to, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.conversations.build import messages_of
from fabula.conversations.items import Conversation, Message, Threading, call, check
from fabula.conversations.metrics import links_of
from fabula.conversations.models.links.given import given_links
from fabula.conversations.models.links.names import find_people
from fabula.registry import create_model
from fabula.types import Document

__all__ = ["is_dialogue", "thread", "thread_messages"]

_SHORT = 8  # words
_DIALOGUE = 0.45


def thread(
    messages: Sequence[Message | Document | Mapping[str, Any]], *, model: Any = "best"
) -> Threading:
    """Conversations of one chat, its messages in the order sent.

    A message is a document of ``read_messages``, a ``Message``, or a mapping with ``sender``,
    ``time`` and ``text``. ``labels`` number the conversations from 0 in the order they begin,
    ``probabilities`` say how sure each label is, ``links`` which earlier message is answered (the
    message itself where it starts a conversation). A system line is a conversation of its own.

    >>> thread([{"sender": "Ann", "time": None, "text": "Only one."}]).labels
    (0,)
    """
    chat = Conversation("chat", tuple(_message(m, i) for i, m in enumerate(messages, 1)))
    if not chat.messages:
        return Threading((), (), ())
    (answer,) = call(create_model("conversations", model), [chat])
    check(chat, answer)
    numbers: dict[int, int] = {}
    return Threading(
        tuple(numbers.setdefault(label, len(numbers)) for label in answer.labels),
        answer.probabilities,
        links_of(chat, answer),
    )


def thread_messages(messages: Sequence[Document], *, model: Any = "best") -> list[int]:
    """A conversation's number for each message of one or several exports.

    Messages of different exports (``conversation_source``) are never of one conversation; replies
    and threads that an export tells are taken as given. In a chat that is no dialogue
    (``is_dialogue``) nothing but them holds messages together: what people report is for the
    stories to sort. Each export's messages must be in the order sent.
    """
    exports: dict[Any, list[int]] = {}
    for position, message in enumerate(messages):
        source = message.extra.get("conversation_source", message.source)
        exports.setdefault(source, []).append(position)
    labels = [0] * len(messages)
    used = 0
    for positions in exports.values():
        export = messages_of([messages[position] for position in positions])
        found = thread(export, model=model).labels if is_dialogue(export) else _as_told(export)
        for position, label in zip(positions, found, strict=True):
            labels[position] = used + label
        used += max(found) + 1
    return labels


def is_dialogue(messages: Sequence[Message]) -> bool:
    """Whether people talk with one another: enough messages are short, ask, or address somebody.

    Of 100 messages of #ubuntu 62 to 98 do; of news sentences sent as messages 0 to 30.
    """
    spoken = [message for message in messages if not message.system]
    people = find_people([m.sender for m in spoken], [m.text for m in spoken])
    turns = [
        len(message.text.split()) <= _SHORT or "?" in message.text or addressee >= 0
        for message, addressee in zip(spoken, people.addressee.tolist(), strict=True)
    ]
    return bool(sum(turns) >= _DIALOGUE * len(turns))


def _as_told(messages: Sequence[Message]) -> list[int]:
    """Conversations by the replies and threads of the export alone."""
    labels: list[int] = []
    for i, earlier in enumerate(given_links(messages)):
        labels.append(i if earlier is None else labels[earlier])
    return labels


def _message(message: Message | Document | Mapping[str, Any], number: int) -> Message:
    if isinstance(message, Message):
        return message
    if isinstance(message, Document):
        return messages_of([message])[0]
    return Message.from_row(message, number)
