"""What people already have, as models of endings; answers from files; the harness's forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fabula
from fabula.endings.adapters import adapt, call
from fabula.endings.adapters.functions import Likelihoods, Pairs
from fabula.endings.adapters.predictions import Predictions
from fabula.endings.formats.lm_eval_harness import export_task, results, samples
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.errors import InputError, UsageError
from fabula.registry import create_model
from fabula.text.lm.likelihood import Likelihood

ITEMS = [
    Ending("a", ("Ann was hungry.", "She sat."), ("She ate.", "She flew to the moon."), 0),
    Ending("b", ("It rained.",), ("Dry.", "Wet.", "Very hot."), 1),
]


def shorter(context: str, options: list[str]) -> list[float]:
    assert isinstance(context, str)
    return [-len(option) for option in options]


class Cross:
    def predict(self, pairs: list[tuple[str, str]]) -> Any:
        return np.array([-len(option) for _, option in pairs], dtype=np.float32)


class Classifier:
    def predict(self, pairs: list[tuple[str, str]]) -> Any:
        return np.array([[len(option), -len(option)] for _, option in pairs])


class Vectors:
    def encode(self, sentences: list[str]) -> Any:
        return np.array([[1.0, len(text) / 100] for text in sentences])


class Language:
    """Finds every character equally unlikely, and half as unlikely after a context."""

    def log_likelihoods(self, contexts: list[str], continuations: list[str]) -> list[Likelihood]:
        return [
            Likelihood(-len(text) * (0.5 if context else 1.0), 1, len(text), len(text))
            for context, text in zip(contexts, continuations, strict=True)
        ]


@pytest.mark.parametrize("thing", [shorter, Cross(), Classifier(), Vectors(), Language()])
def test_anything_that_can_judge_is_a_model(thing: Any) -> None:
    one, two = call(thing, ITEMS)
    assert (len(one), len(two)) == (2, 3)
    assert call(thing, []) == []
    run = fabula.evaluate("endings", ITEMS, thing, metrics=["accuracy"])
    assert 0 <= run.metrics["accuracy"].value <= 1


def test_what_they_say_is_taken_as_said() -> None:
    assert call(shorter, ITEMS)[1] == (-4.0, -4.0, -9.0)
    assert call(Cross(), ITEMS) == call(shorter, ITEMS) == call(Classifier(), ITEMS)
    assert Pairs(Classifier(), column=0).score(ITEMS)[1] == (4.0, 4.0, 9.0)
    assert Likelihoods(Language(), by="sum").score(ITEMS)[1] == (-2.0, -2.0, -4.5)
    assert Likelihoods(Language()).score(ITEMS)[1] == (2.0, 2.0, 4.5)
    scorer = adapt(shorter)
    assert adapt(scorer) is scorer


def test_what_cannot_judge_is_refused() -> None:
    with pytest.raises(UsageError, match="a int cannot judge endings"):
        adapt(3)

    class Wrong:
        def predict(self, pairs: Any) -> Any:
            return np.zeros(1)

    with pytest.raises(UsageError, match=r"Wrong\.predict gave an array of shape \(1,\) for 5"):
        call(Wrong(), ITEMS)


def test_the_users_own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_for_test.py").write_text(
        "def longer(context, options):\n    return [len(o) for o in options]\n"
        "class Model:\n    def score(self, items):\n        return [[1, 0] for _ in items]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    model = create_model("endings", "python:mine_for_test:longer")
    assert call(model, ITEMS[:1]) == [(8.0, 21.0)]
    assert call(create_model("endings", "python:mine_for_test:Model"), ITEMS[:1]) == [(1.0, 0.0)]
    for wrong in ("python:mine_for_test", "python:nosuch_module:x", "python:mine_for_test:y"):
        with pytest.raises(UsageError, match="python:"):
            create_model("endings", wrong)


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_predictions_are_found_by_the_texts(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "p.jsonl",
        {"id": "b", "options": ["Very hot.", "Wet.", "Dry."], "scores": [1, 9, 0.5]},
        {"id": "a", "choice": "She flew to the moon."},
    )
    assert call(create_model("endings", f"predictions:{path}"), ITEMS) == [
        (0.0, 1.0),
        (0.5, 9.0, 1.0),
    ]
    run = fabula.evaluate("endings", ITEMS, f"predictions:{path}", metrics=["accuracy"], seed=3)
    assert run.metrics["accuracy"].value == 0.5


def test_predictions_beside_their_items(tmp_path: Path) -> None:
    items = lines(tmp_path / "items.jsonl", *(item.to_row() for item in ITEMS))
    path = lines(tmp_path / "p.jsonl", {"id": "a", "scores": [1, 2]}, {"id": "b", "choice": 2})
    found = call(create_model("endings", f"predictions:{path}@{items}"), ITEMS)
    assert found == [(1.0, 2.0), (0.0, 0.0, 1.0)]
    submission = tmp_path / "answer.txt"
    submission.write_text("InputStoryid,AnswerRightEnding\na,2\nb,1\n")
    found = call(Predictions(submission, items=items), ITEMS)
    assert found == [(0.0, 1.0), (1.0, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"scores": [1, 2]}, "'id' is missing"),
        ({"id": "x"}, "'scores' or 'choice' is missing"),
        ({"id": "x", "scores": [1, 2]}, "'options' is missing"),
        ({"id": "x", "choice": 1}, "'options' is missing"),
        ({"id": "x", "options": ["p", "q"], "scores": [1]}, "must be a list of 2 numbers"),
        ({"id": "x", "options": ["p", "q"], "scores": [1, "2"]}, "must be numbers"),
        ({"id": "x", "options": ["p", "q"], "choice": 2}, "must be 0 to 1 or an option"),
        ({"id": "a", "choice": "p"}, "a second answer for item 'a'"),
    ],
)
def test_a_wrong_prediction_names_its_line(tmp_path: Path, row: Any, problem: str) -> None:
    path = lines(tmp_path / "p.jsonl", {"id": "a", "choice": "p"}, row)
    with pytest.raises(InputError, match=rf"p\.jsonl:2: .*{problem}"):
        Predictions(path).score(ITEMS)


def test_predictions_for_other_items_are_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "p.jsonl", {"id": "a", "options": ["x", "y"], "scores": [1, 2]})
    with pytest.raises(UsageError, match="the answer for item 'a' is about other options"):
        Predictions(path).score(ITEMS[:1])
    with pytest.raises(UsageError, match="has no answer for item 'b'"):
        Predictions(path).score(ITEMS[1:])


def test_sample_logs_of_the_harness(tmp_path: Path) -> None:
    """Both ways its versions write numbers; its own COPA documents as well as ours."""
    copa = {"premise": "It rained.", "choice1": "Dry.", "choice2": "Wet.", "question": "effect",
            "idx": 0, "label": 1}  # fmt: skip
    path = lines(
        tmp_path / "samples_x.jsonl",
        {"doc_id": 0, "doc": copa, "target": 1, "filtered_resps": [["-9.5", "False"], ["-2", "1"]],
         "acc": 1.0},
        {"doc_id": 1, "doc": {**ITEMS[0].to_row(), "query": "x"},
         "filtered_resps": [[-4.0, False], [-21.0, False]]},
    )  # fmt: skip
    items = [Ending("q", ("It rained.",), ("Wet.", "Dry."), 0, "effect"), ITEMS[0]]
    assert call(create_model("endings", f"samples:{path}"), items) == [(-2.0, -9.5), (-4.0, -21.0)]
    normal = create_model("endings", f"samples:{path},by=per-character")
    assert call(normal, items)[1] == (-0.5, -1.0)
    with pytest.raises(UsageError, match="by= takes"):
        create_model("endings", f"samples:{path},by=pmi")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"doc": {"text": "x"}, "filtered_resps": []}, "not a sample of multiple choice"),
        ({"doc": ITEMS[0].to_row()}, "'filtered_resps' has no log-probability"),
        ({"doc": ITEMS[0].to_row(), "filtered_resps": [["B"], ["A"]]}, "no log-probability"),
        ({"doc": ITEMS[0].to_row(), "filtered_resps": [[-1.0]]}, "1 answers for 2 options"),
    ],
)
def test_a_wrong_sample_names_its_line(tmp_path: Path, row: Any, problem: str) -> None:
    path = lines(tmp_path / "s.jsonl", row)
    with pytest.raises(InputError, match=rf"s\.jsonl:1: .*{problem}"):
        create_model("endings", f"samples:{path}").score(ITEMS)


def test_a_task_for_the_harness(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    task, data = export_task(ITEMS, tmp_path / "new", "my_stories")
    config = yaml.safe_load(task.read_text())
    assert config["task"] == "my_stories" and config["output_type"] == "multiple_choice"
    assert config["dataset_kwargs"]["data_files"]["test"] == str(data.resolve())
    documents = [json.loads(line) for line in data.read_text().splitlines()]
    first = documents[0]
    assert first["query"] == "Ann was hungry. She sat." and first["gold"] == 0
    assert first[config["doc_to_choice"]][first[config["doc_to_target"]]] == "She ate."
    assert list(read_endings(data)) == ITEMS
    with pytest.raises(UsageError, match="item 'c' has no gold answer"):
        export_task([Ending("c", (), ("x", "y"))], tmp_path, "t")
    with pytest.raises(UsageError, match="a task's name has letters"):
        export_task(ITEMS, tmp_path, "a/b")
    with pytest.raises(UsageError, match="no items"):
        export_task([], tmp_path, "t")


def test_results_in_the_harnesss_shape_come_back(tmp_path: Path) -> None:
    scores = [(-1.0, -2.0), (-3.0, -1.5, -9.0)]
    rows = samples(ITEMS, scores)
    assert [row["acc"] for row in rows] == [1.0, 1.0]
    path = lines(tmp_path / "samples.jsonl", *rows)
    assert call(create_model("endings", f"samples:{path}"), ITEMS) == scores
    found = results("t", "lm", 0.75, 0.01, 2)
    assert found["results"]["t"]["acc,none"] == 0.75
    assert found["n-samples"]["t"] == {"original": 2, "effective": 2}
    json.dumps(found)
