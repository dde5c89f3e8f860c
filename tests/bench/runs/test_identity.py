from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.bench.toy import TOY, Judge, numbers

from fabula.bench.evaluate import evaluate
from fabula.bench.runs.identity import model_identity
from fabula.endings.models.joint import Joint
from fabula.registry import create_model, tasks

ENDINGS = tasks.get("endings").examples()
TEXTS = tasks.get("ordering").examples()


def at_least(length: int) -> Callable[[str, list[str]], list[float]]:
    return lambda context, options: [float(len(option) >= length) for option in options]


def test_functions_of_one_name_are_different_models(tmp_path: Path) -> None:
    longest = evaluate("endings", ENDINGS, lambda c, o: [float(len(x)) for x in o], folder=tmp_path)
    shortest = evaluate(
        "endings", ENDINGS, lambda c, o: [-float(len(x)) for x in o], folder=tmp_path
    )
    assert longest.items.answers != shortest.items.answers
    values = {evaluate("endings", ENDINGS, at_least(n), folder=tmp_path).folder for n in (1, 31)}
    assert len(values) == 2, "what a closure holds is part of the function"


class Letters:
    """An encoder: counts of letters, in some alphabet."""

    def __init__(self, alphabet: str, scale: float = 1.0) -> None:
        self.scaled = np.full(len(alphabet), scale)
        self._alphabet = alphabet

    def encode(self, sentences: list[str]) -> Any:
        return np.array([[s.count(a) for a in self._alphabet] for s in sentences]) * self.scaled


def test_encoders_inside_models_are_told_apart(tmp_path: Path) -> None:
    encoders = [Letters("abc"), Letters("xyz"), Letters("abc", 2.0)]
    assert len({model_identity(Joint(encoder=encoder)) for encoder in encoders}) == 3
    assert model_identity(Joint(encoder=Letters("abc"))) == model_identity(
        Joint(encoder=Letters("abc"))
    )
    assert model_identity(Joint(encoder="minilm")) != model_identity(Joint(encoder="tfidf"))


def test_a_networks_weights_are_part_of_it() -> None:
    torch = pytest.importorskip("torch")
    one, other = (torch.nn.Linear(2, 2) for _ in range(2))
    assert model_identity(one) != model_identity(other)
    other.load_state_dict(one.state_dict())
    assert model_identity(one) == model_identity(other)


def write(path: Path, code: str) -> None:
    path.write_text(code)
    later = path.stat().st_mtime_ns + 2_000_000_000  # Python's own cache goes by the second
    os.utime(path, ns=(later, later))


def test_edited_code_is_another_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "import edited_helper\ndef order(texts):\n    return edited_helper.orders(texts)\n"
    helper = "def orders(texts):\n    return [sorted(range(len(t.units)), {}) for t in texts]\n"
    folders = set()
    for key in ("key=lambda i: i", "key=lambda i: -i", "key=lambda i: -i"):
        write(tmp_path / "edited_model.py", code)
        write(tmp_path / "edited_helper.py", helper.format(key).replace(", key", ", key"))
        for name in ("edited_model", "edited_helper"):
            sys.modules.pop(name, None)
        spec = "python:edited_model:order"
        model = create_model("ordering", spec)
        run = evaluate("ordering", TEXTS, model, name=spec, folder=tmp_path / "runs")
        folders.add(run.folder)
    assert len(folders) == 2


def test_a_file_that_a_model_reads_is_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    values = []
    for gold in ((1, 3, 0, 2), (0, 1, 2, 3)):
        path.write_text(
            f'{{"id": "kettle", "order": {list(gold)}}}\n{{"id": "letter", "order": [1, 0, 2]}}\n'
        )
        run = evaluate("ordering", TEXTS, f"answers:{path}", folder=tmp_path / "runs")
        values.append(run.metrics["PMR"].value)
    assert values == [1.0, 0.5]


def test_what_cannot_be_identified_is_measured_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = Judge()
    model.stream = (n for n in range(3))  # type: ignore[attr-defined]
    folders = {evaluate(TOY, numbers(3), model, folder=tmp_path).folder for _ in range(2)}
    assert len(folders) == 2
    assert "a generator cannot be identified" in caplog.text


def test_reading_back_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    first = evaluate(TOY, numbers(3), Judge(), folder=tmp_path)
    with caplog.at_level(logging.INFO, "fabula.bench"):
        again = evaluate(TOY, numbers(3), Judge(), folder=tmp_path)
    assert first.notes == () and first.folder == again.folder
    assert again.notes[0].startswith("read back: measured 2") and "judge: read back" in caplog.text


def test_a_run_prints_as_one_line() -> None:
    run = evaluate(TOY, numbers(3), Judge())
    text = "<Run of judge on 3 toy items: all_right=1.000, accuracy=1.000, VI=0.000>"
    assert repr(run) == str(run) == text
