"""The parse memo: each text is parsed once, and no more than its capacity is kept."""

from __future__ import annotations

from typing import Any

from fabula.text.parse.memo import ParseMemo


class Counted:
    """Reads the tokens of a parse, and remembers how many parses it was given."""

    def __init__(self) -> None:
        self.parses = 0

    def __call__(self, doc: Any) -> list[str]:
        self.parses += 1
        return [token.text for token in doc if not token.is_space]


def test_a_text_is_parsed_once_and_results_come_by_text() -> None:
    read = Counted()
    memo = ParseMemo(read, capacity=10, ner=False)
    assert memo(["Ann left.", "Bo ran.", "Ann left."]) == {
        "Ann left.": ["Ann", "left", "."],
        "Bo ran.": ["Bo", "ran", "."],
    }
    memo(["Bo ran.", "Ann left."])
    assert read.parses == 2


def test_a_full_memo_starts_anew_and_still_answers() -> None:
    read = Counted()
    memo = ParseMemo(read, capacity=2, ner=False)
    memo(["One.", "Two."])
    assert list(memo(["Three.", "One."])) == ["Three.", "One."]
    assert read.parses == 4
    assert list(memo([f"{k} boats." for k in range(5)])) == [f"{k} boats." for k in range(5)]


def test_nothing_to_read() -> None:
    assert ParseMemo(Counted(), capacity=2)([]) == {}


def test_memos_that_share_a_parse() -> None:
    lengths, words = Counted(), Counted()
    later = ParseMemo(words, capacity=10, ner=False)
    first = ParseMemo(lengths, capacity=10, ner=False, shared=(later,))
    first(["Ann left.", "Bo ran."])
    assert (lengths.parses, words.parses) == (2, 2)
    assert later(["Bo ran."]) == {"Bo ran.": ["Bo", "ran", "."]} and words.parses == 2
    assert list(later(["Cy slept."])) == ["Cy slept."] and words.parses == 3
