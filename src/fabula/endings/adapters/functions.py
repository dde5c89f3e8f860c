"""Objects in memory as models of endings: functions, cross-encoders, causal language models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from fabula.endings.items import Ending, Scores
from fabula.endings.prompts import phrase
from fabula.errors import UsageError

__all__ = ["Function", "Likelihoods", "Pairs"]


class Function:
    """``function(context, options)``, a text and a list of texts, gives a score for each option."""

    def __init__(self, function: Callable[[str, list[str]], Iterable[float]]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        found = []
        for item in items:
            scores = self.function(" ".join(item.context), list(item.options))
            found.append(tuple(float(score) for score in scores))
        return found


class Pairs:
    """A cross-encoder: ``model.predict([(context, option), ...])`` gives one score a pair.

    Of a classifier's several scores a pair, ``column`` says which one means "follows"; the last by
    default.
    """

    def __init__(self, model: Any, *, column: int = -1) -> None:
        self.model = model
        self.column = column
        self.name = type(model).__name__

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        pairs = [(" ".join(item.context), option) for item in items for option in item.options]
        if not pairs:
            return []
        values = np.asarray(self.model.predict(pairs), dtype=np.float64)
        if values.ndim == 2:
            values = values[:, self.column]
        if values.shape != (len(pairs),):
            raise UsageError(
                f"{self.name}.predict gave an array of shape {values.shape} for {len(pairs)} pairs"
            )
        rest = iter(values.tolist())
        return [tuple(next(rest) for _ in item.options) for item in items]


class Likelihoods:
    """A causal language model with ``log_likelihoods(contexts, continuations)``.

    ``by`` is one of the scores of the model ``lm``.
    """

    without_context = "empty"

    def __init__(self, model: Any, *, by: str = "pmi") -> None:
        self.model = model
        self.by = by
        self.name = type(model).__name__

    def score(self, items: Sequence[Ending]) -> list[Scores]:
        from fabula.endings.models.lm import combine

        prompts = [phrase(item) for item in items]
        options = [prompt.options for prompt in prompts]
        likely = self._ask([prompt.context for prompt in prompts], options)
        if self.by != "pmi":
            return combine(self.by, likely)
        return combine(self.by, likely, self._ask([p.neutral for p in prompts], options))

    def _ask(self, contexts: Sequence[str], options: Sequence[Sequence[str]]) -> list[list[Any]]:
        pairs = [(c, option) for c, some in zip(contexts, options, strict=True) for option in some]
        found = iter(self.model.log_likelihoods([c for c, _ in pairs], [o for _, o in pairs]))
        return [[next(found) for _ in some] for some in options]
