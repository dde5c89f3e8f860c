"""Everything is one conversation: the floor any model must beat."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.conversations.items import Conversation, Grouping

__all__ = ["Single"]


class Single:
    """One conversation a chat."""

    def thread(self, conversations: Sequence[Conversation]) -> list[Grouping]:
        return [
            Grouping((0,) * len(chat.messages), (1.0,) * len(chat.messages))
            for chat in conversations
        ]
