"""Threads of mail: the ids in a message's headers in, one id for all messages of a thread out."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["Threads", "plain_subject"]

_PREFIX = re.compile(
    r"^(?:\s*(?:\[[^\]]{1,40}\]\s*)?(?:re|aw|sv|antw|fwd?|wg|tr|rv)(?:\[\d+\])?\s*:)+\s*",
    re.IGNORECASE,
)
_TAG = re.compile(r"^\s*\[[^\]]{1,40}\]\s*")


def plain_subject(subject: str) -> tuple[str, bool]:
    """The subject without "Re:", "Fwd:" and list tags, in small letters; whether it had any.

    >>> plain_subject("RE: [desk] Fwd:  The flood")
    ('the flood', True)
    """
    bare = _PREFIX.sub("", subject)
    return " ".join(_TAG.sub("", bare).lower().split()), bare != subject


class Threads:
    """The threads of the messages seen so far."""

    def __init__(self) -> None:
        self._roots: dict[str, str] = {}
        self._subjects: dict[str, str] = {}

    def of(
        self, message_id: str, references: Sequence[str], in_reply_to: str, subject: str
    ) -> str | None:
        """The id of the thread: the first message that the headers name, as far as it is known.

        A message that names none but answers by its subject is in the thread of that subject; two
        messages of one subject that answer nothing are two threads.
        """
        named = [*references, *([in_reply_to] if in_reply_to else [])]
        bare, answers = plain_subject(subject)
        if named:
            root = next((self._roots[name] for name in named if name in self._roots), named[0])
        elif answers and bare:
            root = self._subjects.get(bare, f"subject:{bare}")
        else:
            root = message_id
        if not root:
            return f"subject:{bare}" if bare else None
        for name in (message_id, *named):
            if name:
                self._roots.setdefault(name, root)
        if bare:
            self._subjects[bare] = root
        return root
