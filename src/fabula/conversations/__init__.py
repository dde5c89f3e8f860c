"""Conversations: a chat comes apart into who talks with whom (chat disentanglement)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from fabula.conversations.api import Turn, thread, thread_messages
from fabula.conversations.items import (
    Conversation,
    ConversationModel,
    Grouping,
    Message,
    Threading,
    call,
    check,
    present,
    read_conversations,
    read_threading,
)
from fabula.conversations.metrics import METRICS
from fabula.task import Task

__all__ = [
    "TASK", "Conversation", "ConversationModel", "Message", "Threading", "Turn",
    "read_conversations", "thread", "thread_messages",
]  # fmt: skip


def _to_row(grouping: Grouping) -> dict[str, Any]:
    links = getattr(grouping, "links", None)
    return {
        "labels": list(grouping.labels),
        "probabilities": list(grouping.probabilities),
        **({} if links is None else {"links": list(links)}),
    }


def _from_row(row: Mapping[str, Any]) -> Grouping:
    links = row.get("links")
    return Threading(
        tuple(row["labels"]),
        tuple(row["probabilities"]),
        None if links is None else tuple(links),
    )


def _measurable(conversations: Sequence[Conversation]) -> Collection[str]:
    linked = any(conversation.links is not None for conversation in conversations)
    return set(METRICS) - (set() if linked else {"link_f1"})


def _examples() -> list[Conversation]:
    def chat(name: str, lines: str, labels: Sequence[int]) -> Conversation:
        rows = [line.strip().split(" ", 2) for line in lines.strip().splitlines()]
        messages = [
            Message(number, text, sender.rstrip(":"), time)
            for number, (time, sender, text) in enumerate(rows, 1)
        ]
        return Conversation(name, tuple(messages), tuple(labels))

    return [
        chat(
            "printer-and-lunch",
            """10:00 ann: does anyone know why the printer is offline?
            10:01 bob: who wants to come to lunch at noon?
            10:01 cem: ann: did you switch it off and on again?
            10:02 dee: bob: i do, where do we meet?
            10:03 ann: cem: yes, it still says offline
            10:04 bob: dee: at the door, a quarter to""",
            (0, 1, 0, 1, 0, 1),
        ),
        chat(
            "keys",
            """18:30 eva: i lost my keys :(
            18:31 finn: eva: have you looked in the car?
            18:33 eva: finn: found them, thanks!""",
            (0, 0, 0),
        ),
    ]


TASK: Task[Conversation, Grouping] = Task(
    name="conversations",
    read=read_conversations,
    present=present,
    call=call,
    partial=True,
    check=check,
    to_row=_to_row,
    from_row=_from_row,
    metrics=METRICS,
    examples=_examples,
    contract="thread(conversations) -> list[Grouping]",
    read_answer=read_threading,
    measurable=_measurable,
)
