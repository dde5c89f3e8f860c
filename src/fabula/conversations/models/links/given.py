"""What the export itself tells: which message is a reply to which, and who shares a thread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.text.io.readers.chat.message import Message

__all__ = ["given_links", "outside_threads"]


def given_links(messages: Sequence[Message]) -> list[int | None]:
    """For each message the position of the earlier one it is told to answer; None where untold.

    A reply answers the message it names; a message of a thread follows the thread's last one, or
    the message the thread is named after.

    >>> given_links([Message(1, "Lunch?", id="a"), Message(2, "Yes!", reply_to="a")])
    [None, 0]
    """
    position: dict[str, int] = {}
    last_of_thread: dict[str, int] = {}
    links: list[int | None] = []
    for i, message in enumerate(messages):
        told = None if message.reply_to is None else position.get(message.reply_to)
        if message.thread is not None:
            if told is None:
                told = last_of_thread.get(message.thread, position.get(message.thread))
            last_of_thread[message.thread] = i
        links.append(told)
        if message.id is not None:
            position[message.id] = i
    return links


def outside_threads(
    messages: Sequence[Message], probabilities: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The n x (1 + window) probabilities, where who writes beside the threads answers none in one.

    The replies of a thread are not shown with the other messages; its first message is.
    """
    begun = set[str]()
    inside = np.zeros(len(messages), dtype=bool)
    for i, message in enumerate(messages):
        if message.thread is not None:
            inside[i] = message.thread in begun
            begun.add(message.thread)
    if not inside.any():
        return probabilities
    result = probabilities.copy()
    for i, message in enumerate(messages):
        if message.thread is None:
            reach = min(i, result.shape[1] - 1)
            result[i, 1 : reach + 1][inside[i - reach : i][::-1]] = 0.0
    return result
