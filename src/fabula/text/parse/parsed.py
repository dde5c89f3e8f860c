"""A parsed text as plain lists: what extraction and coreference read, whoever parsed it.

Labels are ClearNLP's (``nsubj``, ``dobj``, ``prep``, ``pobj``), tags the Penn treebank's. Lists
of strings and numbers outlive spaCy's ``Doc`` and are read several times faster than its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Parsed", "has_cycle", "sentences_of"]


@dataclass(slots=True, eq=False)
class Parsed:
    """The tokens of one document, column by column.

    ``heads`` are places in the document; a root is its own head. ``names`` is the kind of the
    named entity a token stands in (``PERSON``, ``GPE`` ...), else empty, and ``begins`` whether
    a name begins there. ``offsets`` are places in ``text``.
    """

    text: str
    words: list[str]
    lemmas: list[str]
    tags: list[str]
    labels: list[str]
    heads: list[int]
    starts: list[int]  # the first token of each sentence
    names: list[str]
    begins: list[bool]
    offsets: list[int]
    children: list[list[int]] = field(init=False)
    sentence: list[int] = field(init=False)  # the sentence each token stands in

    def __post_init__(self) -> None:
        self.children = [[] for _ in self.words]
        for token, head in enumerate(self.heads):
            if head != token:
                self.children[head].append(token)
        self.sentence = []
        for number, (start, end) in enumerate(self.bounds()):
            self.sentence += [number] * (end - start)

    def __len__(self) -> int:
        return len(self.words)

    def bounds(self) -> list[tuple[int, int]]:
        """Where each sentence starts and ends."""
        return list(zip(self.starts, [*self.starts[1:], len(self.words)], strict=False))

    @classmethod
    def of(cls, doc: Doc) -> Parsed:
        """The columns of a spaCy ``Doc``."""
        from spacy.attrs import (
            DEP,
            ENT_IOB,
            ENT_TYPE,
            HEAD,
            IDX,
            LEMMA,
            ORTH,
            SENT_START,
            TAG,
        )

        attributes = [ORTH, LEMMA, TAG, DEP, HEAD, SENT_START, ENT_TYPE, ENT_IOB, IDX]
        columns = doc.to_array(attributes).T.tolist() if len(doc) else [[] for _ in attributes]
        orths, lemmas, tags, deps, heads, starts, kinds, iobs, offsets = columns
        strings, known = doc.vocab.strings, dict[int, str]()
        for key in {*orths, *lemmas, *tags, *deps, *kinds}:
            known[key] = strings[key] if key else ""
        # HEAD is a difference stored as unsigned: 2**64 - 3 is three to the left.
        return cls(
            text=doc.text,
            words=[known[key] for key in orths],
            lemmas=[known[key] for key in lemmas],
            tags=[known[key] for key in tags],
            labels=[known[key] for key in deps],
            heads=[i + (h - 2**64 if h >> 63 else h) for i, h in enumerate(heads)],
            starts=[i for i, start in enumerate(starts) if start == 1 or i == 0],
            names=[known[key] for key in kinds],
            begins=[iob == 3 for iob in iobs],
            offsets=offsets,
        )

    def span_text(self, start: int, end: int) -> str:
        """The text of the tokens from ``start`` up to ``end``, on one line."""
        if end <= start:
            return ""
        last = end - 1
        stop = self.offsets[last] + len(self.words[last])
        return " ".join(self.text[self.offsets[start] : stop].split())

    def subtree(self, token: int) -> tuple[int, int]:
        """The first and one past the last token under ``token``."""
        first = last = token
        below = [token]
        while below:
            here = below.pop()
            first, last = min(first, here), max(last, here)
            below += self.children[here]
        return first, last + 1


def sentences_of(parsed: Parsed, texts: Sequence[str]) -> list[int]:
    """For each sentence of the parse, which of the given texts it is part of.

    They are the same one by one, unless a text was too long to be parsed in one piece.
    """
    if len(parsed.starts) == len(texts):
        return list(range(len(texts)))
    found, given, remaining = [], 0, len(texts[0]) if texts else 0
    ends = [*(parsed.offsets[start] for start in parsed.starts[1:]), len(parsed.text)]
    for start, end in zip(parsed.starts, ends, strict=True):
        found.append(given)
        remaining -= end - parsed.offsets[start] - 1  # each piece was followed by a space
        if remaining <= 0 and given + 1 < len(texts):
            given += 1
            remaining = len(texts[given])
    return found


def has_cycle(heads: Sequence[int]) -> bool:
    """Whether some token never reaches a root, which no parser does and a damaged file may.

    >>> has_cycle([0, 0, 1]), has_cycle([1, 0, 2])
    (False, True)
    """
    safe = bytearray(len(heads))
    for token in range(len(heads)):
        trail, here = [], token
        while safe[here] != 1 and heads[here] != here:
            if safe[here] == 2:
                return True
            safe[here] = 2  # on the way
            trail.append(here)
            here = heads[here]
        for passed in [*trail, here]:
            safe[passed] = 1
    return False
