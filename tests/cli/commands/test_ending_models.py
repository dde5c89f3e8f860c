"""The models of endings as the command line has them: train, refuse what was seen, compare."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.cli.line import fabula
from tests.endings.models.endingreg.test_model import biased


def write(path: Path, items: Any) -> Path:
    path.write_text("".join(json.dumps(item.to_row()) + "\n" for item in items))
    return path


def test_train_and_evaluate_and_the_leak_is_caught(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", biased(60))
    # Names and things repeat, so that a new draw holds the same stories: these are other ones.
    test = write(tmp_path / "test.jsonl", with_another_sentence(biased(20, seed=1)))
    folder = tmp_path / "reg"
    made = fabula(
        "train", "endings/endingreg", train, "-o", folder,
        "--set", "groups=sentiment,chars", "--set", "grid=1.0",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    leaked = fabula("evaluate", "endings", train, "--model", folder)
    assert (
        leaked.exit_code == 2 and "60 of 60 items were seen by 'reg' in training" in leaked.stderr
    )
    forced = fabula("evaluate", "endings", train, "--model", folder, "--force", "--json")
    assert "60 of 60 items were seen" in json.loads(forced.stdout)["notes"][0]

    both = fabula("evaluate", "endings", test, "--model", folder, "--model", "constant", "--json")
    assert both.exit_code == 0, both.output
    answer = json.loads(both.stdout)
    reg, constant = answer["results"]
    assert set(reg["metrics"]) == {"accuracy", "ties", "no_context", "context_gain"}
    assert reg["metrics"]["accuracy"]["value"] == 1.0
    assert reg["metrics"]["context_gain"]["value"] == 0.0  # it never read the story
    assert constant["metrics"]["ties"]["value"] == 1.0
    (pair,) = answer["comparisons"]
    assert pair["difference"] == 0.5 and pair["p_holm"] < 0.05

    shown = fabula("evaluate", "endings", test, "--model", folder, "--model", "constant")
    assert "no_context" in shown.stdout and "p (Holm)" in shown.stdout
    less = fabula(
        "evaluate", "endings", test, "--model", "constant", "--metric", "accuracy", "--json"
    )
    assert list(json.loads(less.stdout)["results"][0]["metrics"]) == ["accuracy"]


def with_another_sentence(items: Any) -> Any:
    return [replace(item, context=(*item.context, "It was night.")) for item in items]
