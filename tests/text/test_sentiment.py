"""Sentiment: VADER's own numbers, for any text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.errors import UsageError
from fabula.text.sentiment import compound


def test_scores_are_those_of_vader() -> None:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    texts = ["VADER is smart, handsome, and funny!", "It was not good.", "The door was open.", ""]
    expected = [SentimentIntensityAnalyzer().polarity_scores(text)["compound"] for text in texts]
    np.testing.assert_array_equal(compound(texts), expected)
    assert expected[0] > 0.5 and expected[1] < 0 and expected[2] == expected[3] == 0


@given(st.lists(st.text(), max_size=5))
def test_any_text_has_a_score(texts: list[str]) -> None:
    scores = compound(texts)
    assert scores.shape == (len(texts),)
    assert (np.abs(scores) <= 1).all()


def test_one_string_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="list of strings"):
        compound("good")
