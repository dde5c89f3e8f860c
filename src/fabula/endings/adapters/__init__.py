"""Anything that can judge an ending, as a model of endings.

``adapt`` takes what people already have. The other adapters are named on the command line:
``completions:URL#MODEL``, ``chat:URL#MODEL``, ``embeddings:URL#MODEL``, ``predictions:FILE`` and
``samples:FILE``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabula.endings.items import Ending, EndingModel, Scores, read_scores
from fabula.errors import UsageError
from fabula.task import read_answers

__all__ = ["adapt", "call"]


def adapt(thing: Any) -> EndingModel:
    """A model of endings from an object that can judge, compare, encode or predict texts.

    What it can do decides: ``.score(items)``; ``.predict(pairs)``; ``.encode(texts)``;
    ``.log_likelihoods(contexts, continuations)``; or a call ``(context, options) -> scores``.
    """
    from fabula.endings.adapters.functions import Function, Likelihoods, Pairs
    from fabula.endings.models.joint import Joint

    for method, make in (
        ("score", lambda: thing),
        ("predict", lambda: Pairs(thing)),
        ("encode", lambda: Joint(encoder=thing)),
        ("log_likelihoods", lambda: Likelihoods(thing)),
        ("__call__", lambda: Function(thing)),
    ):
        if callable(getattr(thing, method, None)):
            return make()
    raise UsageError(
        f"a {type(thing).__name__} cannot judge endings; it needs score, predict, encode or "
        "log_likelihoods, or to be a function of context and options"
    )


def call(model: Any, items: Sequence[Ending]) -> list[Scores]:
    """Scores of an ``EndingModel``, or of anything ``adapters.adapt`` can make one of."""
    if not callable(getattr(model, "score", None)):
        model = adapt(model)
    return read_answers(items, model.score(list(items)), read_scores)
