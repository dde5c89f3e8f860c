from __future__ import annotations

import json
from pathlib import Path

from fabula.assembly.pile import pieces_of, read_pile


def test_a_chat_export_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "chat.csv"
    path.write_text(
        'time,sender,message\n2021-03-04 21:15,Ann,"It rains. Stay in."\n2021-03-04 21:10,Bob,Hi!\n'
    )
    pieces = pieces_of(read_pile(path))
    assert [(p.sentence.text, p.sentence.line, p.sender, p.time, p.message) for p in pieces] == [
        ("It rains.", 2, "Ann", "2021-03-04T21:15:00", 1),
        ("Stay in.", 2, "Ann", "2021-03-04T21:15:00", 1),
        ("Hi!", 3, "Bob", "2021-03-04T21:10:00", 2),
    ]
    assert all(p.sentence.source == str(path) for p in pieces)


def test_a_chat_export_in_jsonl(tmp_path: Path) -> None:
    rows = [
        {"from": "Ann", "timestamp": 1614892500, "text": "It rains."},
        {"from": "Bob", "timestamp": 1614892600, "text": ""},  # a picture
    ]
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (piece,) = pieces_of(read_pile(tmp_path))
    assert (piece.sender, piece.time) == ("Ann", "2021-03-04T21:15:00")


def test_a_table_of_documents_is_no_chat(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "date": "2011", "text": "One. Two."}) + "\n")
    assert [p.message for p in pieces_of(read_pile(path))] == [None, None]


def test_ids_depend_on_the_text() -> None:
    one, two, again = pieces_of(["One.\nTwo.\nOne."])
    assert one.id != two.id and again.id == f"{one.id}-2"
    assert pieces_of(["Two.", "One."])[1].id == one.id
