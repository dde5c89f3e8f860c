"""A chat as arrays: senders, addressees, times, cues, words, and where each is met again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.clock import minutes
from fabula.conversations.models.links.chat_words import topic_matrix, word_matrix
from fabula.conversations.models.links.dialogue_cues import CUES, find_cues
from fabula.conversations.models.links.names import find_people

__all__ = ["ChatIndex", "index_chat", "pair_key"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ChatIndex:
    """Arrays over the n messages of a chat. A position that does not exist is n (after) or -1."""

    sender: Ints
    addressee: Ints
    named: Ints
    minute: NDArray[np.float64]
    timed: bool
    cues: NDArray[np.float32]
    words: Any  # scipy CSR, messages x words, the square root of each word's IDF
    norm: NDArray[np.float64]
    topic: Any  # scipy CSR as ``words``: those of the sender's messages around this one, by length
    next_by_sender: Ints  # the sender's next message
    after_next_by_sender: Ints
    next_naming_sender: Ints  # the next message that names this one's sender
    next_to_same: Ints  # the sender's next message to the same addressee
    previous_by_sender: Ints
    last_naming_sender: Ints  # the last message before this one that names its sender
    last_addressee: Ints  # whom the sender addressed last before this message
    next_addressing: Ints  # the sender's next message that addresses somebody
    said_before: Ints  # messages of the sender so far
    addressed_before: Ints  # people the sender has addressed so far
    first_of_run: Ints  # 1 where the sender is another than that of the message before
    sent: Ints  # sorted keys of (person, message): who sent which
    answers_requests: NDArray[np.float64]  # how much its sender behaves as a channel's bot does
    exchanges: Ints  # sorted keys of (pair of people, message): who named whom, either way
    partners: tuple[Ints, Ints]  # sorted keys of (person, message), and with whom the person talked
    people: int

    def __len__(self) -> int:
        return len(self.sender)


def index_chat(
    senders: Sequence[str | None], texts: Sequence[str], times: Sequence[str | None]
) -> ChatIndex:
    """The index of the messages of a chat, system lines left out, in the order sent."""
    n = len(texts)
    people = find_people(senders, texts)
    sender, addressee, named = people.sender, people.addressee, people.named
    minute = minutes(times)
    words, norm = word_matrix(texts)
    cues = find_cues(texts)
    next_by_sender = _next_same(sender)
    padded = np.append(next_by_sender, n)
    count = int(max(sender.max(initial=0), named.max(initial=0), addressee.max(initial=0))) + 1
    previous = np.full(n, -1, dtype=np.int64)
    later = np.flatnonzero(next_by_sender < n)
    previous[next_by_sender[later]] = later
    last_naming, last_addressee = _running(sender, addressee, named)
    said_before, addressed_before = _activity(sender, addressee)
    next_naming = np.full(n, n, dtype=np.int64)
    upcoming: dict[int, int] = {}
    for i in range(n - 1, -1, -1):
        next_naming[i] = upcoming.get(int(sender[i]), n)
        for person in named[i]:
            if person >= 0:
                upcoming[int(person)] = i
    who, whom = np.nonzero(named >= 0)
    pairs = pair_key(sender[who], named[who, whom], count)
    return ChatIndex(
        sender=sender,
        addressee=addressee,
        named=named,
        minute=np.zeros(n) if minute is None else minute,
        timed=minute is not None,
        cues=cues,
        words=words,
        norm=norm,
        topic=topic_matrix(
            words, sender, np.arange(n, dtype=np.float64) if minute is None else minute
        ),
        next_by_sender=next_by_sender,
        after_next_by_sender=padded[next_by_sender],
        next_naming_sender=next_naming,
        next_to_same=_next_same(np.where(addressee >= 0, sender * count + addressee, -1)),
        previous_by_sender=previous,
        last_naming_sender=last_naming,
        last_addressee=last_addressee,
        next_addressing=_next_addressing(sender, addressee),
        said_before=said_before,
        addressed_before=addressed_before,
        first_of_run=np.append(1, sender[1:] != sender[:-1]).astype(np.int64)[:n],
        sent=np.sort(sender * (n + 1) + np.arange(n)),
        answers_requests=_answers_requests(sender, cues[:, CUES.index("command")] > 0),
        exchanges=np.unique(pairs * (n + 1) + who),
        partners=_partners(sender, named),
        people=count,
    )


def pair_key(one: Ints, other: Ints, people: int) -> Ints:
    """A number for two people, whichever comes first."""
    return np.minimum(one, other) * people + np.maximum(one, other)


def _next_same(values: Ints) -> Ints:
    """For each position the next one of the same value, n where there is none or it is negative."""
    n = len(values)
    following = np.full(n, n, dtype=np.int64)
    order = np.argsort(values, kind="stable")
    same = (values[order[1:]] == values[order[:-1]]) & (values[order[1:]] >= 0)
    following[order[:-1][same]] = order[1:][same]
    return following


def _running(sender: Ints, addressee: Ints, named: Ints) -> tuple[Ints, Ints]:
    """Before each message: the last that named its sender, and whom its sender addressed last."""
    last_naming, last_addressee = (np.full(len(sender), -1, dtype=np.int64) for _ in range(2))
    naming: dict[int, int] = {}
    addressed: dict[int, int] = {}
    for i, person in enumerate(sender.tolist()):
        last_naming[i] = naming.get(person, -1)
        last_addressee[i] = addressed.get(person, -1)
        for other in named[i].tolist():
            if other >= 0:
                naming[other] = i
        if addressee[i] >= 0:
            addressed[person] = int(addressee[i])
    return last_naming, last_addressee


def _next_addressing(sender: Ints, addressee: Ints) -> Ints:
    """After each message the next one of its sender that addresses somebody, n where none."""
    n = len(sender)
    following = np.full(n, n, dtype=np.int64)
    upcoming: dict[int, int] = {}
    for i in range(n - 1, -1, -1):
        following[i] = upcoming.get(int(sender[i]), n)
        if addressee[i] >= 0:
            upcoming[int(sender[i])] = i
    return following


def _answers_requests(sender: Ints, request: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of the sender's messages, the share that came right after another's request (``!dma``)."""
    answers = np.zeros(len(sender))
    for step in (1, 2):
        answers[step:] += request[:-step] & (sender[step:] != sender[:-step])
    answers = np.minimum(answers, 1.0)
    people = int(sender.max(initial=0)) + 1
    share = np.bincount(sender, answers, people) / (np.bincount(sender, minlength=people) + 1.0)
    return np.asarray(share[sender])


def _partners(sender: Ints, named: Ints) -> tuple[Ints, Ints]:
    """Keys of (person, message) where the person named somebody or was named, and the other."""
    n = len(sender)
    talked: dict[int, int] = {}
    for i, names in enumerate(named.tolist()):
        person = int(sender[i])
        for other in names:
            if other >= 0:
                talked.setdefault(person * (n + 1) + i, other)  # the first name counts
                talked.setdefault(other * (n + 1) + i, person)
    keys = np.array(sorted(talked), dtype=np.int64)
    return keys, np.array([talked[key] for key in keys.tolist()], dtype=np.int64)


def _activity(sender: Ints, addressee: Ints) -> tuple[Ints, Ints]:
    """Before each message: how many its sender sent, and how many people the sender addressed.

    Who helps addresses many; who asks addresses few.
    """
    said, addressed = (np.zeros(len(sender), dtype=np.int64) for _ in range(2))
    count: Counter[int] = Counter()
    people: dict[int, set[int]] = {}
    for i, person in enumerate(sender.tolist()):
        said[i], addressed[i] = count[person], len(people.get(person, ()))
        count[person] += 1
        if addressee[i] >= 0:
            people.setdefault(person, set()).add(int(addressee[i]))
    return said, addressed
