"""Trajectory (evaluator, section 3.2): the ending nearest to where the sentences are heading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.endings.items import Ending, Scores
from fabula.endings.vectors import PREDICTORS, score_by_shape, trajectory_scores
from fabula.errors import UnknownName

__all__ = ["Trajectory"]


class Trajectory:
    """The next vector, extrapolated from the context's sentences, compared with each ending.

    ``predictor`` is ``linear`` (the paper's: least squares through the differences of neighbours),
    ``last-difference``, ``mean-difference``, ``quadratic``, ``last`` or ``mean``.
    """

    without_context = "others"

    def __init__(self, *, encoder: Any = "minilm", predictor: str = "linear") -> None:
        self.encoder = encoder
        self.predictor = predictor

    @classmethod
    def from_argument(cls, argument: str) -> Trajectory:
        """``minilm``, ``minilm,last-difference``."""
        encoder, comma, predictor = argument.partition(",")
        return cls(encoder=encoder, predictor=predictor if comma else "linear")

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        if self.predictor not in PREDICTORS:
            raise UnknownName("predictor", self.predictor, PREDICTORS)
        return score_by_shape(
            self.encoder,
            items,
            lambda item: item.context,
            lambda sentences, options: trajectory_scores(sentences, options, self.predictor),
        )
