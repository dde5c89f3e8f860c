"""Source style: does a sentence sound like a witness, an authority, or the press?

Accounts that disagree come from different sources, and a pile seldom says which source a sentence
is from. A multinomial logistic regression over surface signs; its weights are data
(``data/weights/assembly-source-style``).
"""

from __future__ import annotations

import math
import re
from functools import cache

from fabula.core.model_store import shipped_config

__all__ = ["Style", "different_source", "style_of"]

Style = tuple[float, float, float]  # probabilities of press, witness, authority


def style_of(text: str) -> Style:
    """The probabilities of the three styles."""
    signs, intercept, length = _weights()
    seen = [log_odds for pattern, log_odds in signs if pattern.search(text)]
    scores = [
        start + slope * len(text) / 100 + sum(log_odds[k] for log_odds in seen)
        for k, (start, slope) in enumerate(zip(intercept, length, strict=True))
    ]
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    press, witness, authority = (part / sum(parts) for part in parts)
    return press, witness, authority


def different_source(first: Style, second: Style) -> float:
    """The probability that two sentences are of different styles.

    >>> witness, authority = style_of("I ran to my car."), style_of("The road was closed at 14.05.")
    >>> different_source(witness, authority) > 0.8
    True
    """
    return 1 - sum(a * b for a, b in zip(first, second, strict=True))


@cache
def _weights() -> tuple[list[tuple[re.Pattern[str], list[float]]], list[float], list[float]]:
    config = shipped_config("assembly/source-style")
    signs = [(re.compile(sign["pattern"]), sign["log_odds"]) for sign in config["signs"]]
    return signs, config["intercept"], config["length per 100 characters"]
