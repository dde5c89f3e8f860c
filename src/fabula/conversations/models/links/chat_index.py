"""A chat as arrays: senders, addressees, times, cues, words, and where each is met again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.clock import minutes
from fabula.conversations.models.links.dialogue_cues import find_cues
from fabula.conversations.models.links.names import find_people
from fabula.text.idf import idf

__all__ = ["ChatIndex", "index_chat", "pair_key"]

Ints = NDArray[np.int64]
_WORD = re.compile(r"[^\W_][\w.+#/-]*[\w+#]|[^\W_]")
_PRIOR = 200.0  # messages taken as read, so that a short chat does not take every word for rare


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
    next_by_sender: Ints  # the sender's next message
    after_next_by_sender: Ints
    next_naming_sender: Ints  # the next message that names this one's sender
    next_to_same: Ints  # the sender's next message to the same addressee
    previous_by_sender: Ints
    last_naming_sender: Ints  # the last message before this one that names its sender
    last_addressee: Ints  # whom the sender addressed last before this message
    said_before: Ints  # messages of the sender so far
    addressed_before: Ints  # people the sender has addressed so far
    first_of_run: Ints  # 1 where the sender is another than that of the message before
    exchanges: Ints  # sorted keys of (pair of people, message): who named whom, either way
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
    words, norm = _word_matrix(texts, people.named >= 0)
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
        cues=find_cues(texts),
        words=words,
        norm=norm,
        next_by_sender=next_by_sender,
        after_next_by_sender=padded[next_by_sender],
        next_naming_sender=next_naming,
        next_to_same=_next_same(np.where(addressee >= 0, sender * count + addressee, -1)),
        previous_by_sender=previous,
        last_naming_sender=last_naming,
        last_addressee=last_addressee,
        said_before=said_before,
        addressed_before=addressed_before,
        first_of_run=np.append(1, sender[1:] != sender[:-1]).astype(np.int64)[:n],
        exchanges=np.unique(pairs * (n + 1) + who),
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


def _word_matrix(texts: Sequence[str], naming: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Messages x words with root-IDF weights, and the length of each row; names are no words."""
    from scipy import sparse

    lines = [set(_WORD.findall(text.lower()[:4000])) for text in texts]
    frequency = Counter(word for line in lines for word in line)
    kept = sorted(word for word, count in frequency.items() if count > 1)
    column = {word: number for number, word in enumerate(kept)}
    rarity = idf(
        [frequency[word] for word in kept] or [1],
        len(texts),
        prior_documents=_PRIOR,
        prior_frequency=0.5,
    )
    cells = [(i, column[w]) for i, line in enumerate(lines) for w in sorted(line) if w in column]
    rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    weights = np.sqrt(rarity[columns]) if len(columns) else np.zeros(0)
    matrix = sparse.csr_matrix((weights, (rows, columns)), shape=(len(texts), max(len(kept), 1)))
    # A word of this message alone is shared with no other, and still makes the message longer.
    alone = np.array([sum(frequency[w] == 1 for w in line) for line in lines], dtype=np.float64)
    once = float(idf([1], len(texts), prior_documents=_PRIOR, prior_frequency=0.5)[0])
    return matrix, np.asarray(matrix.multiply(matrix).sum(1)).ravel() + alone * once
