"""Who is spoken to: names of a chat's people in its messages, also shortened and misspelt."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fabula.conversations.models.links.dialogue_cues import INTERJECTIONS
from fabula.text.lexicon import ENGLISH_WORDS, FUNCTION_WORDS

__all__ = ["People", "find_people", "person_key"]

MENTIONS = 3  # at most so many people named in a message are kept
_TOKEN = re.compile(r"\S+")
_EDGES = "@<>()[]{}\"'`.,:;!?*~-"
_ENDINGS = "_`^|-"  # a nickname that was taken gets one of these
_PHONE = re.compile(r"\+?[\d\s().-]{7,}")
_COMMON = ENGLISH_WORDS | FUNCTION_WORDS | INTERJECTIONS
_TO_SOMEBODY = re.compile(r"^!\w.*?[|>]\s*(\S+)")  # a channel's bot is asked to tell it: !dma | ann
_BARE, _RARE = 5, 5  # letters at least, and uses in the chat at most, of a name without a mark
_LONG = 7  # letters of a word that is a misspelt name even without a mark
_RECENT = 200  # a shortened or misspelt name is looked for among those who spoke this lately


@dataclass(frozen=True, slots=True)
class People:
    """Numbers of people, per message: who sent it, whom it addresses, whom it names (-1: nobody).

    People who are addressed and never speak have numbers as well, above those of the senders.
    """

    sender: NDArray[np.int64]
    addressee: NDArray[np.int64]
    named: NDArray[np.int64]  # messages x MENTIONS


def find_people(senders: Sequence[str | None], texts: Sequence[str]) -> People:
    """People of a chat by number: senders, addressees (name first, with : , or @), names within.

    A name that is also a common word of the chat counts as an address alone. A word that is no
    sender's name is a person's who is not there if it is called with : or @, and is met in no
    other way: most words before a comma are interjections.
    """
    numbers: dict[str, int] = {}
    sender = np.array(
        [numbers.setdefault(person_key(name), len(numbers)) for name in senders], dtype=np.int64
    )
    aliases = _aliases(numbers)
    tokens = [_TOKEN.findall(text) for text in texts]
    asked = set[tuple[int, int]]()  # names at the end of a request to a bot
    for i, text in enumerate(texts):
        if match := _TO_SOMEBODY.match(text[:200]):
            request = _TOKEN.findall(text[: match.start(1)])
            tokens[i] = [*request, match[1], *_TOKEN.findall(text[match.end(1) :])]
            asked.add((i, len(request)))
    plain = [[token.strip(_EDGES).lower() for token in line] for line in tokens]
    ambiguous = _everyday(aliases, tokens, plain)
    uncalled = _uncalled(tokens, plain)
    used = Counter(word for words in plain for word in words)
    addressee = np.full(len(texts), -1, dtype=np.int64)
    named = np.full((len(texts), MENTIONS), -1, dtype=np.int64)
    by_number = {number: key for key, number in numbers.items()}
    for i, line in enumerate(tokens):
        found: list[int] = []
        for position, word in enumerate(plain[i]):
            number = aliases.get(word, aliases.get(word.rstrip(_ENDINGS)))
            called = _is_address(line[position], position) or (i, position) in asked
            # Without a sign of address, a rare word at either end may be a name cut short.
            bare = position in (0, len(line) - 1) and len(word) >= _BARE and used[word] <= _RARE
            if number is None and (called or bare) and _like_a_name(word):
                recent = set(sender[max(0, i - _RECENT) : i].tolist())
                number = _nearest(word, {by_number[p]: p for p in recent}, sure=called)
                absent = called and position == 0 and not line[0].endswith(",")
                absent = absent and word not in uncalled
                if number is None and absent:
                    number = numbers.setdefault(f"?{word}", len(numbers))
            elif number is not None and word in ambiguous and not called:
                number = None
            if number is None or number == sender[i] or number in found:
                continue
            if addressee[i] < 0 and (called or position == 0):
                addressee[i] = number
            found.append(number)
        named[i, : len(found)] = found[:MENTIONS]
    return People(sender, addressee, named)


def person_key(name: str | None) -> str:
    """A sender's name without what marks a second login.

    >>> person_key("Ann_"), person_key(" Bob ")
    ('ann', 'bob')
    """
    plain = (name or "").strip().lower()
    return plain.rstrip(_ENDINGS) or plain


def _aliases(numbers: dict[str, int]) -> dict[str, int]:
    """Words that name one person alone: the name, and each word of a name of several."""
    owners: dict[str, set[int]] = defaultdict(set)
    for key, number in numbers.items():
        if _PHONE.fullmatch(key):  # "+49 170 1234567" is called @491701234567
            owners["".join(filter(str.isdigit, key))].add(number)
            continue  # "170" alone is a number
        for word in {key.strip(_EDGES), key, *(part.strip(_EDGES) for part in key.split())}:
            if len(word) >= 2:
                owners[word].add(number)
    return {word: min(owned) for word, owned in owners.items() if len(owned) == 1}


def _everyday(
    aliases: dict[str, int], tokens: list[list[str]], plain: list[list[str]]
) -> frozenset[str]:
    """Names that the chat mostly uses as words."""
    used: Counter[str] = Counter()
    called: Counter[str] = Counter()
    for line, words in zip(tokens, plain, strict=True):
        for position, word in enumerate(words):
            if word in aliases:
                used[word] += 1
                called[word] += _is_address(line[position], position)
    return frozenset(
        word
        for word in used
        if word in _COMMON or len(word) < 3 or used[word] > 5 + 4 * called[word]
    )


def _uncalled(tokens: list[list[str]], plain: list[list[str]]) -> frozenset[str]:
    """The words that are met without a sign of address."""
    return frozenset(
        word
        for line, words in zip(tokens, plain, strict=True)
        for position, word in enumerate(words)
        if not _is_address(line[position], position)
    )


def _is_address(token: str, position: int) -> bool:
    return token.startswith("@") or (position == 0 and token.endswith((":", ",")))


def _like_a_name(word: str) -> bool:
    return len(word) >= 3 and word not in _COMMON and "/" not in word


def _nearest(word: str, people: dict[str, int], *, sure: bool) -> int | None:
    """The one person whose name begins with the word or is one edit away from it.

    Where it is not ``sure`` that the word is a name, "annual" is not Ann and "meter" not Peter.
    """
    near = {
        number
        for name, number in people.items()
        if name.startswith(word)
        or (sure and len(name) >= 3 and word.startswith(name))
        or (len(word) >= (4 if sure else _LONG) and _one_edit_apart(word, name))
    }
    return near.pop() if len(near) == 1 else None


def _one_edit_apart(one: str, other: str) -> bool:
    """Damerau-Levenshtein distance of at most 1.

    >>> _one_edit_apart("jhon", "john"), _one_edit_apart("jon", "john"), _one_edit_apart("a", "bc")
    (True, True, False)
    """
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, rest_of_other = one[start:], other[start:]
    if len(rest) == len(rest_of_other):
        swapped = rest[1:2] + rest[:1] == rest_of_other[:2] and rest[2:] == rest_of_other[2:]
        return swapped or rest[1:] == rest_of_other[1:]
    longer, shorter = sorted((rest, rest_of_other), key=len, reverse=True)
    return longer[1:] == shorter
