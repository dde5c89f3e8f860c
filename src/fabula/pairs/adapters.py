"""Anything that can judge two sentences, as a model of pairs: objects, functions, chat services."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from fabula.errors import UsageError
from fabula.pairs.items import LABELS, Pair, PairModel, Relation, read_relation
from fabula.task import read_answers

__all__ = ["Chat", "Function", "Predictor", "adapt", "call", "from_chat"]

# The order of sentence-transformers' NLI cross-encoders, where a model does not say its own.
_COLUMNS = ("contradiction", "entailment", "neutral")
_STATED = "First: {}\nSecond: {}\nTaken as reports of one moment, the second statement is:"
_SHARED = "First: {}\nSecond: {}\nDo both mention one and the same event?"
_MEANINGS = {
    "Certainly true if the first is.": "entailment",
    "Possibly true if the first is.": "neutral",
    "False if the first is true.": "contradiction",
}


def adapt(thing: Any) -> PairModel:
    """A model of pairs from an object with ``.relate(pairs)`` or ``.predict(pairs)``, or from a
    function of two sentences that gives a label, probabilities or a ``Relation``."""
    if callable(getattr(thing, "relate", None)):
        return thing  # type: ignore[no-any-return]
    if callable(getattr(thing, "predict", None)):
        return Predictor(thing)
    if callable(thing):
        return Function(thing)
    raise UsageError(
        f"a {type(thing).__name__} cannot relate pairs; it needs relate or predict, or to be a "
        "function of two sentences"
    )


def call(model: Any, pairs: Sequence[Pair]) -> list[Relation]:
    """Relations by a ``PairModel``, or by anything ``adapt`` can make one of."""
    return read_answers(pairs, adapt(model).relate(list(pairs)), read_relation)


class Function:
    """``function(a, b)`` gives a label, a mapping of probabilities, or a ``Relation``."""

    def __init__(self, function: Callable[[str, str], Any]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)

    def relate(self, pairs: Sequence[Pair]) -> list[Any]:
        return [self.function(pair.a, pair.b) for pair in pairs]


class Predictor:
    """``model.predict([(a, b), ...])``, as sentence-transformers' ``CrossEncoder`` has it.

    Three columns are logits or probabilities of the labels, in the order of the model's own
    ``config.id2label``, else contradiction, entailment, neutral. One column is likeness: it stands
    for one event and for entailment.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.name = type(model).__name__

    def relate(self, pairs: Sequence[Pair]) -> list[Any]:
        if not pairs:
            return []
        texts = [(pair.a, pair.b) for pair in pairs]
        values = np.asarray(self.model.predict(texts), dtype=np.float64)
        if values.shape == (len(pairs), 1):
            values = values[:, 0]
        if values.shape == (len(pairs), 3):
            if values.min() < 0 or not np.allclose(values.sum(axis=1), 1, atol=1e-3):
                values = softmax(values, axis=1)
            columns = [self._labels().index(label) for label in LABELS]
            return [dict(zip(LABELS, row, strict=True)) for row in values[:, columns].tolist()]
        if values.shape != (len(pairs),):
            raise UsageError(
                f"{self.name}.predict gave an array of shape {values.shape} for {len(pairs)} pairs"
            )
        if values.min() < 0 or values.max() > 1:
            values = expit(values)
        return [Relation(float(v), float(1 - v), 0.0, float(v)) for v in values]

    def _labels(self) -> tuple[str, ...]:
        inner = getattr(self.model, "model", None)
        config = getattr(self.model, "config", None) or getattr(inner, "config", None)
        names = getattr(config, "id2label", None) or {}
        labels = tuple(str(names[key]).lower() for key in sorted(names))
        return labels if sorted(labels) == sorted(LABELS) else _COLUMNS


class Chat:
    """An OpenAI-compatible chat service that is asked for a letter, through the endings' adapter.

    The labels are asked for in every order; one event is asked for with yes and no.
    """

    def __init__(self, url: Any, model: str, **more: Any) -> None:
        from fabula.endings.adapters.openai import Chat as Letters

        self.url, self.model = str(getattr(url, "url", url)), model
        self._letters = Letters(url, model, **more)

    def relate(self, pairs: Sequence[Pair]) -> list[Relation]:
        from fabula.endings.items import Ending

        labels = [Ending(p.id, (_STATED.format(p.a, p.b),), tuple(_MEANINGS)) for p in pairs]
        events = [Ending(p.id, (_SHARED.format(p.a, p.b),), ("Yes.", "No.")) for p in pairs]
        answers = self._letters.score([*labels, *events])
        relations = []
        for pair, shares, (yes, no) in zip(
            pairs, answers[: len(pairs)], answers[len(pairs) :], strict=True
        ):
            related = read_relation(pair, dict(zip(_MEANINGS.values(), shares, strict=True)))
            relations.append(related._replace(same=yes / (yes + no) if yes + no else 0.5))
        return relations


def from_chat(argument: str) -> Chat:
    """``chat:URL#MODEL``"""
    url, _, model = argument.partition("#")
    if not model:
        raise UsageError(f"write URL#MODEL, such as http://localhost:8000/v1#llama; not {argument}")
    return Chat(url, model)
