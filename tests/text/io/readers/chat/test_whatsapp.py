"""The forms are those of whatstk's header grammar, and lines published by other parsers."""

from __future__ import annotations

from datetime import datetime
from itertools import product
from pathlib import Path

import pytest

from fabula.text.io.readers.chat.export import read_chat
from fabula.text.io.readers.chat.message import Message

SENT = [datetime(2020, 12, 30, 23, 58, 7), datetime(2020, 12, 31, 0, 5, 9)]
DATES = ["%Y{0}%m{0}%d", "%Y{0}%d{0}%m", "%d{0}%m{0}%Y", "%m{0}%d{0}%Y", "%d{0}%m{0}%y",
         "%m{0}%d{0}%y"]  # fmt: skip
CLOCKS = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M\u202f%p"]
FORMS = ["{0}, {1} - {2}: {3}", "[{0} {1}] {2}: {3}", "[{0}, {1}] {2}: {3}", "{0} {1} - {2}: {3}"]


def read(folder: Path, text: str, **options: str) -> list[Message]:
    path = folder / "chat.txt"
    path.write_text(text, encoding="utf-8")
    chat = read_chat(path, **options)
    assert chat is not None
    return chat.messages


@pytest.mark.parametrize(("date", "form"), list(product(DATES, FORMS)))
def test_every_header_of_the_grammar(tmp_path: Path, date: str, form: str) -> None:
    for separator, clock in product("/.-", CLOCKS):
        lines = [
            form.format(sent.strftime(date.format(separator)), sent.strftime(clock), who, "So.")
            for sent, who in zip(SENT, ("Ann Lee", "+49 170 12345"), strict=True)
        ]
        messages = read(tmp_path, "\n".join(lines) + "\n")
        resolution = slice(19) if "%S" in clock else slice(16)
        assert [(m.sender, m.text, m.line) for m in messages] == [
            ("Ann Lee", "So.", 1), ("+49 170 12345", "So.", 2),
        ], lines  # fmt: skip
        assert [(m.time or "")[resolution] for m in messages] == [
            sent.isoformat()[resolution] for sent in SENT
        ], lines


def test_android(tmp_path: Path) -> None:
    messages = read(
        tmp_path,
        "12/31/20, 11:59\u202fPM - Messages and calls are end-to-end encrypted.\n"
        "12/31/20, 11:59\u202fPM - Ann: Happy new year\nto all: of you\n\nreally\n"
        '1/1/21, 12:01\u202fAM - Ann changed the subject from "a: b" to "c"\n'
        "1/1/21, 12:02\u202fAM - Bob B.: <Media omitted>\n"
        "1/1/21, 12:03\u202fAM - Bob B. added Cem\n"
        "1/1/21, 12:04\u202fAM - Cem: IMG-20210101-WA0001.jpg (file attached)\n",
    )
    assert [(m.line, m.sender, m.system, m.media) for m in messages] == [
        (1, None, True, False), (2, "Ann", False, False), (6, None, True, False),
        (7, "Bob B.", False, True), (8, None, True, False), (9, "Cem", False, True),
    ]  # fmt: skip
    assert messages[1].text == "Happy new year\nto all: of you\n\nreally"
    assert messages[1].time == "2020-12-31T23:59:00" and messages[2].time == "2021-01-01T00:01:00"


def test_ios_and_its_marks(tmp_path: Path) -> None:
    messages = read(
        tmp_path,
        "\u200e[31.12.20, 23:59:10] Family: \u200eMessages and calls are end-to-end encrypted.\n"
        "[31.12.20, 23:59:12] Ann: we added sugar, and who left\n"
        "\u200e[01.01.21, 00:00:12] Bob: \u200eimage omitted\n"
        "[01.01.21, 00:01:12] ~ Cem: \u200e<attached: 0001-PHOTO.jpg>\n"
        "[01.01.21, 00:02:12] \u202a+44 7700 900123\u202c: hello\n",
    )
    assert [(m.sender, m.system, m.media) for m in messages] == [
        ("Family", True, False), ("Ann", False, False), ("Bob", False, True),
        ("Cem", False, True), ("+44 7700 900123", False, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("[12.3.2022 klo 14.08.18] Matias: moi", "2022-03-12T14:08:18"),  # Finnish
        ("13/06/21 14.30 - Budi: ya", "2021-06-13T14:30:00"),  # Indonesian
        ("31/12/2020 à 23:59 - Anne: oui", "2020-12-31T23:59:00"),  # French
        ("2020-12-31, 11:59 p.m. - Ann: a", "2020-12-31T23:59:00"),  # Canadian
        ("31/12/20, 11:59 p. m. - Ana: sí", "2020-12-31T23:59:00"),  # Spanish
        ("31/12/20, 11:59\u00a0p.\u00a0m. - Ana \U0001f913: sí", "2020-12-31T23:59:00"),
        ("2020. 12. 31. 23:59 - Anna: igen", "2020-12-31T23:59:00"),  # Hungarian
        ("[31. 12. 2020. 23:59:10] Ana: da", "2020-12-31T23:59:10"),  # Croatian
        ("31.12.20, 23:59 Uhr - Ann: ja", "2020-12-31T23:59:00"),
        ("2020/12/31, 13:34. - Ann: a", "2020-12-31T13:34:00"),
        ("[31/12/20 13:37:00 p.m.] Ann: a", "2020-12-31T13:37:00"),
        ("31.12.20 21.25.15: Ann: a", "2020-12-31T21:25:15"),  # iOS, years ago
        ("31. 12. 2020. 21:25:15 Ann: a", "2020-12-31T21:25:15"),
        ("31/12/2020, 8:04:08 AM: Neil Y: a", "2020-12-31T08:04:08"),
        ("31/12/20, 13:34 , Ann: a", "2020-12-31T13:34:00"),
        ("2020-12-31 23:59:10: error: a", None),  # a log
        ("2020-12-31 23:59:10 INFO worker: started", None),
    ],
)
def test_forms_of_other_countries(tmp_path: Path, line: str, time: str | None) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(line + "\n", encoding="utf-8")
    chat = read_chat(path)
    assert (None if chat is None else chat.messages[0].time) == time


@pytest.mark.parametrize(
    "text",
    [
        "< attached: 00000042-PHOTO-2020-06-07-15-13-20.jpg >",
        "\u200eplan.pdf • \u200e12 pages \u200edocument omitted",
        "<View once voice message omitted>",
        "\u200eview once message omitted",
        "\u200esticker omitted",
        "\u200ePOLL:\nWhere?\n\u200eOPTION: Here (1 vote)",
        "VID-2020.mp4 (file attached)",
        "\u200eplan.pdf • \u200e12 pages \u200e<attached: 00000003-plan.pdf>",
        "<Medien ausgeschlossen>",
        "<Archivo omitido>",
        "Diese Nachricht wurde gelöscht.",
        "You deleted this message as admin",
        "Location: https://maps.google.com/?q=51.5,-0.1",
        "null",
    ],
)
def test_attachments_are_no_words_of_a_person(tmp_path: Path, text: str) -> None:
    (message,) = read(tmp_path, f"[31/12/2020, 23:59:10] Ann: {text}\n")
    assert (message.sender, message.media, message.system) == ("Ann", True, False)


def test_an_order_that_cannot_be_known_is_told_and_can_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("3/4/21, 10:00 - Ann: hi\n4/4/21, 10:02 - Bob: ho\n")
    chat = read_chat(path)
    assert chat is not None and chat.messages[0].time == "2021-04-03T10:00:00"
    assert "3/4/21 is 2021-04-03" in chat.notes[0] and "mdy" in chat.notes[0]
    other = read_chat(path, date_order="mdy")
    assert other is not None and other.messages[0].time == "2021-03-04T10:00:00"
    assert other.notes == ()


def test_dates_that_would_run_backwards_decide(tmp_path: Path) -> None:
    messages = read(tmp_path, "1/11/21, 10:00 - Ann: hi\n2/1/21, 10:02 - Bob: ho\n")
    assert [m.time for m in messages] == ["2021-01-11T10:00:00", "2021-02-01T10:02:00"]


def test_lines_that_are_no_header_belong_to_the_message(tmp_path: Path) -> None:
    messages = read(
        tmp_path, "lost\n31/12/20, 10:00 - Ann: a\n99/99/20, 10:00 - b\n31/12/20, 88:00 - c: d\n"
    )
    assert [(m.text, m.system) for m in messages] == [
        ("lost", True), ("a\n99/99/20, 10:00 - b\n31/12/20, 88:00 - c: d", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Location: the basement, left door",
        "Poll: who is hungry?",
        "Video call at five?",
        "<3",
        "this message was deleted, she said",
        "\u200fהרכב במוסך",  # a direction mark that is no mark of the program's
    ],
)
def test_words_of_a_person_are_not_set_aside(tmp_path: Path, text: str) -> None:
    (message,) = read(tmp_path, f"[31/12/2020, 23:59:10] Ann: {text}\n")
    assert (message.text, message.media, message.system) == (text.strip("\u200f"), False, False)


@pytest.mark.parametrize(
    "text",
    ["Missed voice call", "Missed group video call", "Voice call, 3 min", "\u200f\u200eצורפת"],
)
def test_calls_and_marked_lines_are_notices(tmp_path: Path, text: str) -> None:
    (message,) = read(tmp_path, f"31/12/2020, 23:59 - Ann: {text}\n")
    assert message.system and message.text


@pytest.mark.parametrize(
    "mark",
    [
        "\u200e<This message was edited>",
        "<This message was edited>",
        "<Diese Nachricht wurde bearbeitet.>",
        "<Se editó este mensaje.>",
    ],
)
def test_an_edited_message_says_what_it_says(tmp_path: Path, mark: str) -> None:
    (message,) = read(tmp_path, f"31/12/2020, 23:59 - Ann: four chairs {mark}\n")
    assert message.text == "four chairs"


def test_a_mention_has_no_invisible_marks(tmp_path: Path) -> None:
    (message,) = read(tmp_path, "[31/12/20, 10:00:00] Ann: @\u2068Dr. Vogt\u2069 did you call?\n")
    assert message.text == "@Dr. Vogt did you call?"


def test_a_file_with_words_to_it_is_two(tmp_path: Path) -> None:
    android = read(tmp_path, "31/12/20, 10:00 - Ann: IMG-1.jpg (file attached)\nthe boiler\nE4\n")
    ios = read(tmp_path, "[31/12/20, 10:00:00] Ann: the boiler\nE4 \u200e<attached: 1-PHOTO.jpg>\n")
    assert [(m.line, m.text, m.media) for m in android] == [
        (1, "IMG-1.jpg (file attached)", True), (2, "the boiler\nE4", False),
    ]  # fmt: skip
    assert [(m.line, m.text, m.media) for m in ios] == [
        (1, "the boiler\nE4", False), (2, "<attached: 1-PHOTO.jpg>", True),
    ]  # fmt: skip


def test_quotation_marks_in_a_name_and_in_a_notice(tmp_path: Path) -> None:
    messages = read(
        tmp_path,
        '31/12/20, 10:00 - Bob "Bobby" Lee: hi\n'
        "31/12/20, 10:01 - Ann hat die Gruppe „Haus: 14“ erstellt.\n",
    )
    assert [(m.sender, m.system) for m in messages] == [('Bob "Bobby" Lee', False), (None, True)]
