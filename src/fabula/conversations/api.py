"""``thread``: which conversation each message of a chat belongs to, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.conversations.build import messages_of
from fabula.conversations.clock import sent_order
from fabula.conversations.items import Conversation, Message, Threading, call, check
from fabula.conversations.metrics import links_of
from fabula.conversations.models.links.given import given_links
from fabula.conversations.models.links.names import find_people
from fabula.registry import create_model
from fabula.types import Document

__all__ = ["Turn", "is_dialogue", "thread", "thread_messages"]

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


@dataclass(frozen=True, slots=True)
class Turn:
    """A message in its conversation, by the number of that, and the position of what it answers.

    ``addressee`` is the sender it speaks to: by name, else whom it answers, else the only other
    person of the chat. ``certainty`` is that of the answer, 1 where a name says it.
    """

    conversation: int
    answers: int | None = None
    addressee: str | None = None
    certainty: float = 1.0


def thread_messages(messages: Sequence[Document], *, model: Any = "best") -> list[Turn]:
    """The turn of each message of one or several exports.

    Messages of different exports (``conversation_source``) are never of one conversation; replies
    and threads that an export tells are taken as given. In a chat that is no dialogue
    (``is_dialogue``) nothing but them holds messages together: what people report is for the
    stories to sort. Where an export tells days, its messages are threaded in the order of their
    times.
    """
    exports: dict[Any, list[int]] = {}
    for position, message in enumerate(messages):
        source = message.extra.get("conversation_source", message.source)
        exports.setdefault(source, []).append(position)
    turns: dict[int, Turn] = {}
    used = 0
    for given in exports.values():
        order = sent_order([messages[position].extra.get("time") for position in given])
        positions = [given[i] for i in order]
        export = messages_of([messages[position] for position in positions])
        found = thread(export, model=model) if is_dialogue(export) else _as_told(export)
        links = found.links or ()
        for i, addressee in enumerate(_addressees(export, links)):
            turns[positions[i]] = Turn(
                used + found.labels[i],
                positions[links[i]] if links[i] != i else None,
                addressee,
                found.probabilities[i],
            )
        used += max(found.labels) + 1
    return [turns[position] for position in range(len(messages))]


def _addressees(messages: Sequence[Message], links: Sequence[int]) -> list[str | None]:
    """Whom each message speaks to, where that is a sender of the chat."""
    people = find_people([m.sender for m in messages], [m.text for m in messages])
    sender = people.sender.tolist()
    names = dict(zip(reversed(sender), reversed([m.sender for m in messages]), strict=True))
    others = {person: (set(names) - {person}) for person in names} if len(names) == 2 else {}
    found: list[int | None] = []
    for i, named in enumerate(people.addressee.tolist()):
        person: int | None = named if named >= 0 else None
        if person is None and links[i] != i:
            answered = links[i]
            person = sender[answered] if sender[answered] != sender[i] else found[answered]
        if person is None and others:
            (person,) = others[sender[i]]
        found.append(person)
    return [None if person is None else names.get(person) for person in found]


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


def _as_told(messages: Sequence[Message]) -> Threading:
    """Conversations by the replies and threads of the export alone."""
    links = [i if told is None else told for i, told in enumerate(given_links(messages))]
    labels: list[int] = []
    for i, answered in enumerate(links):
        labels.append(i if answered == i else labels[answered])
    return Threading(tuple(labels), (1.0,) * len(labels), tuple(links))


def _message(message: Message | Document | Mapping[str, Any], number: int) -> Message:
    if isinstance(message, Message):
        return message
    if isinstance(message, Document):
        return messages_of([message])[0]
    return Message.from_row(message, number)
