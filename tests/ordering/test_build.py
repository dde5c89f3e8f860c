from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UsageError
from fabula.ordering.build import Tally, build_texts, join_lists
from fabula.ordering.items import Text
from fabula.types import Document


def document(*sizes: int, name: str = "Ann") -> Document:
    paragraphs = [
        " ".join(f"Then {name} saw ship {place} of part {part} come in." for place in range(size))
        for part, size in enumerate(sizes)
    ]
    return Document(name, tuple(paragraphs))


def in_order(text: Text) -> list[str]:
    assert text.gold is not None
    return [text.units[g] for g in text.gold]


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 9))
def test_gold_restores_the_document(sizes: list[int], seed: int) -> None:
    given_ = document(*sizes)
    for level in ("sentence", "paragraph"):
        for text in build_texts([given_], level=level, seed=seed):
            assert " ".join(in_order(text)) == " ".join(given_.paragraphs)


def test_levels() -> None:
    (sentences,) = build_texts([document(2, 3)])
    (paragraphs,) = build_texts([document(2, 3)], level="paragraph")
    assert len(sentences.units) == 5 and len(paragraphs.units) == 2
    assert sentences.id == paragraphs.id == "Ann"


def test_units_are_shuffled() -> None:
    (text,) = build_texts([document(12)])
    assert text.gold != tuple(range(12))


def test_what_cannot_be_ordered_is_left_out() -> None:
    found = build_texts([document(1), document(1, 1, name="Bob"), document(4, name="Cid")])
    assert [text.id for text in found] == ["Bob", "Cid"]
    assert list(build_texts([document(9)], level="paragraph")) == []


def test_windows_cut_a_text_without_overlap() -> None:
    texts = list(build_texts([document(23)], window=(5, 8)))
    assert all(5 <= len(text.units) <= 8 for text in texts)
    assert [text.id for text in texts] == [f"Ann#{part}" for part in range(len(texts))]
    told = [unit for text in texts for unit in in_order(text)]
    (whole,) = build_texts([document(23)])
    assert told == in_order(whole)[: len(told)] and len(told) > 23 - 5


def test_a_rest_too_short_is_left_out() -> None:
    assert [len(text.units) for text in build_texts([document(7)], window=(3, 3))] == [3, 3]
    assert list(build_texts([document(2)], window=(3, 3))) == []


def test_a_text_depends_on_its_document_and_the_seed_alone() -> None:
    ann, bob = document(9), document(9, name="Bob")
    both = list(build_texts([ann, bob], seed=1))
    assert both == list(build_texts([ann, bob], seed=1))
    assert list(build_texts([bob], seed=1)) == both[1:]
    assert list(build_texts([ann, bob], seed=2)) != both


def test_what_cannot_be_built_is_refused() -> None:
    with pytest.raises(UsageError, match="level must be one of sentence, paragraph; not 'line'"):
        list(build_texts([document(3)], level="line"))
    for window in ((0, 0), (0, 3), (1, 1), (5, 2)):
        with pytest.raises(UsageError, match="a window holds 2 units or more"):
            list(build_texts([document(3)], window=window))


@pytest.mark.parametrize(
    "item",
    ["1. Tea.", "12) Tea.", "(3) Tea.", "a) Tea.", "(iv) Tea.", "iii) Tea.", "• Tea.", "- Tea.",
     "* Tea.", "  – Tea."],
)  # fmt: skip
def test_list_items_belong_to_the_paragraph_before(item: str) -> None:
    assert join_lists(["We had:", item, "Then we left."]) == [
        f"We had: {item.strip()}",
        "Then we left.",
    ]
    assert join_lists([item, item]) == [f"{item.strip()} {item.strip()}"]


@pytest.mark.parametrize(
    "text", ["A. Smith left.", "1989. It rained.", "I left.", "-5 degrees.", "3.5 tons sank.", ""]
)
def test_what_only_looks_like_a_list(text: str) -> None:
    assert join_lists(["We had:", text]) == ["We had:", text]


def test_what_cleaning_did_is_counted() -> None:
    tally = Tally()
    listed = Document("list", ("We had:", "1. tea;", "2. milk.", "We left."))
    alone = Document("alone", ("Only:", "- this."))
    (text,) = build_texts([listed, alone], level="paragraph", tally=tally)
    assert in_order(text) == ["We had: 1. tea; 2. milk.", "We left."]
    assert (tally.single, tally.joined) == (1, 3)
    assert tally.report() == "; 1 texts of one unit left out; 3 list items joined"
