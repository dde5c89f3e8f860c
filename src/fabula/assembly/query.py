"""Query: stories and a question in, the best matching story out, by vectors and word overlap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fabula.types import Narrative

__all__ = ["QueryAnswer", "find_account"]

_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_QUESTION_PREFIX = re.compile(
    r"^\s*(?:the\s+)?(?:account|story|report)s?\s+(?:in\s+which|where|about|of)\s+", re.I
)
_TOP_SENTENCES = 3
_MEAN_WEIGHT = 0.3  # of the mean over the story; its best sentence has the rest
# A sentence matches by its vector, or by a word and a vector that is not far off.
_MATCHING_COSINE, _COSINE_WITH_WORD = 0.4, 0.2


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The best story, the positions of its best sentences, and the score of every story.

    ``story`` is None, and there are no positions, where nothing in the pile matches.
    """

    query: str
    story: int | None
    positions: tuple[int, ...]
    scores: dict[int, float]

    @property
    def clear(self) -> bool:
        """Whether the best score is 0.05 or more above the next."""
        ranked = sorted(self.scores.values(), reverse=True)
        return len(ranked) < 2 or ranked[0] - ranked[1] >= 0.05


def find_account(stories: Sequence[Narrative], query: str, encoder: Any = "minilm") -> QueryAnswer:
    """The story that matches the query best: cosine of sentence vectors plus half word overlap."""
    from fabula.text.encoders.sentence import find_encoder

    asked = _QUESTION_PREFIX.sub("", query).strip() or query
    texts = [p.sentence.text for story in stories for p in story.sentences]
    vectors = np.asarray(find_encoder(encoder).encode([asked, *texts]), dtype=np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    cosines = vectors[1:] @ vectors[0]
    words = set(map(str.lower, _WORD.findall(asked)))
    overlaps = [
        len(words & set(map(str.lower, _WORD.findall(t)))) / max(len(words), 1) for t in texts
    ]
    scores, best_positions, start = {}, {}, 0
    for story in stories:
        end = start + len(story.sentences)
        story_scores = cosines[start:end] + 0.5 * np.array(overlaps[start:end])
        order = np.argsort(-story_scores, kind="stable")
        scores[story.id] = float(
            (1 - _MEAN_WEIGHT) * story_scores[order[0]] + _MEAN_WEIGHT * story_scores.mean()
        )
        best_positions[story.id] = tuple(int(i) + 1 for i in order[:_TOP_SENTENCES])
        start = end
    story_id = max(scores, key=lambda number: (scores[number], -number))
    rounded = {number: round(score, 4) for number, score in scores.items()}
    matching = (cosines >= _MATCHING_COSINE) | (
        (cosines >= _COSINE_WITH_WORD) & (np.array(overlaps) > 0)
    )
    if not matching.any():
        return QueryAnswer(asked, None, (), rounded)
    return QueryAnswer(asked, story_id, best_positions[story_id], rounded)
