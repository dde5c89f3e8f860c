"""The order of chat messages: pieces of a pile in, the place of each in the chats out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabula.assembly.pile import Piece
from fabula.conversations.clock import sent_order

__all__ = ["ChatPlace", "chat_places", "keep_messages_whole"]


class ChatPlace(NamedTuple):
    """Where a sentence stands in the order sent, among those of the same ``sequence``."""

    sequence: str
    position: int


def chat_places(pieces: Sequence[Piece]) -> dict[int, ChatPlace]:
    """For each chat sentence its place in the order sent.

    All exports that tell days are one sequence, by their times; an export without days is one by
    itself, in the order of its messages.
    """
    exports: dict[str, list[int]] = {}
    for index, piece in enumerate(pieces):
        if piece.message is not None:
            exports.setdefault(piece.chat or "", []).append(index)
    dated: list[int] = []
    sequences: dict[str, list[int]] = {}
    for name, members in exports.items():
        ordered = [members[i] for i in sent_order([pieces[index].time for index in members])]
        if any("-" in (pieces[index].time or "") for index in members):
            dated += ordered
        else:
            sequences[f"chat {name}"] = ordered
    by_time = sent_order([pieces[index].time for index in dated])
    sequences["chats"] = [dated[i] for i in by_time]
    return {
        index: ChatPlace(name, position)
        for name, members in sequences.items()
        for position, index in enumerate(members)
    }


def keep_messages_whole(ordered: Iterable[int], pieces: Sequence[Piece]) -> list[int]:
    """The order with the sentences of each message together, where its first one stands."""
    places: dict[object, list[int]] = {}
    for index in ordered:
        message = pieces[index].message
        places.setdefault(("sentence", index) if message is None else message, []).append(index)
    return [index for members in places.values() for index in members]
