from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabula.assembly.pile import pieces_of, read_pile
from fabula.errors import InputError
from fabula.text.temporal.chat_timestamps import read_times


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


@pytest.mark.parametrize(
    ("value", "time"),
    [
        ("2021-03-04T21:15:00Z", "2021-03-04T21:15:00"),
        ("2021-03-04T21:15:00+02:00", "2021-03-04T19:15:00"),
        ("4/3/2021, 21:15", "2021-03-04T21:15:00"),
        ("[4.3.21, 9:15:10 PM]", "2021-03-04T21:15:10"),
        (1614892500000, "2021-03-04T21:15:00"),
        ("7:05", "07:05:00"),
        (None, None),
        ("", None),
    ],
)
def test_times(value: object, time: str | None) -> None:
    assert read_times([(1, value)], path="x") == [time]


def test_the_file_says_which_is_the_month() -> None:
    times = read_times([(1, "3/4/2021, 21:15"), (2, "3/14/2021, 21:15")], path="x")
    assert times == ["2021-03-04T21:15:00", "2021-03-14T21:15:00"]


def test_no_time() -> None:
    with pytest.raises(InputError, match=r"x:7: 'soon' is no time"):
        read_times([(7, "soon")], path="x")
