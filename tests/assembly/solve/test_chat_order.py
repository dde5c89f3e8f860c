from __future__ import annotations

from pathlib import Path

from fabula.assembly import assemble
from fabula.assembly.pile import Piece, pieces_of, read_pile
from fabula.assembly.render.formats import to_html, to_json
from fabula.assembly.solve.chat_order import chat_places, keep_messages_whole
from fabula.types import Document, Sentence

UNTIMED = """Ann: The ferry left the harbour at noon. It was full.
Bob: Before that, at nine, the captain had checked the engine.
Ann: At ten the engine failed. He had checked it at nine.
Bob: In the evening we walked home.
Ann: At noon nobody knew about it. The ferry left the harbour at noon.
"""


def told(path: Path) -> list[str]:
    (story,) = assemble(read_pile(path), stories=1).stories
    return [placed.sentence.text for placed in story.sentences]


def test_a_chat_without_times_stays_in_the_order_sent(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(UNTIMED)
    assert told(path) == [
        "The ferry left the harbour at noon.",
        "It was full.",
        "Before that, at nine, the captain had checked the engine.",
        "At ten the engine failed.",
        "He had checked it at nine.",
        "In the evening we walked home.",
        "At noon nobody knew about it.",
        "The ferry left the harbour at noon.",
    ]


def test_midnight_is_no_step_back(tmp_path: Path) -> None:
    path = tmp_path / "channel.log"
    path.write_text(
        "[23:58] <ann> the mill is burning\n[23:59] <bob> who is there with you?\n"
        "[00:02] <ann> nobody, i called the brigade\n[00:05] <bob> they are on the way\n"
    )
    assert [text.split()[0] for text in told(path)] == ["the", "who", "nobody,", "they"]


def piece(text: str, message: int | None, chat: str | None, time: str | None) -> Piece:
    return Piece(Sentence(text), text, "Ann", time, message, chat=chat)


def test_exports_with_days_are_one_sequence_and_others_their_own() -> None:
    places = chat_places(
        [
            piece("a", 1, "first", "2021-03-04T09:00:00"),
            piece("b", 2, "first", "2021-03-04T11:00:00"),
            piece("c", 3, "second", "2021-03-04T10:00:00"),
            piece("d", 4, "third", "10:30:00"),
            piece("e", None, None, None),
        ]
    )
    assert [places[i].position for i in range(3)] == [0, 2, 1]
    assert places[0].sequence == places[2].sequence != places[3].sequence
    assert 4 not in places


def test_messages_stay_whole() -> None:
    pieces = [piece(t, m, "c", None) for t, m in (("a", 1), ("b", 1), ("c", None), ("d", 2))]
    assert keep_messages_whole([0, 2, 1, 3], pieces) == [0, 1, 2, 3]


def test_documents_stand_between_messages(tmp_path: Path) -> None:
    chat = [
        Document(
            f"c:{i}",
            (text,),
            source="c",
            line=i,
            date=time[:10],
            extra={"chat": True, "sender": "Ann", "time": time},
        )
        for i, (text, time) in enumerate(
            [
                ("The dam broke. We saw it.", "2021-03-04T09:00:00"),
                ("The town was flooded.", "2021-03-06T09:00:00"),
            ],
            1,
        )
    ]
    report = Document("r", ("On March 5, 2021 the dam's keeper was arrested.",), date="2021-03-07")
    (story,) = assemble([*chat, report], stories=1).stories
    texts = [placed.sentence.text for placed in story.sentences]
    assert texts.index("We saw it.") == texts.index("The dam broke.") + 1
    assert texts.index("The town was flooded.") > texts.index("We saw it.")
    assert [p.turn is not None for p in pieces_of(chat)] == [True] * 3


def test_a_conversation_is_shown_as_one(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    path.write_text(
        "31/12/20, 10:00 - Ann: does anyone know why the printer is offline?\n"
        "31/12/20, 10:01 - Cem: Ann: did you switch it off? and on again?\n"
    )
    account = assemble(read_pile(path), stories=1)
    sentences = to_json(account)["stories"][0]["sentences"]
    assert [s["answers"] for s in sentences] == [None, 1, 1]
    assert sentences[1]["message"] == sentences[2]["message"] != sentences[0]["message"]
    page = to_html(account)
    assert page.count('class="said"') == 2 and page.count('class="answers"') == 1
    assert "<time>31 December 2020 10:01</time>" in page
