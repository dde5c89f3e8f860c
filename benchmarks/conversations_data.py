"""Parts of the labelled IRC: what ``links`` learns from, is tuned on, and is measured on.

``python -m benchmarks.conversations_data FOLDER`` writes train.jsonl and tune.jsonl (one section
in eight) of irc_train, and the same without the years from 2013 on, which are later.jsonl. The
authors of the corpus marked its parts a and b themselves, b with adjudication, as they did what
is measured on; part c was marked by people trained afterwards. guideline.jsonl is a and b of
train.jsonl.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from fabula.conversations.items import Conversation, read_conversations
from fabula.text.io.records import write_records

DATA = Path("../shared/data/real")
_TUNED, _OF = 3, 8
_LATER = "2013"
_BY_AUTHORS = ("train-a", "train-b")


def parts() -> dict[str, list[Conversation]]:
    """The parts of irc_train by name; a section's id begins with its date."""
    chats = list(read_conversations(DATA / "irc_train.jsonl.xz"))
    tune = [chat for number, chat in enumerate(chats) if number % _OF == _TUNED]
    names = {chat.id for chat in tune}
    train = [chat for chat in chats if chat.id not in names]
    return {
        "train": train,
        "guideline": by_authors(train),
        "tune": tune,
        "earlier-train": [chat for chat in train if chat.id < _LATER],
        "earlier-guideline": by_authors([chat for chat in train if chat.id < _LATER]),
        "earlier-tune": [chat for chat in tune if chat.id < _LATER],
        "later": [chat for chat in chats if chat.id >= _LATER],
    }


def by_authors(chats: Sequence[Conversation]) -> list[Conversation]:
    """The sections that the authors of the corpus marked; a section's id names its part."""
    return [chat for chat in chats if any(part in chat.id for part in _BY_AUTHORS)]


def write_parts(folder: Path) -> None:
    """The parts as JSONL."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chats in parts().items():
        write_records(folder / f"{name}.jsonl", [chat.to_row() for chat in chats])


if __name__ == "__main__":
    write_parts(Path(sys.argv[1]))
