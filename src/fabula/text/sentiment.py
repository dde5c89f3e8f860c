"""Sentiment by VADER: rules and a lexicon, no training."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fabula.errors import UsageError

__all__ = ["compound"]


def compound(texts: Sequence[str]) -> NDArray[np.float64]:
    """VADER's compound score of each text, from -1 (bad) to 1 (good); 0 is neutral.

    >>> bad, good = compound(["The storm killed six men.", "They were happy and safe."])
    >>> bool(bad < 0 < good)
    True
    """
    if isinstance(texts, str):
        raise UsageError("compound takes a list of strings; this is one string")
    score = _analyzer().polarity_scores
    return np.array([score(text)["compound"] for text in texts], dtype=np.float64)


@cache
def _analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()
