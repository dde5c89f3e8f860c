from __future__ import annotations

import math

import pytest

from fabula.bench.evaluate import evaluate
from fabula.conversations import TASK
from fabula.conversations.items import Conversation, Message, Threading
from fabula.conversations.metrics import exact_f1, link_f1, one_to_one, vi_scaled
from fabula.errors import UsageError
from fabula.task import Score


def chat(
    labels: str, system: str = "", links: tuple[tuple[int, int], ...] | None = None
) -> Conversation:
    messages = [Message(i, "x", "a", system=str(i) in system) for i in range(len(labels))]
    return Conversation("c", tuple(messages), tuple(map(int, labels)), links)


def answer(labels: str, links: tuple[int, ...] | None = None) -> Threading:
    return Threading(tuple(map(int, labels)), (1.0,) * len(labels), links)


def value(score: Score) -> float:
    return score.total / score.count


def test_by_hand() -> None:
    gold, found = chat("001122"), answer("000122")
    assert value(one_to_one(gold, found)) == pytest.approx(5 / 6)
    # Of gold {0,1} {2,3} {4,5} and found {0,1,2} {3} {4,5} of two or more: one is exact.
    assert value(exact_f1(gold, found)) == pytest.approx(2 * 1 / (3 + 2))
    # H(found | gold) = 1/3 log 2, H(gold | found) = 1/2 h(1/3).
    h = -(1 / 3) * math.log(1 / 3) - (2 / 3) * math.log(2 / 3)
    expected = 1 - (math.log(2) / 3 + h / 2) / math.log(6)
    assert value(vi_scaled(gold, found)) == pytest.approx(expected)


def test_system_lines_are_not_scored() -> None:
    gold = chat("0901", system="1")
    assert value(one_to_one(gold, answer("0501"))) == value(one_to_one(gold, answer("0001"))) == 1.0
    assert value(vi_scaled(gold, answer("0001"))) == 1.0
    assert value(exact_f1(gold, answer("0001"))) == 1.0


def test_links() -> None:
    gold = chat("0001", links=((0, 0), (1, 0), (2, 0), (3, 3)))
    assert value(link_f1(gold, answer("0001", (0, 0, 0, 3)))) == 1.0
    assert value(link_f1(gold, answer("0001"))) == 0.75  # derived: 2 follows 1
    assert link_f1(chat("0"), answer("0")) == Score(0.0, 0.0)


def test_one_message_and_none() -> None:
    assert value(vi_scaled(chat("0"), answer("3"))) == 1.0
    nothing = chat("0", system="0")
    for metric in (one_to_one, vi_scaled, exact_f1):
        assert metric(nothing, answer("0")) == Score(0.0, 0.0)


def test_a_chat_without_labels_cannot_be_scored() -> None:
    with pytest.raises(UsageError, match="chat 'c' has no labels"):
        one_to_one(Conversation("c", (Message(1, "x"),)), answer("0"))


def test_the_evaluator_measures_links_where_they_are_given() -> None:
    examples = TASK.examples()
    assert "link_f1" not in evaluate("conversations", examples, "single").metrics
    linked = [Conversation(c.id, c.messages, c.labels, ((0, 0), (1, 0))) for c in examples]
    assert "link_f1" in evaluate("conversations", linked, "single").metrics
