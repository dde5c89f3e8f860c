from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from fabula import relate
from fabula.endings.adapters.http import Endpoint
from fabula.errors import UsageError
from fabula.pairs import Pair
from fabula.pairs.adapters import Chat, from_chat

ASKED = [("It rained.", "It was dry."), ("It rained.", "It was wet.")]


class Encoder:
    """As sentence-transformers' CrossEncoder: logits in an order of its own."""

    def __init__(self, values: Any, names: dict[int, str] | None = None) -> None:
        self.values, self.config = values, SimpleNamespace(id2label=names)

    def predict(self, pairs: Any) -> Any:
        assert pairs == ASKED
        return np.array(self.values)


def test_a_cross_encoder_is_a_model_by_its_own_order_of_labels() -> None:
    logits = [[5.0, 0.0, 0.0], [0.0, 5.0, 0.0]]
    assert [r.label for r in relate(ASKED, model=Encoder(logits))] == [
        "contradiction",
        "entailment",
    ]
    names = {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}
    named = relate(ASKED, model=Encoder(logits, names))
    assert [r.label for r in named] == ["entailment", "neutral"]


def test_one_column_is_likeness() -> None:
    unlike, like = relate(ASKED, model=Encoder([-4.0, 4.0]))
    assert unlike.same < 0.05 < 0.95 < like.same
    with pytest.raises(UsageError, match="shape"):
        relate(ASKED, model=Encoder([[0.0, 1.0]] * 2))


def test_a_function_of_two_sentences_is_a_model() -> None:
    clash = relate(ASKED, model=lambda a, b: "contradiction" if "dry" in b else "neutral")
    assert [r.contradiction for r in clash] == [1, 0]
    with pytest.raises(UsageError, match="cannot relate pairs"):
        relate(ASKED, model=3)


class Service(Endpoint):
    """Answers with the letter of the option that holds a word."""

    def __init__(self) -> None:
        super().__init__("http://localhost:1/v1")

    def post(self, path: str, body: Any) -> dict[str, Any]:
        question = body["messages"][0]["content"]
        wanted = "False if" if "dry" in question else "Certainly"
        if "one and the same event" in question:
            wanted = "Yes."
        line = next(line for line in question.splitlines() if wanted in line and ") " in line[:3])
        return {"choices": [{"message": {"content": line[0]}}]}


def test_a_chat_service_is_asked_for_letters() -> None:
    dry, wet = Chat(Service(), "m", cached=False).relate(
        [Pair("1", *ASKED[0]), Pair("2", *ASKED[1])]
    )
    assert (dry.label, wet.label, dry.same) == ("contradiction", "entailment", 1)
    with pytest.raises(UsageError, match="write URL#MODEL"):
        from_chat("http://localhost:1/v1")
