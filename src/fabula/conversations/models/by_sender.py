"""A conversation a sender: what is left when nobody answers anybody."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.conversations.items import Conversation, Grouping

__all__ = ["BySender"]


class BySender:
    """All messages of one sender are a conversation; system lines are one each."""

    def thread(self, conversations: Sequence[Conversation]) -> list[Grouping]:
        return [self._thread(chat) for chat in conversations]

    def _thread(self, chat: Conversation) -> Grouping:
        numbers: dict[object, int] = {}
        keys = [("system", i) if m.system else m.sender for i, m in enumerate(chat.messages)]
        labels = tuple(numbers.setdefault(key, len(numbers)) for key in keys)
        return Grouping(labels, (1.0,) * len(labels))
