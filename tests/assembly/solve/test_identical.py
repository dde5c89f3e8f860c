"""Identical documents of a large pile."""

from __future__ import annotations

import fabula
from fabula.assembly.solve.identical import FOLDED_ABOVE, fold_identical
from fabula.types import Document

TEXT = ("The ferry Astrid ran aground off Harwich.", "Lifeboats came at dawn.")


def copies(n: int) -> list[Document]:
    return [Document(f"d{i}", TEXT, source=f"{i}.txt", lines=(1 + i, 3 + i)) for i in range(n)]


def test_a_small_pile_is_left_as_it_is() -> None:
    kept, folded = fold_identical(copies(FOLDED_ABOVE))
    assert (len(kept), folded) == (FOLDED_ABOVE, {})


def test_chat_messages_are_not_folded() -> None:
    messages = [Document(f"m{i}", ("ok",), extra={"chat": "x"}) for i in range(FOLDED_ABOVE + 5)]
    assert len(fold_identical(messages)[0]) == len(messages)


def test_five_thousand_copies_are_one_account_that_names_them_all() -> None:
    answer = fabula.assemble(copies(5_000))
    (story,) = answer.stories
    assert [placed.sentence.text for placed in story.sentences] == list(TEXT)
    assert len(story.sentences[1].also_in) == 4_999
    last = story.sentences[1].also_in[-1]
    assert (last.source, last.line) == ("4999.txt", 3 + 4_999)
    assert any("4,999 documents are copies" in note for note in answer.notes)
