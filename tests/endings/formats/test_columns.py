"""Tables of multiple choice: their columns, their answers, and what is wrong with them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.endings.formats.columns import Columns
from fabula.endings.formats.tables import read_endings, read_rows
from fabula.endings.items import Ending
from fabula.errors import InputError, UsageError

COPA = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE copa-corpus SYSTEM "copa.dtd">
<copa-corpus version="1.0">
  <item id="1" asks-for="cause" most-plausible-alternative="2">
    <p>The   women met &amp; spoke.</p>
    <a1>The cafe closed.</a1>
    <a2>They wanted to catch up.</a2>
  </item>
  <item id="2" asks-for="effect"><p>It rained.</p><a1>Dry.</a1><a2>Wet.</a2></item>
</copa-corpus>
"""


def table(path: Path, *rows: list[Any]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("gold_as", "value", "gold"),
    [
        ("index", "0", 0),
        ("index", 2, 2),
        ("index", 1.0, 1),
        ("number", "3", 2),
        ("letter", "b", 1),
        ("letter", " C ", 2),
        ("text", "Dry.", 1),
        ("index", "", None),
        ("index", None, None),
        ("index", float("nan"), None),
    ],
)
def test_an_answer_comes_in_many_forms(gold_as: str, value: Any, gold: int | None) -> None:
    columns = Columns(("story",), ("a", "b", "c"), "label", gold_as, None)
    row = {"story": "It rained.", "a": "Wet.", "b": "Dry.", "c": "Cold.", "label": value}
    expected = Ending("7", ("It rained.",), ("Wet.", "Dry.", "Cold."), gold)
    assert columns.ending(row, 7) == expected


@pytest.mark.parametrize(
    ("gold_as", "value", "allowed"),
    [
        ("index", 3, "0 to 2"),
        ("number", "0", "1 to 3"),
        ("letter", "D", "A to C"),
        ("letter", "AB", "A to C"),
        ("text", "Snow.", "the text of one of the options"),
    ],
)
def test_an_answer_out_of_range_names_its_line(
    tmp_path: Path, gold_as: str, value: Any, allowed: str
) -> None:
    good = {"index": 0, "number": 1, "letter": "A", "text": "Wet."}[gold_as]
    path = table(
        tmp_path / "a.csv",
        ["a", "b", "c", "label", "story"],
        ["Wet.", "Dry.", "Cold.", good, "x"],
        ["Wet.", "Dry.", "Cold.", value, "x"],
    )
    columns = Columns.parse("story", "a,b,c", "label", gold_as)
    with pytest.raises(InputError, match=rf"a\.csv:3: 'label' must be {allowed}; it is"):
        list(read_endings(path, columns))


def test_flags_become_columns() -> None:
    assert Columns.parse() is None
    assert Columns.parse("s1, s2", "o", "g", "letter", "key") == Columns(
        ("s1", "s2"), ("o",), "g", "letter", "key"
    )
    with pytest.raises(UsageError, match="--gold-as takes index, number, letter, text"):
        Columns.parse(gold_as="roman")
    for wrong in ("a,,b", "a,a"):
        with pytest.raises(UsageError, match="--options takes column names"):
            Columns.parse(options=wrong)


def test_a_list_may_stand_in_a_cell_and_options_may_be_fewer(tmp_path: Path) -> None:
    path = table(
        tmp_path / "a.csv", ["id", "context", "options", "gold"], ["x", "", '["p", "q"]', "1"]
    )
    assert list(read_endings(path)) == [Ending("x", (), ("p", "q"), 1)]
    path = table(tmp_path / "b.csv", ["q", "a", "b", "c"], ["[sic] Why?", "p", "q", ""])
    columns = Columns(("q",), ("a", "b", "c"), None, id=None)
    assert list(read_endings(path, columns)) == [Ending("2", ("[sic] Why?",), ("p", "q"))]


@pytest.mark.parametrize(
    "row",
    [
        {"story_id": "a", **{f"input_sentence_{i}": str(i) for i in range(1, 5)},
         "sentence_quiz1": "p", "sentence_quiz2": "q", "answer_right_ending": 2},
        {"InputStoryid": "a", **{f"InputSentence{i}": str(i) for i in range(1, 5)},
         "RandomFifthSentenceQuiz1": "p", "RandomFifthSentenceQuiz2": "q",
         "AnswerRightEnding": "2"},
    ],
)  # fmt: skip
def test_story_cloze_by_either_name(tmp_path: Path, row: dict[str, Any]) -> None:
    expected = Ending("a", ("1", "2", "3", "4"), ("p", "q"), 1)
    assert list(read_endings(lines(tmp_path / "a.jsonl", row))) == [expected]


def test_other_sets_are_known(tmp_path: Path) -> None:
    rows = [
        {"premise": "It rained.", "choice1": "Dry.", "choice2": "Wet.", "question": "effect",
         "idx": 4, "label": 1},
        {"ctx": "A man sits.", "endings": ["a", "b", "c", "d"], "label": "3", "ind": 9},
        {"goal": "Cut bread", "sol1": "spoon", "sol2": "knife", "label": 1},
    ]  # fmt: skip
    assert list(read_endings(lines(tmp_path / "a.jsonl", *rows))) == [
        Ending("4", ("It rained.",), ("Dry.", "Wet."), 1, "effect"),
        Ending("9", ("A man sits.",), ("a", "b", "c", "d"), 3),
        Ending("3", ("Cut bread",), ("spoon", "knife"), 1),
    ]


def test_missing_columns_say_which_there_are(tmp_path: Path) -> None:
    path = table(tmp_path / "a.csv", ["story", "a", "b"], ["x", "p", "q"])
    with pytest.raises(InputError, match=r"a\.csv:2: 'context' is missing; .*: story, a, b"):
        list(read_endings(path))
    with pytest.raises(InputError, match=r"a\.csv:2: 'label' is missing; .*: story, a, b"):
        list(read_endings(path, Columns.parse("story", "a,b", "label")))


def test_the_wrong_encoding_names_its_line_and_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("id,context,a,b\n1,x,p,q\n2,caf\xe9,p,q\n".encode("latin-1"))
    columns = Columns(options=("a", "b"))
    with pytest.raises(InputError, match=r"a\.csv:3: "):
        list(read_endings(path, columns))
    assert [item.context for item in read_endings(path, columns, encoding="latin-1")] == [
        ("x",),
        ("café",),
    ]


def test_rows_report_what_is_wrong_instead_of_stopping(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        {"context": "x", "options": ["p", "p"], "gold": 0, "year": 1999},
        {"context": "x", "options": ["p"]},
        {"context": "x", "options": ["p", "q"], "gold": 1},
    )
    equal, single, good = read_rows(path)
    assert equal.problem == "options 1 and 2 are equal" and equal.item is not None
    assert equal.data["year"] == 1999
    assert single.item is None and "has 1 option" in str(single.problem)
    assert (good.line, good.problem) == (3, None)


def test_copa_is_read_as_it_is_distributed(tmp_path: Path) -> None:
    path = tmp_path / "copa.xml"
    path.write_text(COPA, encoding="utf-8")
    assert list(read_endings(path)) == [
        Ending(
            "1",
            ("The women met & spoke.",),
            ("The cafe closed.", "They wanted to catch up."),
            1,
            "cause",
        ),
        Ending("2", ("It rained.",), ("Dry.", "Wet."), None, "effect"),
    ]
    with pytest.raises(UsageError, match="XML is read as COPA"):
        list(read_endings(path, Columns()))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('asks-for="cause"', 'asks-for="why"', r"4: 'asks-for' must be 'cause' or 'effect'"),
        ('alternative="2"', 'alternative="3"', r"4: 'most-plausible-alternative' must be 1 or 2"),
        ("<a1>The cafe closed.</a1>", "", r"4: 'a1' is missing"),
        ("The cafe closed.", "They wanted to catch up.", r"4: options 1 and 2 are equal"),
        ("</copa-corpus>", "", r"1\d: not well-formed XML"),
        ("copa-corpus", "html", r"\d: not COPA: it begins with <html>"),
        ('SYSTEM "copa.dtd"', '[<!ENTITY a "b">]', r"2: an entity declaration is not allowed"),
    ],
)
def test_damaged_copa_names_its_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = tmp_path / "copa.xml"
    path.write_text(COPA.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError, match=rf"copa\.xml:{problem}"):
        list(read_endings(path))


texts = st.text("ab c", min_size=1).filter(lambda text: text.strip() != "")


@given(st.lists(texts, min_size=2, max_size=5, unique_by=str.strip), st.data())
def test_every_way_to_write_an_answer_means_the_same(options: list[str], data: Any) -> None:
    gold = data.draw(st.integers(0, len(options) - 1))
    written = {"index": gold, "number": gold + 1, "letter": "ABCDE"[gold], "text": options[gold]}
    for gold_as, value in written.items():
        row = {"context": "x", "options": options, "gold": value}
        assert Columns(gold_as=gold_as).ending(row, 1).gold == gold
