"""Whose voice a sentence sounds like: a witness, an authority, or the press.

Accounts that disagree come from different hands, and a pile seldom says whose a sentence is.
"""

from __future__ import annotations

import math
import re

__all__ = ["Voice", "other_hand", "voice_of"]

Voice = tuple[float, float, float]  # shares of press, witness, authority

# Signs of a voice, and what each adds for press, witness, authority: logistic regression on the
# hands of the dossiers in benchmarks/written.
_SIGNS = (
    (r"\b(?:I|I'd|I'm|I've|I'll|me|my|My|mine|myself)\b", (-1.2, 3.0, -1.8)),
    (r"\b(?:we|us|We)\b", (-1.1, 1.2, 0.0)),
    (r"\b(?:[Oo]ur|ours)\b", (-1.0, 0.2, 0.8)),
    (r"n['’]t|['’](?:d|ll|ve|m|re)\b", (-0.8, 1.1, -0.3)),
    (r"\b(?:said|told|according to|According|spokes)", (0.5, 0.0, -0.5)),
    (r"\d\d[.:]\d\d", (-0.6, -0.2, 0.8)),
    (r"\b(?:was|were|been|be|is|are) (?:\w+ly )?\w+(?:ed|en)\b", (-0.15, -0.8, 0.9)),
    (r"\d", (-0.2, -1.1, 1.25)),
    (r"\b(?:you|like a|like the|Nobody|Somebody|and|but)\b", (-0.3, 0.6, -0.3)),
    (r"\bon (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", (0.4, -0.45, 0.05)),
    (r"^(?:A|An|Two|Three|Four)\b", (0.35, -0.3, 0.0)),
    (r"\b(?:he|she|He|She|him|her)\b", (-0.2, 0.6, -0.5)),
)
_COMPILED = tuple((re.compile(sign), adds) for sign, adds in _SIGNS)
_START = (-1.7, 0.5, 1.2)
_LENGTH = (2.2, -1.0, -1.2)  # for a hundred characters


def voice_of(text: str) -> Voice:
    """The shares of the three voices."""
    marks = [adds for sign, adds in _COMPILED if sign.search(text)]
    scores = [
        start + length * len(text) / 100 + sum(adds[k] for adds in marks)
        for k, (start, length) in enumerate(zip(_START, _LENGTH, strict=True))
    ]
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    press, witness, authority = (part / sum(parts) for part in parts)
    return press, witness, authority


def other_hand(one: Voice, two: Voice) -> float:
    """How likely two sentences are of different voices.

    >>> other_hand(voice_of("I ran to my car."), voice_of("The road was closed at 14.05.")) > 0.8
    True
    """
    return 1 - sum(a * b for a, b in zip(one, two, strict=True))
