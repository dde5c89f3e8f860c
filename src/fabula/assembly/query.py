"""Query mode: the account in which something happens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabula.types import Narrative

__all__ = ["QueryAnswer", "find_account"]

_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_ASKING = re.compile(
    r"^\s*(?:the\s+)?(?:account|story|report)s?\s+(?:in\s+which|where|about|of)\s+", re.I
)
_TOP = 3
_MEAN = 0.3  # the weight of the whole account beside its best sentences


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The story that answers best, its best positions, and how every story did."""

    query: str
    story: int
    positions: tuple[int, ...]
    scores: dict[int, float]

    @property
    def clear(self) -> bool:
        """Whether the best story is well ahead of the next."""
        ranked = sorted(self.scores.values(), reverse=True)
        return len(ranked) < 2 or ranked[0] - ranked[1] >= 0.05


def find_account(stories: Sequence[Narrative], query: str, encoder: Any = "minilm") -> QueryAnswer:
    """The account in which the query happens: meaning by sentence vectors, plus words said."""
    from fabula.text.encoders.sentence import find_encoder

    asked = _ASKING.sub("", query).strip() or query
    texts = [p.sentence.text for story in stories for p in story.sentences]
    vectors = np.asarray(find_encoder(encoder).encode([asked, *texts]), dtype=np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    near = vectors[1:] @ vectors[0]
    words = set(map(str.lower, _WORD.findall(asked)))
    said = [len(words & set(map(str.lower, _WORD.findall(t)))) / max(len(words), 1) for t in texts]
    scores, best, at = {}, {}, 0
    for story in stories:
        n = len(story.sentences)
        worth = near[at : at + n] + 0.5 * np.array(said[at : at + n])
        order = np.argsort(-worth, kind="stable")
        scores[story.id] = float((1 - _MEAN) * worth[order[0]] + _MEAN * worth.mean())
        best[story.id] = tuple(int(i) + 1 for i in order[:_TOP])
        at += n
    story_id = max(scores, key=lambda number: (scores[number], -number))
    rounded = {number: round(score, 4) for number, score in scores.items()}
    return QueryAnswer(asked, story_id, best[story_id], rounded)
