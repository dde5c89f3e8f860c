from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabula.endings.adapters import call
from fabula.endings.items import Ending
from fabula.endings.metrics import accuracy
from fabula.endings.models.average_sentiment import AverageSentiment
from fabula.endings.models.constant import Constant
from fabula.endings.models.joint import Joint
from fabula.endings.models.last_sentiment import LastSentiment
from fabula.endings.models.trajectory import Trajectory
from fabula.endings.models.word2vec import Word2Vec
from fabula.endings.vectors import PREDICTORS, coefficients, joint_scores, trajectory_scores
from fabula.errors import InputError, UnknownName, UsageError
from fabula.registry import create_model
from fabula.testing import check_model

LINE = Ending("line", ("1 0", "2 1", "3 2", "4 3"), ("5 4", "4 -3"), 0)


class Plane:
    """A "sentence" is the numbers it is written with; a paragraph is the sum of its sentences."""

    def encode(self, sentences: list[str]) -> Any:
        rows = [
            np.array(text.split(), dtype=float).reshape(-1, 2).sum(axis=0) for text in sentences
        ]
        return np.array(rows)


def test_the_papers_weights_for_four_sentences() -> None:
    assert coefficients(4) == pytest.approx(np.array([2, -3, -3, 7]) / 3)
    assert coefficients(4, "last-difference") == pytest.approx(np.array([0, 0, -1, 2]))
    assert coefficients(4, "mean-difference") == pytest.approx(np.array([-1, 0, 0, 4]) / 3)
    # A parabola through three differences hits them all: d + (d1 - 3 d2 + 3 d3).
    assert coefficients(4, "quadratic") == pytest.approx(np.array([-1, 4, -6, 4]))
    assert coefficients(4, "last") == pytest.approx(np.array([0, 0, 0, 1]))
    assert coefficients(4, "mean") == pytest.approx(np.full(4, 0.25))


@given(st.integers(1, 9), st.sampled_from(PREDICTORS))
def test_a_story_that_stands_still_stays_where_it_is(n: int, predictor: str) -> None:
    assert coefficients(n, predictor).sum() == pytest.approx(1.0)


@given(
    st.integers(3, 9), st.floats(-3, 3), st.floats(-3, 3), st.sampled_from(["linear", "quadratic"])
)
def test_steady_acceleration_is_foreseen(n: int, speed: float, push: float, predictor: str) -> None:
    def at(t: float) -> float:
        return speed * t + push * t * t

    places = np.array([at(t) for t in range(n)])
    assert coefficients(n, predictor) @ places == pytest.approx(at(n), abs=1e-6)


def test_least_squares_agrees_with_a_general_solver() -> None:
    rng = np.random.default_rng(0)
    for n in (3, 4, 6, 9):
        rows = rng.normal(size=(n, 5))
        times = np.column_stack([np.ones(n - 1), np.arange(n - 1)])
        line = np.linalg.lstsq(times, np.diff(rows, axis=0), rcond=None)[0]
        expected = rows[-1] + line[0] + line[1] * (n - 1)
        assert coefficients(n) @ rows == pytest.approx(expected)


def test_cosines_by_hand() -> None:
    scores = joint_scores(
        [[1.0, 0.0], [0.0, 0.0]], [[[2.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [1.0, 0.0]]]
    )
    assert scores.tolist() == [[1.0, 0.0], [0.0, 0.0]]
    with pytest.raises(UsageError, match=r"they are \(items, d\) and \(items, k, d\)"):
        joint_scores([[1.0]], [[[1.0, 2.0]]])
    with pytest.raises(UsageError, match="items, n, d"):
        trajectory_scores([[1.0]], [[[1.0]]])


def test_a_straight_line_goes_on() -> None:
    (scores,) = call(Trajectory(encoder=Plane()), [LINE])
    expected = np.array([5.0, 4.0])
    assert scores[0] == pytest.approx(1.0)
    assert scores[1] == pytest.approx(expected @ [4, -3] / np.linalg.norm(expected) / 5)


@pytest.mark.parametrize(
    ("context", "vector"), [("paragraph", (10, 6)), ("mean", (2.5, 1.5)), ("last", (4, 3))]
)
def test_the_context_of_joint_has_three_readings(context: str, vector: Any) -> None:
    (scores,) = call(Joint(encoder=Plane(), context=context), [LINE])
    assert scores[0] == pytest.approx(np.dot(vector, (5, 4)) / np.hypot(*vector) / np.hypot(5, 4))


def test_arguments_name_the_encoder_and_the_reading() -> None:
    joint = create_model("endings", "joint:tfidf,last")
    assert (joint.encoder, joint.context) == ("tfidf", "last")
    assert create_model("endings", "joint:tfidf").context == "mean"
    path = create_model("endings", "trajectory:minilm,quadratic")
    assert (path.encoder, path.predictor) == ("minilm", "quadratic")
    with pytest.raises(UnknownName, match="context of joint 'means': did you mean 'mean'"):
        Joint(encoder=Plane(), context="means").score([LINE])
    with pytest.raises(UnknownName, match="unknown predictor 'linar'"):
        Trajectory(encoder=Plane(), predictor="linar").score([LINE])
    with pytest.raises(UsageError, match="a dict is no encoder"):
        Joint(encoder={}).score([LINE])


@pytest.mark.parametrize("model", [Joint(encoder=Plane()), Trajectory(encoder=Plane())])
def test_items_of_all_shapes_go_together(model: Any) -> None:
    items = [
        LINE,
        Ending("one", ("1 2",), ("2 4", "-1 0", "1 0"), 0),
        Ending("none", (), ("1 0", "0 1"), 0),
    ]
    check_model("endings", model, items)
    assert call(model, items)[2] == (0.0, 0.0)
    assert accuracy(items[2], call(model, items)[2]).total == 0.5


@pytest.mark.parametrize("spec", ["joint:tfidf", "trajectory:tfidf", "joint:tfidf,paragraph"])
def test_a_relative_encoder_reads_each_item_by_itself(spec: str) -> None:
    check_model("endings", spec)


def test_words_from_any_file(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("rain 1 0\nwet 1 0.1\nsun 0 1\nhot 0.1 1\n")
    items = [
        Ending("w", ("Rain and rain.", "More rain."), ("He was hot.", "He was wet."), 1),
        Ending("s", ("Sun.",), ("He was hot.", "He was wet."), 0),
    ]
    model = create_model("endings", f"word2vec:{path}")
    assert [accuracy(i, s).total for i, s in zip(items, call(model, items), strict=True)] == [1, 1]
    check_model("endings", model, items)
    assert Word2Vec(vectors=path).score([]) == []
    with pytest.raises(InputError, match="cannot be opened"):
        Word2Vec(vectors=tmp_path / "none.txt").score(items)


def test_sentiment_follows_the_mean_or_the_last_sentence() -> None:
    item = Ending(
        "m",
        ("They were happy.", "It was a wonderful day.", "Then disaster struck and people died."),
        ("Everybody was delighted.", "It was a horrible tragedy.", "They sat down."),
        1,
    )
    (average,), (last,) = call(AverageSentiment(), [item]), call(LastSentiment(), [item])
    assert max(range(3), key=last.__getitem__) == 1
    assert max(range(3), key=average.__getitem__) == 2
    for model in (AverageSentiment(), LastSentiment(), Constant()):
        check_model("endings", model)
        assert call(model, [Ending("e", (), ("Good.", "Bad."))]) == [(0.0, 0.0)]
