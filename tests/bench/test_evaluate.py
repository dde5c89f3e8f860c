from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bench.toy import TOY, Judge, Stopping, number, numbers

from fabula.bench.evaluate import evaluate
from fabula.bench.runs.store import load_run
from fabula.errors import DamagedFile, InputError, UnknownName, UsageError
from fabula.registry import Registry


def the_folder(folder: Path) -> Path:
    (only,) = folder.iterdir()
    return only


def without_timing(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "run.json").read_text())
    del record["timing"], record["sha256"]
    return record


def test_scores_are_ratios_of_sums_with_intervals() -> None:
    run = evaluate(TOY, numbers(12), Judge(slip=5))
    values = [value for item in numbers(12) for value in item.values]
    right = sum(value % 5 != 4 for value in values)
    assert run.metrics["accuracy"].value == pytest.approx(right / len(values))
    assert run.metrics["accuracy"].method == "bootstrap"
    assert run.metrics["all_right"].method == "wilson"
    for estimate in run.metrics.values():
        assert estimate.low <= estimate.value <= estimate.high
    assert run.data["items"] == 12 and run.folder is None
    assert run.parameters == {"name": "judge", "slip": 5}
    assert {"fabula", "python", "numpy", "scipy"} <= set(run.versions)


def test_gold_is_hidden_and_answers_are_put_back() -> None:
    seen = []

    class Watching(Judge):
        def judge(self, items: Any) -> Any:
            seen.extend(items)
            return super().judge(items)

    run = evaluate(TOY, numbers(30), Watching())
    assert all(item.gold is None for item in seen)
    assert any(item.values != number(n).values for n, item in enumerate(seen)), "never shuffled"
    assert run.metrics["accuracy"].value == 1.0


def test_neither_batch_size_nor_order_changes_what_a_model_sees() -> None:
    views: list[dict[str, Any]] = []

    class Watching(Judge):
        def judge(self, items: Any) -> Any:
            views[-1].update({item.id: item.values for item in items})
            return super().judge(items)

    for batch, items in [(1, numbers(20)), (7, numbers(20)), (64, numbers(20)[::-1])]:
        views.append({})
        evaluate(TOY, items, Watching(), batch=batch)
    assert views[0] == views[1] == views[2]
    views.append({})
    evaluate(TOY, numbers(20), Watching(), seed=1)
    assert views[3] != views[0]


def test_a_file_and_its_items_have_the_same_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "numbers.jsonl"
    path.write_text("".join(f'{{"n": {n}}}\n' for n in range(6)))
    from_file, from_items = (evaluate(TOY, items, Judge()) for items in (path, numbers(6)))
    assert from_file.data["fingerprint"] == from_items.data["fingerprint"]
    assert from_file.data["path"] == str(path)
    other = evaluate(TOY, numbers(7), Judge())
    assert other.data["fingerprint"] != from_file.data["fingerprint"]


def test_names_are_resolved(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Registry("task")
    known.register("toy", TOY)
    monkeypatch.setattr("fabula.bench.evaluate.tasks", known)
    monkeypatch.setattr("fabula.bench.evaluate.create_model", lambda task, spec: Judge())
    run = evaluate("toy", numbers(3), "judge:x", notes=["a trial"])
    assert (run.task, run.model, run.notes) == ("toy", "judge:x", ("a trial",))
    with pytest.raises(UnknownName, match="did you mean 'toy'"):
        evaluate("toi", numbers(3), Judge())


def test_an_interrupted_evaluation_goes_on_where_it_stopped(tmp_path: Path) -> None:
    items = numbers(50)
    model = Stopping()
    model.fail_at = 3
    with pytest.raises(RuntimeError, match="power"):
        evaluate(TOY, items, model, folder=tmp_path / "a", batch=10)
    place = the_folder(tmp_path / "a")
    assert [path.name for path in place.iterdir()] == ["partial.jsonl"]
    with pytest.raises(InputError, match="not a finished run"):
        load_run(place)

    resumed = evaluate(TOY, items, model, folder=tmp_path / "a", batch=10)
    assert (model.calls, model.asked) == (6, 50)  # five good batches, one lost
    assert sorted(path.name for path in place.iterdir()) == ["items.parquet", "run.json"]

    whole = evaluate(TOY, items, Stopping(), folder=tmp_path / "b", batch=10)
    other = the_folder(tmp_path / "b")
    assert other.name == place.name
    assert (other / "items.parquet").read_bytes() == (place / "items.parquet").read_bytes()
    assert without_timing(other) == without_timing(place)
    assert resumed.metrics == whole.metrics


@pytest.mark.parametrize("tear", ["half a line", "zeros", "not json"])
def test_a_torn_partial_file_loses_one_batch_only(tmp_path: Path, tear: str) -> None:
    items, model = numbers(40), Stopping()
    model.fail_at = 4
    with pytest.raises(RuntimeError):
        evaluate(TOY, items, model, folder=tmp_path, batch=10)
    partial = the_folder(tmp_path) / "partial.jsonl"
    lines = partial.read_bytes().splitlines(keepends=True)
    torn = {"half a line": lines[2][:40], "zeros": bytes(50), "not json": b"{}\n"}[tear]
    partial.write_bytes(lines[0] + lines[1] + torn)

    model.fail_at = 6  # and once more, so that the repaired file is read as well
    with pytest.raises(RuntimeError):
        evaluate(TOY, items, model, folder=tmp_path, batch=10)
    run = evaluate(TOY, items, model, folder=tmp_path, batch=10)
    assert model.asked == 30 + 20
    assert run.metrics == evaluate(TOY, items, Stopping()).metrics


def test_a_finished_run_is_read_back(tmp_path: Path) -> None:
    model = Stopping()
    first = evaluate(TOY, numbers(9), model, folder=tmp_path)
    again = evaluate(TOY, numbers(9), model, folder=tmp_path, batch=2)
    assert model.calls == 1 and again.metrics == first.metrics and again.timing == first.timing
    evaluate(TOY, numbers(9), model, folder=tmp_path, force=True)
    assert model.calls == 2
    changes: list[dict[str, Any]] = [{"seed": 1}, {"options": {"a": True}}, {"name": "other"}]
    for change in changes:
        evaluate(TOY, numbers(9), model, folder=tmp_path, **change)
    evaluate(TOY, numbers(9), Stopping(slip=4), folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 5


def test_more_metrics_are_scored_from_stored_answers(tmp_path: Path) -> None:
    model = Stopping()
    few = evaluate(TOY, numbers(9), model, folder=tmp_path, metrics=["accuracy"])
    assert list(few.metrics) == ["accuracy"]
    more = evaluate(TOY, numbers(9), model, folder=tmp_path, metrics=["all_right"])
    assert list(more.metrics) == ["all_right", "accuracy"] and model.calls == 1
    assert more.timing == few.timing
    assert list(load_run(the_folder(tmp_path)).metrics) == ["all_right", "accuracy"]


def test_another_training_is_another_run(tmp_path: Path) -> None:
    class Trained(Judge):
        weight = 0

        def save(self, folder: Path) -> None:
            if not self.weight:
                raise UsageError("not trained yet")
            (folder / "config.json").write_text(json.dumps({"weight": self.weight}))

    model = Trained()
    assert evaluate(TOY, numbers(3), model, folder=tmp_path).weights is None
    names = set()
    for model.weight in (1, 2, 1):
        run = evaluate(TOY, numbers(3), model, folder=tmp_path)
        assert run.weights is not None and run.folder is not None
        names.add(run.folder.name)
    assert len(names) == 2


def test_wrong_answers_are_named() -> None:
    class Lazy(Judge):
        def judge(self, items: Any) -> Any:
            return super().judge(items)[1:]

    class Silent(Judge):
        def judge(self, items: Any) -> Any:
            return None

    class Short(Judge):
        def judge(self, items: Any) -> Any:
            return [[] for _ in items]

    with pytest.raises(UsageError, match="'judge' gave 2 answers for 3 toy items"):
        evaluate(TOY, numbers(3), Lazy())
    with pytest.raises(UsageError, match="gave a NoneType for 3 toy items"):
        evaluate(TOY, numbers(3), Silent())
    with pytest.raises(UsageError, match="'judge' on item 'n0': 0 probabilities for 1 values"):
        evaluate(TOY, numbers(3), Short())


def test_wrong_items_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="item 4 has the id 'n1', which an earlier item has"):
        evaluate(TOY, [*numbers(3), number(1)], Judge())
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    with pytest.raises(InputError, match=r"empty\.jsonl: there are no items"):
        evaluate(TOY, path, Judge())
    with pytest.raises(InputError, match="item 1 has no text 'id'"):
        evaluate(TOY, ["text"], Judge())
    with pytest.raises(UnknownName, match="did you mean 'accuracy'"):
        evaluate(TOY, numbers(3), Judge(), metrics=["acuracy"])
    with pytest.raises(UsageError, match="batch"):
        evaluate(TOY, numbers(3), Judge(), batch=0)


def test_the_folder_name_is_safe_whatever_the_model_is_called(tmp_path: Path) -> None:
    run = evaluate(TOY, numbers(3), Judge(name="../<b>/joint:minilm"), folder=tmp_path)
    assert run.folder is not None and run.folder.parent == tmp_path
    assert run.folder.name.startswith("toy-b-joint-minilm-")


def test_a_damaged_finished_run_is_not_quietly_replaced(tmp_path: Path) -> None:
    run = evaluate(TOY, numbers(3), Judge(), folder=tmp_path)
    assert run.folder is not None
    (run.folder / "items.parquet").write_bytes(b"PAR1")
    with pytest.raises(DamagedFile, match=r"items\.parquet: changed .* force"):
        evaluate(TOY, numbers(3), Judge(), folder=tmp_path)
    evaluate(TOY, numbers(3), Judge(), folder=tmp_path, force=True)
    load_run(run.folder)
