from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bench.toy import TOY, Judge, numbers
from typer.testing import CliRunner

from fabula.bench.adapters import AnswersFile
from fabula.bench.evaluate import evaluate
from fabula.cli.app import app
from fabula.errors import InputError, UsageError
from fabula.registry import create_model, tasks

PERFECT = {"salads": "CA", "ordering": "PMR", "events": "MRR", "endings": "accuracy"}


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def example_file(task: str, folder: Path) -> Path:
    return written(folder / "items.jsonl", [item.to_row() for item in tasks.get(task).examples()])


@pytest.mark.parametrize("task", PERFECT)
def test_a_file_of_items_with_gold_answers_itself(task: str, tmp_path: Path) -> None:
    path = example_file(task, tmp_path)
    run = evaluate(task, path, f"answers:{path}")
    assert run.metrics[PERFECT[task]].value == 1.0


@pytest.mark.parametrize(
    ("task", "answers"),
    [
        ("salads", [[0, 1, 0, 1, 0, 1], [0, 1, 0, 1]]),
        ("ordering", [[1, 3, 0, 2], [1, 0, 2]]),
        ("events", ["catch->obj", ["escape->subj"], "score->subj", "score->subj", "flee->subj",
                    "arrest->obj"]),
        ("endings", [{"scores": [2, 1]}, {"choice": "He called a locksmith."}]),
    ],
)  # fmt: skip
def test_the_simplest_answers_are_read_in_the_order_of_the_file(
    task: str, answers: list[Any], tmp_path: Path
) -> None:
    path = example_file(task, tmp_path)
    items = tasks.get(task).examples()
    rows = [{"id": item.id, "answer": answer} for item, answer in zip(items, answers, strict=True)]
    given = written(tmp_path / "answers.jsonl", rows[::-1])
    for seed in range(3):  # the evaluator shuffles what a model sees, never what a file answers
        run = evaluate(task, path, f"answers:{given}", seed=seed)
        assert run.metrics[PERFECT[task]].value == 1.0


def test_a_stored_run_is_a_file_of_answers(tmp_path: Path) -> None:
    path = example_file("ordering", tmp_path)
    first = evaluate("ordering", path, "random", folder=tmp_path / "runs")
    assert first.folder is not None
    again = evaluate("ordering", path, f"answers:{first.folder / 'items.parquet'}")
    assert again.metrics == first.metrics


def test_a_task_without_a_reader_of_its_own_reads_its_stored_rows(tmp_path: Path) -> None:
    rows = [{"id": item.id, "even": [float(g) for g in item.gold or ()]} for item in numbers(9)]
    path = written(tmp_path / "answers.jsonl", rows)
    run = evaluate(TOY, numbers(9), AnswersFile(TOY, path))
    assert run.metrics["accuracy"].value == 1.0


def test_wrong_answers_name_file_and_line(tmp_path: Path) -> None:
    path = example_file("ordering", tmp_path)
    answers = written(tmp_path / "a.jsonl", [{"id": "kettle", "order": ["x"]}])
    with pytest.raises(InputError, match=r"a\.jsonl:1: the answer to item 'kettle': an order is"):
        evaluate("ordering", path, f"answers:{answers}")
    answers = written(tmp_path / "a.jsonl", [{"id": "kettle", "order": [0, 1, 2, 3]}])
    with pytest.raises(InputError, match=r"a\.jsonl: has no answer for item 'letter'"):
        evaluate("ordering", path, f"answers:{answers}")
    answers = written(tmp_path / "a.jsonl", [{"id": "kettle", "order": [0]}] * 2)
    with pytest.raises(InputError, match=r"a\.jsonl:2: a second answer for item 'kettle'"):
        evaluate("ordering", path, f"answers:{answers}")


MINE = """
from mine_too import flip

class Mine:
    def group(self, salads):
        return [[i % 2 for i in range(len(salad.sentences))] for salad in salads]

    def order(self, texts):
        return [list(range(len(text.units)))[::flip] for text in texts]

    def rank(self, tests, top):
        return [[*(test.options or test.events)] for test in tests]

    def score(self, items):
        return [[len(option) for option in item.options] for item in items]

def group(salads):
    return Mine().group(salads)
"""


@pytest.mark.parametrize("task", PERFECT)
def test_a_model_of_ones_own_is_found_in_the_current_folder(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = f"mine_{task}"
    (tmp_path / f"{module}.py").write_text(MINE.replace("mine_too", f"{module}_too"))
    (tmp_path / f"{module}_too.py").write_text("flip = -1")
    path = example_file(task, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in __import__("sys").path if p not in ("", ".")])
    shown = CliRunner().invoke(
        app, ["evaluate", task, str(path), "--model", f"python:{module}:Mine", "--json"]
    )
    assert shown.exit_code == 0, shown.output
    assert PERFECT[task] in json.loads(shown.stdout)["results"][0]["metrics"]


def test_a_function_stands_for_the_method_and_a_path_for_the_module(tmp_path: Path) -> None:
    (tmp_path / "mine_by_path.py").write_text(MINE.replace("from mine_too import flip", "flip = 1"))
    model = create_model("salads", f"python:{tmp_path / 'mine_by_path.py'}:group")
    assert model.name == "group"
    assert evaluate("salads", tasks.get("salads").examples(), model).metrics["CA"].value > 0


@pytest.mark.parametrize(
    ("task", "contract"),
    [
        ("salads", r"group\(salads\) -> list\[Grouping\]"),
        ("ordering", r"order\(texts\) -> list\[Order\]"),
        ("events", r"rank\(tests, top\) -> list\[Ranking\]"),
    ],
)
def test_an_object_without_the_method_is_told_the_contract(task: str, contract: str) -> None:
    with pytest.raises(UsageError, match=f"a model of {task} has the method {contract}"):
        evaluate(task, tasks.get(task).examples(), Judge())


def test_what_is_no_answer_names_the_item() -> None:
    class Wordy:
        def order(self, texts: Any) -> Any:
            return ["first to last" for _ in texts]

    with pytest.raises(UsageError, match="item 'kettle': an order is a list of the units' numbers"):
        evaluate("ordering", tasks.get("ordering").examples(), Wordy())
