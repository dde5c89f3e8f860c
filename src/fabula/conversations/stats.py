"""Statistics of chats: messages, senders, conversations and how many of them run at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabula.conversations.items import Conversation

__all__ = ["statistics"]


def statistics(conversations: Iterable[Conversation]) -> dict[str, Any]:
    """Counts and means; what needs labels is None where no chat has any."""
    chats = messages = system = senders = labelled = found = at_once = labelled_messages = 0
    for chat in conversations:
        spoken = chat.spoken
        chats += 1
        messages += len(spoken)
        system += len(chat.messages) - len(spoken)
        senders += len({chat.messages[i].sender for i in spoken})
        if chat.labels is not None:
            labels = [chat.labels[i] for i in spoken]
            labelled += 1
            labelled_messages += len(labels)
            found += len(set(labels))
            at_once += _open_conversations(labels)
    divisor = max(chats, 1)
    return {
        "chats": chats,
        "messages": messages,
        "system_lines": system,
        "messages_per_chat": messages / divisor,
        "senders_per_chat": senders / divisor,
        "conversations_per_chat": found / labelled if labelled else None,
        "conversations_at_once": at_once / labelled_messages if labelled_messages else None,
    }


def _open_conversations(labels: list[int]) -> int:
    """Conversations begun and not yet over, summed over the messages."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for i, label in enumerate(labels):
        first.setdefault(label, i)
        last[label] = i
    return sum(last[label] - first[label] + 1 for label in first)
