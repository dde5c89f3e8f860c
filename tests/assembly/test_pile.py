from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fabula.assembly.pile import pieces_of, read_pile
from fabula.errors import InputError
from fabula.text.io.streams import Skips
from fabula.types import Aside, Document


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


def test_a_folder_is_read_whatever_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"The caf\xe9 burnt.")
    (tmp_path / "b.pdf").write_bytes(b"no PDF")
    (tmp_path / "c.png").write_bytes(b"\x89PNG\0")
    (tmp_path / "d").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "e.csv").write_text("id,text,date\n1,One.,2011\n2,Two.,never\n")
    (tmp_path / "f.txt").symlink_to(tmp_path / "gone.txt")
    (tmp_path / "g.json").write_text("[{")
    os.mkfifo(tmp_path / "h.txt")
    skips = Skips()
    assert [d.text for d in read_pile(tmp_path, skips=skips)] == ["The café burnt.", "One."]
    assert list(read_pile(tmp_path))  # logged
    notes = "\n".join(skips.notes())
    for name, reason in {
        "b.pdf": "cannot be read as PDF",
        "c.png": "is of no kind",
        "d": "is not a text file",
        "e.csv": "a date is YYYY",
        "f.txt": "is a link to nothing",
        "g.json": "not JSON",
        "h.txt": "is not a file but a pipe",
    }.items():
        assert f"Skipped {tmp_path / name}: " in notes and reason in notes
    assert f"Read as latin-1: {tmp_path / 'a.txt'}." in notes


def test_a_file_that_is_named_is_read_or_is_an_error(tmp_path: Path) -> None:
    skips = Skips()
    (tmp_path / "a.txt").write_bytes(b"The caf\xe9 burnt.")
    assert list(read_pile(tmp_path / "a.txt", skips=skips))
    assert skips.encodings == {str(tmp_path / "a.txt"): "latin-1"}
    (tmp_path / "b.pdf").write_bytes(b"no PDF")
    with pytest.raises(InputError, match=r"b\.pdf: cannot be read as PDF"):
        list(read_pile(tmp_path / "a.txt", tmp_path / "b.pdf", skips=skips))
    (tmp_path / "a.txt").unlink()
    why = r"holds no document that can be read \(b\.pdf: cannot be read as PDF"
    with pytest.raises(InputError, match=why):
        list(read_pile(tmp_path))


def test_a_dateline_without_a_year_is_of_the_time_of_the_other_documents(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("PARIS, 30 December (Reuters) - The old bridge fell down.")
    (tmp_path / "b-2024-01-02.txt").write_text("The old bridge will be built again, it is said.")
    assert {p.date for p in pieces_of(read_pile(tmp_path))} == {"2023-12-30", "2024-01-02"}
    assert pieces_of(read_pile(tmp_path / "a.txt"))[0].date is None


def test_a_guessed_date_order_is_noted_and_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(
        "3/4/21, 10:00 - Ann: The mill is burning.\n3/4/21, 10:05 - Bob: Are you safe, Ann?\n"
    )
    notes: list[str] = []
    pieces = pieces_of(read_pile(path), notes=notes)
    assert pieces[0].time == "2021-04-03T10:00:00"
    (note,) = notes
    assert note.startswith(f"{path}: dates are read day first: 3/4/21 is 2021-04-03.")
    assert "2021-03-04 (month first)" in note and "--date-order mdy" in note
    said: list[str] = []
    pieces = pieces_of(read_pile(path, date_order="mdy"), notes=said)
    assert (pieces[0].time, said) == ("2021-03-04T10:00:00", [])


def test_replaced_characters_are_noted() -> None:
    notes: list[str] = []
    pieces_of([Document("a", ("The mill \ud800 burned.",), source="a.txt")], notes=notes)
    assert notes == ["a.txt: 1 character that no text can hold became U+FFFD."]


def test_numbered_headings_are_set_aside_and_known_to_their_sentences() -> None:
    text = "Ann was there.\n1. Fair\nIt is on Saturday. All come.\n2. Shed\nThe lock was forced."
    aside: list[tuple[str, Aside]] = []
    pieces = pieces_of([Document("a", (text,), source="a.txt", lines=(1,))], aside)
    assert [piece.section for piece in pieces] == [None, "1. Fair", "1. Fair", "2. Shed"]
    assert [(name, part.text, part.line) for name, part in aside] == [
        ("a.txt", "1. Fair", 2),
        ("a.txt", "2. Shed", 4),
    ]


def test_entries_of_a_diary_have_their_own_dates() -> None:
    text = "13 May 1940\nFog till ten. We marched.\n15 May 1940\nRain."
    aside: list[tuple[str, Aside]] = []
    pieces = pieces_of([Document("a", (text,), source="a.txt", lines=(1,))], aside)
    assert [(piece.date, piece.entry) for piece in pieces] == [
        ("1940-05-13", "1940-05-13"),
        ("1940-05-13", "1940-05-13"),
        ("1940-05-15", "1940-05-15"),
    ]
    assert {piece.document for piece in pieces} == {0}
    assert [part.kind for _, part in aside] == ["date line", "date line"]


def test_times_of_a_live_blog_and_headings_that_a_file_marks_are_no_sentences(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.txt").write_text("9.10 am\nSmoke is seen.\n\n10:05\nTwo crews arrive.\n")
    (tmp_path / "b.md").write_text("# Fire\n\nIt began at one.\n\n## What now?\n\nRain fell.\n")
    aside: list[tuple[str, Aside]] = []
    pieces = pieces_of(read_pile(tmp_path), aside)
    assert [(piece.sentence.text, piece.section) for piece in pieces] == [
        ("Smoke is seen.", None),
        ("Two crews arrive.", None),
        ("It began at one.", None),
        ("Rain fell.", "What now?"),
    ]
    assert [(part.kind, part.text) for _, part in aside] == [
        ("time line", "9.10 am"),
        ("time line", "10:05"),
        ("heading", "What now?"),
    ]
    only = Document("c", ("Fire", "Flood"), extra={"headings": ["Fire", "Flood"]})
    assert [piece.sentence.text for piece in pieces_of([only])] == ["Fire", "Flood"]


def test_the_mark_of_a_list_item_is_no_part_of_its_sentence() -> None:
    text = "* The mill burned.\n* Rain fell on it.\n- 5 crews came.\n-5 degrees.\n*"
    document = Document("a", (text,), lines=(1,))
    pieces = pieces_of([document])
    told = [piece.sentence.text for piece in pieces]
    assert told[:4] == ["The mill burned.", "Rain fell on it.", "5 crews came.", "-5 degrees."]
    for sentence in (piece.sentence for piece in pieces):
        assert text[sentence.start : sentence.end] == sentence.text
