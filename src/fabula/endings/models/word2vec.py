"""Word2Vec (evaluator, section 3.3): context and ending as the averages of their words' vectors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from os import PathLike
from typing import Any

from fabula.endings.items import Ending, Scores
from fabula.endings.models.joint import Joint

__all__ = ["Word2Vec"]


class Word2Vec:
    """``joint`` with averaged word vectors from any file: word2vec, fastText ``.vec``, GloVe.

    Without ``vectors`` those of ``$FABULA_GLOVE`` or the packaged GloVe are used.
    """

    without_context = "others"

    def __init__(
        self, *, vectors: str | PathLike[str] | None = None, context: str = "paragraph"
    ) -> None:
        self.vectors = vectors
        self.context = context

    @classmethod
    def from_argument(cls, argument: str) -> Word2Vec:
        """The path of a word vector file."""
        return cls(vectors=argument)

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        if not items:
            return []
        encoder = _opened(None if self.vectors is None else str(self.vectors))
        return Joint(encoder=encoder, context=self.context).score(items)


@lru_cache(maxsize=2)
def _opened(path: str | None) -> Any:
    from fabula.text.encoders.wordvectors import glove_encoder

    return glove_encoder(path)
