"""Tokens of sentences and a vocabulary that numbers them, for models that read words.

Words are lower-cased; lemmas are an option, since parsing is slow. Punctuation is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

__all__ = ["CLITIC", "PADDING", "UNKNOWN", "Vocabulary", "split_words"]

PADDING = 0  # fills up a matrix; masked
UNKNOWN = 1

# As in the corpora that word vectors are learnt from: "don't" is "do" and "n't".
CLITIC = r"n['’]t\b|['’](?:s|re|ve|ll|d|m)\b"
_WORD = re.compile(rf"\w+(?=n't\b)|{CLITIC}|\w+(?:-\w+)*|[^\w\s]")


def split_words(sentences: Sequence[str], *, lemmas: bool = False) -> list[list[str]]:
    """The words of each sentence, lower-cased, or their lemmas by spaCy.

    >>> split_words(["Seven didn't die."])
    [['seven', 'did', "n't", 'die', '.']]
    """
    if not lemmas:
        return [_WORD.findall(sentence.replace("’", "'").lower()) for sentence in sentences]
    from fabula.text.parse.pipeline import Parser

    parser = Parser(ner=False)
    return list(
        parser.each(
            lambda doc: [token.lemma_.lower() for token in doc if not token.is_space], sentences
        )
    )


@dataclass(frozen=True)
class Vocabulary:
    """Words by number, the most frequent first; 0 is padding and 1 every word that is not here."""

    words: tuple[str, ...]

    @classmethod
    def count(cls, sentences: Iterable[Sequence[str]], most: int) -> Vocabulary:
        """The most frequent words of different sentences, equals by the alphabet.

        A sentence that stands in many salads counts once, and a word seen only once is left out:
        the vector of the unknown word is learnt from these.
        """
        seen = Counter(word for sentence in set(map(tuple, sentences)) for word in sentence)
        ranked = sorted((-number, word) for word, number in seen.items() if number > 1)
        return cls(tuple(word for _, word in ranked[:most]))

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}

    def __len__(self) -> int:
        """Rows of a table of all words, padding and the unknown word included."""
        return len(self.words) + UNKNOWN + 1

    def encode(self, sentence: Sequence[str]) -> list[int]:
        """The numbers of the words; a sentence without any is one unknown word."""
        return [self.numbers.get(word, UNKNOWN) for word in sentence] or [UNKNOWN]
