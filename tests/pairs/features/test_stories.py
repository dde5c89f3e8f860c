from __future__ import annotations

import pytest

from fabula.pairs.features.stories import story_features

HALE = "Quake shakes Lorn\nA magnitude 6.1 quake struck Lorn on Monday.\nMayor Ida Hale spoke."
AGAIN = "The quake that hit Lorn injured nine, mayor Hale said.\nIt had a magnitude of 6.1."
OTHER = "A magnitude 4.2 quake struck Brindle on Friday.\nNobody was hurt, Tom Reed said."


def test_names_and_numbers_tell_two_like_stories_apart() -> None:
    one, two = story_features(HALE, AGAIN), story_features(HALE, OTHER)
    for name in ("story_names_least", "story_names_most", "story_main_names", "story_numbers"):
        assert one[name] > two[name], name


def test_a_document_is_like_itself() -> None:
    assert list(story_features(HALE, HALE).values()) == pytest.approx([1.0] * 7)


def test_documents_without_words_share_nothing() -> None:
    assert set(story_features("", "\n \n").values()) == {0.0}
    assert story_features(HALE, AGAIN) == story_features(AGAIN, HALE)
