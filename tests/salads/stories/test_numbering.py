from __future__ import annotations

import numpy as np

from fabula.salads.stories.numbering import changed_stories, number_stories


def test_numbers_of_the_larger_overlap_are_kept_and_new_stories_get_new_ones() -> None:
    sentences = ["a", "b", "c", "d", "e"]
    previous = {"a": 3, "b": 3, "c": 1, "gone": 2}
    assert number_stories(np.array([1, 1, 0, 0, 2]), sentences, previous) == {1: 3, 0: 1, 2: 4}
    assert number_stories(np.array([1, 1, 0, 0, 2]), sentences, {}) == {1: 1, 0: 2, 2: 3}


def test_changes_name_new_moved_and_gone_sentences() -> None:
    changed = changed_stories({"a": 1, "b": 1, "c": 2}, {"b": 2, "c": 2, "d": 1})
    assert [tuple(row) for row in changed] == [("a", 1, None), ("b", 1, 2), ("d", None, 1)]
