"""Joint (evaluator, section 3.1): the ending whose vector is nearest to the context's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.endings.items import Ending, Scores
from fabula.endings.vectors import joint_scores, score_by_shape
from fabula.errors import UnknownName

__all__ = ["CONTEXTS", "Joint"]

CONTEXTS = ("paragraph", "mean", "last")


class Joint:
    """Cosine of the context with each ending, under any encoder.

    The context is the ``mean`` of its sentences' vectors (as the paper reads it for skip-thoughts),
    the vector of the whole ``paragraph``, or its ``last`` sentence. Skip-thoughts, or any other
    encoder that is not ours, is handed over as an object with ``.encode(list[str])``.
    """

    without_context = "others"  # no text has no direction

    def __init__(self, *, encoder: Any = "minilm", context: str = "mean") -> None:
        self.encoder = encoder
        self.context = context

    @classmethod
    def from_argument(cls, argument: str) -> Joint:
        """``minilm``, ``minilm,paragraph``."""
        encoder, comma, context = argument.partition(",")
        return cls(encoder=encoder, context=context if comma else "mean")

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        if self.context not in CONTEXTS:
            raise UnknownName("context of joint", self.context, CONTEXTS)
        return score_by_shape(
            self.encoder,
            items,
            self._read,
            lambda contexts, options: joint_scores(contexts.mean(axis=1), options),
        )

    def _read(self, item: Ending) -> Sequence[str]:
        if not item.context or self.context == "mean":
            return item.context
        return [item.context[-1]] if self.context == "last" else [" ".join(item.context)]
