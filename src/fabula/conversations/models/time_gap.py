"""A new conversation after a pause: the usual way to cut a chat that nobody interleaves."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.conversations.clock import minutes
from fabula.conversations.items import Conversation, Grouping
from fabula.errors import UsageError

__all__ = ["TimeGap"]


class TimeGap:
    """Cuts where nothing was sent for more than ``pause`` minutes.

    The argument is the pause: ``time-gap:30``. The default had the best one-to-one overlap on the
    training sections of Ubuntu IRC; a family's chat pauses for hours. A chat without times is one
    conversation.
    """

    def __init__(self, *, pause: float = 1.0) -> None:
        self.pause = pause

    @classmethod
    def from_argument(cls, argument: str) -> TimeGap:
        try:
            return cls(pause=float(argument))
        except ValueError as error:
            raise UsageError(
                f"time-gap takes minutes, as in time-gap:30; it is {argument!r}"
            ) from error

    def thread(self, conversations: Sequence[Conversation]) -> list[Grouping]:
        return [self._thread(chat) for chat in conversations]

    def _thread(self, chat: Conversation) -> Grouping:
        sent = minutes([None if m.system else m.time for m in chat.messages])
        label, labels = 0, [0]
        for i in range(1, len(chat.messages)):
            label += sent is not None and bool(sent[i] - sent[i - 1] > self.pause)
            labels.append(label)
        return Grouping(tuple(labels), (1.0,) * len(labels))
