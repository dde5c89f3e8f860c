"""Source style: a sentence in, its probabilities of press, witness and authority out.

Accounts that disagree come from different sources, and a pile seldom names the source of a
sentence. A multinomial logistic regression over surface patterns and length; its weights are data
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
    """The probabilities of the three styles: a softmax over the summed weights."""
    patterns, intercepts, length_weights = _weights()
    matched = [log_odds for pattern, log_odds in patterns if pattern.search(text)]
    logits = [
        intercept + slope * len(text) / 100 + sum(log_odds[k] for log_odds in matched)
        for k, (intercept, slope) in enumerate(zip(intercepts, length_weights, strict=True))
    ]
    highest = max(logits)
    odds = [math.exp(logit - highest) for logit in logits]
    press, witness, authority = (part / sum(odds) for part in odds)
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
    patterns = [(re.compile(sign["pattern"]), sign["log_odds"]) for sign in config["signs"]]
    return patterns, config["intercept"], config["length per 100 characters"]
