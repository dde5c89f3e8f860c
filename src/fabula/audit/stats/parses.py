"""Parts of speech and the depth of sentences, on a sample: parsing is a thousand times slower."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fabula.text.segment.treebank import Words

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Parses", "parse"]


@dataclass(frozen=True, slots=True)
class Parses:
    """Of each text: its tags as numbers, and Yngve's and Frazier's measures."""

    tags: Words
    yngve: NDArray[np.float64]
    frazier: NDArray[np.float64]

    @property
    def conjunctions(self) -> NDArray[np.float64]:
        """The number of coordinating conjunctions (Penn's CC) of each text."""
        tags = np.array([tag == "CC" for tag in self.tags.vocabulary], dtype=float)
        texts = len(self.tags.starts) - 1
        if not len(self.tags.ids):
            return np.zeros(texts)
        return np.bincount(self.tags.owners, tags[self.tags.ids], texts).astype(np.float64)


def parse(texts: Sequence[str]) -> Parses:
    """Equal texts are parsed once; only the first 1,000 characters are."""
    from fabula.core.progress import track
    from fabula.text.parse.pipeline import Parser

    short = [text[:1000] for text in texts]
    distinct = list(dict.fromkeys(short))
    parsing = track(Parser(ner=False).each(_read, distinct), "parsing", len(distinct))
    read = dict(zip(distinct, parsing, strict=True))
    numbers: dict[str, int] = {}
    ids: list[int] = []
    starts = [0]
    for text in short:
        ids += [numbers.setdefault(tag, len(numbers)) for tag in read[text][0]]
        starts.append(len(ids))
    tags = Words(np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int64), tuple(numbers))
    depths = np.array([read[text][1:] for text in short], dtype=float).reshape(-1, 2)
    return Parses(tags, depths[:, 0], depths[:, 1])


def _read(doc: Doc) -> tuple[tuple[str, ...], float, float]:
    from fabula.text.parse.complexity import frazier, project, yngve

    trees = project(
        [token.text for token in doc],
        [token.tag_ for token in doc],
        [token.head.i for token in doc],
        [token.dep_ for token in doc],
    )
    return tuple(token.tag_ for token in doc if not token.is_space), yngve(trees), frazier(trees)
