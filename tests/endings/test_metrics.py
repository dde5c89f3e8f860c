from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.bench.evaluate import evaluate
from fabula.endings.items import Ending
from fabula.endings.metrics import ablated, accuracy, context_gain, no_context, ties
from fabula.errors import UnknownName, UsageError

ITEMS = [
    Ending(f"i{n}", (f"The colour is c{n}.",), (f"It was c{n}.", "It was grey."), 0)
    for n in range(12)
]


class Reader:
    """Right when it can read the answer in the context; with no context it cannot choose."""

    without_context = "others"

    def score(self, items: Any) -> list[tuple[float, ...]]:
        return [
            tuple(
                float(any(option.split()[-1] in line for line in item.context))
                for option in item.options
            )
            for item in items
        ]


class Blind(Reader):
    without_context = "empty"


class Answers(Reader):
    without_context = "never"


def test_the_story_is_worth_what_is_lost_without_it() -> None:
    run = evaluate("endings", ITEMS, Reader())
    assert run.metrics["accuracy"].value == 1.0 and run.metrics["accuracy"].method == "wilson"
    assert run.metrics["no_context"].value == 0.5  # ties
    assert run.metrics["context_gain"].value == 0.5
    gain = run.metrics["context_gain"]
    assert gain.low == gain.high == 0.5  # every item gains the same
    assert run.metrics["ties"].value == 0.0


def test_an_empty_context_is_one_twin_and_others_are_five() -> None:
    (blind,) = (ablated(Blind(), ITEMS) or (lambda _: []))(ITEMS[3])
    assert blind.context == () and blind.options == ITEMS[3].options and blind.id == "i3"
    drawn = ablated(Reader(), ITEMS)
    assert drawn is not None
    for item in ITEMS:
        found = [copy.context for copy in drawn(item)]
        assert len(set(found)) == 5 and item.context not in found
        assert found == [copy.context for copy in drawn(item)]
    assert evaluate("endings", ITEMS, Blind()).metrics["no_context"].method == "wilson"


def test_a_lone_item_has_no_other_context() -> None:
    run = evaluate("endings", ITEMS[:1], Reader())
    assert run.metrics["accuracy"].value == 1.0
    assert run.metrics["no_context"].value != run.metrics["no_context"].value  # not a number


def test_a_model_with_nothing_but_answers_has_no_twins(tmp_path: Path) -> None:
    run = evaluate("endings", ITEMS, Answers(), folder=tmp_path)
    assert list(run.metrics) == ["accuracy", "ties"]
    with pytest.raises(UsageError, match="so 'no_context' is unknown"):
        evaluate("endings", ITEMS, Answers(), metrics=["no_context"])
    wrong = Answers()
    wrong.without_context = "nothing"
    with pytest.raises(UnknownName, match="way to ask without context 'nothing'"):
        evaluate("endings", ITEMS, wrong)


def test_twins_are_asked_only_when_they_are_wanted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Counting(Reader):
        def score(self, items: Any) -> list[tuple[float, ...]]:
            # Not in a list of the test's: what a model closes over is part of its identity.
            logging.getLogger("asked").warning("%d", len(items))
            return super().score(items)

    def asked() -> list[int]:
        return [int(r.getMessage()) for r in caplog.records if r.name == "asked"]

    first = evaluate("endings", ITEMS, Counting(), metrics=["accuracy"], folder=tmp_path)
    assert asked() == [12] and list(first.metrics) == ["accuracy"]
    whole = evaluate(
        "endings", ITEMS, Counting(), folder=tmp_path
    )  # asks anew: no ablated items stored
    assert asked() == [12, 12, 60] and whole.metrics["context_gain"].value == 0.5
    again = evaluate("endings", ITEMS, Counting(), folder=tmp_path)
    assert asked() == [12, 12, 60] and again.metrics == whole.metrics


def test_batches_do_not_change_what_is_drawn() -> None:
    small, large = (evaluate("endings", ITEMS, Reader(), batch=b).items.answers for b in (1, 64))
    assert small == large


def test_ties_are_counted_and_shared() -> None:
    item = Ending("a", (), ("x", "y", "z"), gold=1)
    assert ties(item, (0.9, 0.9, 0.2)).total == 1.0
    assert ties(item, (0.9, 0.1, 0.2)).total == 0.0
    assert no_context(item, (0, 1, 0), [(0.5, 0.5, 0.0), (1.0, 0.0, 0.0)]).total == 0.25
    assert no_context(item, (0, 1, 0), []).count == 0.0
    assert context_gain(item, (0, 1, 0), [(0.5, 0.5, 0.0)]).total == 0.5


scores = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=2, max_size=5)


@given(scores)
def test_over_all_golds_an_item_is_worth_one(values: list[float]) -> None:
    options = tuple(f"o{i}" for i in range(len(values)))
    shares = [
        accuracy(Ending("a", (), options, gold), tuple(values)).total for gold in range(len(values))
    ]
    assert sum(shares) == pytest.approx(1.0)


class Learnt(Reader):
    training_marks_ = frozenset[str]()


def test_items_seen_in_training_are_refused_unless_forced(tmp_path: Path) -> None:
    from fabula.endings.leakage import training_marks

    model = Learnt()
    model.training_marks_ = training_marks(ITEMS[:2])
    with pytest.raises(UsageError, match=r"2 of 12 items were seen .* \('i0', 'i1'\).*--force"):
        evaluate("endings", ITEMS, model, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
    run = evaluate("endings", ITEMS, model, force=True)
    assert run.notes == ("2 of 12 items were seen by 'Learnt' in training",)
    assert evaluate("endings", ITEMS[2:], model).notes == ()
    other = [Ending("z", ("THE colour is c1",), ("Else.", "It was c1!"), 0)]  # the same story
    with pytest.raises(UsageError, match="1 of 1 items were seen"):
        evaluate("endings", other, model)
