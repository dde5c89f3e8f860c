"""A dependency parse as plain lists, the common input of extraction and coreference.

Labels are ClearNLP's (``nsubj``, ``dobj``, ``prep``, ``pobj``), tags the Penn treebank's. Lists
of strings and numbers outlive spaCy's ``Doc`` and are read several times faster than its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Parsed", "has_cycle", "sentences_of"]


@dataclass(slots=True, eq=False)
class Parsed:
    """The tokens of one document, column by column.

    ``heads`` are token indices; a root is its own head. ``names`` is the entity type of each token
    (``PERSON``, ``GPE`` ...), else empty, and ``begins`` whether an entity begins there (IOB's B).
    ``offsets`` are character positions in ``text``.
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
    sentence: list[int] = field(init=False)  # the sentence number of each token

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
        """The first and one past the last token of each sentence."""
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
        strings, text_of = doc.vocab.strings, dict[int, str]()
        for key in {*orths, *lemmas, *tags, *deps, *kinds}:
            text_of[key] = strings[key] if key else ""
        # HEAD is a difference stored as unsigned: 2**64 - 3 is three to the left.
        return cls(
            text=doc.text,
            words=[text_of[key] for key in orths],
            lemmas=[text_of[key] for key in lemmas],
            tags=[text_of[key] for key in tags],
            labels=[text_of[key] for key in deps],
            heads=[i + (h - 2**64 if h >> 63 else h) for i, h in enumerate(heads)],
            starts=[i for i, start in enumerate(starts) if start == 1 or i == 0],
            names=[text_of[key] for key in kinds],
            begins=[iob == 3 for iob in iobs],
            offsets=offsets,
        )

    @classmethod
    def joined(cls, parts: Sequence[Parsed]) -> Parsed:
        """The parses of one document's sentences, in order, as the parse of the document."""
        first, at = 0, 0
        heads, starts, offsets = list[int](), list[int](), list[int]()
        for part in parts:
            heads += [first + head for head in part.heads]
            starts += [first + start for start in part.starts]
            offsets += [at + offset for offset in part.offsets]
            first, at = first + len(part), at + len(part.text) + 1

        def column(name: str) -> list[Any]:
            return [value for part in parts for value in getattr(part, name)]

        return cls(
            text=" ".join(part.text for part in parts),
            heads=heads,
            starts=starts,
            offsets=offsets,
            **{n: column(n) for n in ("words", "lemmas", "tags", "labels", "names", "begins")},
        )

    def span_text(self, start: int, end: int) -> str:
        """The text of the tokens from ``start`` up to ``end``, on one line."""
        if end <= start:
            return ""
        last = end - 1
        stop = self.offsets[last] + len(self.words[last])
        return " ".join(self.text[self.offsets[start] : stop].split())

    def subtree(self, token: int) -> tuple[int, int]:
        """The first and one past the last token of the subtree of ``token``."""
        first = last = token
        stack = [token]
        while stack:
            descendant = stack.pop()
            first, last = min(first, descendant), max(last, descendant)
            stack += self.children[descendant]
        return first, last + 1


def sentences_of(parsed: Parsed, texts: Sequence[str]) -> list[int]:
    """For each sentence of the parse, the index of the text it is part of.

    The mapping is one to one, unless a text was too long to be parsed in one piece.
    """
    if len(parsed.starts) == len(texts):
        return list(range(len(texts)))
    text_index, current, remaining = [], 0, len(texts[0]) if texts else 0
    ends = [*(parsed.offsets[start] for start in parsed.starts[1:]), len(parsed.text)]
    for start, end in zip(parsed.starts, ends, strict=True):
        text_index.append(current)
        remaining -= end - parsed.offsets[start] - 1  # each piece was followed by a space
        if remaining <= 0 and current + 1 < len(texts):
            current += 1
            remaining = len(texts[current])
    return text_index


def has_cycle(heads: Sequence[int]) -> bool:
    """Whether following heads from some token never reaches a root, as in a damaged file.

    >>> has_cycle([0, 0, 1]), has_cycle([1, 0, 2])
    (False, True)
    """
    reaches_root, on_path = 1, 2
    state = bytearray(len(heads))
    for token in range(len(heads)):
        path, ancestor = [], token
        while state[ancestor] != reaches_root and heads[ancestor] != ancestor:
            if state[ancestor] == on_path:
                return True
            state[ancestor] = on_path
            path.append(ancestor)
            ancestor = heads[ancestor]
        for visited in [*path, ancestor]:
            state[visited] = reaches_root
    return False
