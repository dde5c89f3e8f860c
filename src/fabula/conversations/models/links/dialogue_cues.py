"""What a message does, read off its form: asks, greets, thanks, answers, goes on."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fabula.text.lexicon import QUESTION_OPENERS, alternation

__all__ = ["CUES", "INTERJECTIONS", "find_cues"]

_NAME = r"^(?:@?\S+[:,]\s+)?"  # the person addressed


def _opening(words: str) -> re.Pattern[str]:
    return re.compile(rf"{_NAME}(?:{alternation(words.split())})\b", re.IGNORECASE)


def _anywhere(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{alternation(words.split())})\b", re.IGNORECASE)


_GREETINGS = "hi hello hey heya hiya yo greetings morning evening howdy sup all"
_FAREWELLS = "bye goodbye cya later night gtg"
_THANKS = "thanks thank thx ty tnx thankyou cheers"
_APOLOGIES = "sorry oops pardon"
_YES_OR_NO = "yes yeah yep yup ya yea no nope nah sure right correct exactly true indeed maybe not"
_ACKNOWLEDGEMENTS = (
    "ok okay k kk oh ah aha hmm hm heh lol haha cool great nice good perfect awesome well wow "
    "interesting understood i-see gotcha alright fine"
)
# What a message may open with before a comma; it is nobody's name.
INTERJECTIONS = frozenset(
    f"{_GREETINGS} {_FAREWELLS} {_THANKS} {_APOLOGIES} {_YES_OR_NO} {_ACKNOWLEDGEMENTS} "
    "actually again anyone anyway anyways basically brb btw damn error guys help however man "
    "nevermind now please question usage wait warning weird yeh".split()
)

_PATTERNS: dict[str, re.Pattern[str]] = {
    "question mark": re.compile(r"\?"),
    "ends with question mark": re.compile(r"\?\W*$"),
    "opens with question word": _opening(QUESTION_OPENERS),
    "question to all": _anywhere("anyone anybody someone somebody everyone everybody all"),
    "greeting": _opening(_GREETINGS),
    "farewell": _anywhere(_FAREWELLS),
    "thanks": _anywhere(_THANKS),
    "apology": _anywhere(_APOLOGIES),
    "yes or no": _opening(_YES_OR_NO),
    "acknowledgement": _opening(_ACKNOWLEDGEMENTS),
    "continuation": _opening("and but or so because then also which that though like plus too"),
    "instruction": _opening(
        "try use type run check look see install go open you your just read click ask search put "
        "make get take add remove start stop don't dont do"
    ),
    "first person": _anywhere("i i'm im my me i've ive i'd i'll mine"),
    "second person": _anywhere("you your you're ur u yours yourself"),
    "third person": _anywhere("he she they him her them his their"),
    "anaphor": _anywhere("it that this these those one ones its"),
    "problem": _anywhere(
        "problem problems error errors issue issues help trouble wrong fail failed fails broken "
        "cannot can't cant won't wont doesn't doesnt isn't"
    ),
    "link": re.compile(r"https?://|www\.\S"),
    "command": re.compile(r"^[!/.$]\w"),
    "trails off": re.compile(r"(?:\.\.|…|,|-)\s*$"),
    "smiley": re.compile(r"[:;=8]['-]?[)(DPp]|[\U0001F300-\U0001FAFF]"),
    "exclamation": re.compile(r"!"),
    "small first letter": re.compile(r"^\W*[a-z]"),
    "number": re.compile(r"\d"),
    "correction": re.compile(r"^\s*\*|\*\s*$"),
}
_LENGTHS = (1, 3, 8, 16)  # words; a message of more is in the last class
CUES = (*_PATTERNS, *(f"at most {n} words" for n in _LENGTHS), "words (log)")


def find_cues(texts: Sequence[str]) -> NDArray[np.float32]:
    """A row per message and a column per cue of ``CUES``, 1 where the message has it."""
    rows = np.zeros((len(texts), len(CUES)), dtype=np.float32)
    for i, text in enumerate(texts):
        start = text[:400]  # the form shows early; a pasted page must not take minutes
        words = len(text.split())
        rows[i, : len(_PATTERNS)] = [bool(p.search(start)) for p in _PATTERNS.values()]
        rows[i, len(_PATTERNS) : -1] = [words <= n for n in _LENGTHS]
        rows[i, -1] = np.log1p(words) / 2
    return rows
