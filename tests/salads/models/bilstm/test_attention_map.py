from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from fabula.cli import app
from fabula.errors import UsageError
from fabula.salads.items import Salad
from fabula.salads.models.bilstm.attention_map import attention_weights, heat_map
from fabula.salads.models.bilstm.ffnn import FfnnBilstmMtCtx
from fabula.salads.models.bilstm.model import Bilstm, BilstmMt
from fabula.text.io.records import write_records

pytest.importorskip("torch")
pytest.importorskip("lightning")

SMALL = {"width": 8, "hidden": 8, "filters": 2, "rate": 0.01, "epochs": 1}
SALAD = Salad(
    "sea",
    ("The ship sank <fast>.", "The crew left the ship.", "Bread burnt.", "The oven glowed."),
    (0, 0, 1, 1),
    stories=2,
)


@pytest.fixture(scope="module")
def model() -> BilstmMt:
    return BilstmMt(**SMALL).fit([SALAD], [SALAD])  # type: ignore[arg-type]


def test_weights_are_shares_of_the_words(model: BilstmMt) -> None:
    (words, first), (others, second) = attention_weights(model, SALAD, 0, 1)
    assert list(words) == ["the", "ship", "sank", "<", "fast", ">", "."]
    assert list(others) == ["the", "crew", "left", "the", "ship", "."]
    assert first.sum() == pytest.approx(1, abs=1e-5) and second.sum() == pytest.approx(1, abs=1e-5)
    (_, again), _ = attention_weights(model, SALAD, 1, 0)
    assert np.allclose(again, second)


def test_events_attend_too() -> None:
    trained = FfnnBilstmMtCtx(**SMALL).fit([SALAD], [SALAD])  # type: ignore[arg-type]
    (words, weights), _ = attention_weights(trained, SALAD, 1, 2)
    assert list(words) == ["leave crew ship"] and weights.tolist() == [1.0]


def test_what_cannot_be_drawn(model: BilstmMt) -> None:
    with pytest.raises(UsageError, match="bilstm has no mutual attention"):
        attention_weights(Bilstm(), SALAD, 0, 1)
    with pytest.raises(UsageError, match="there is no sentence 9; the salad has 4"):
        attention_weights(model, SALAD, 0, 8)


def test_the_picture_is_well_formed_and_long_sentences_wrap() -> None:
    words = ["<script>"] * 60
    svg = ElementTree.fromstring(heat_map([(words, np.full(60, 1 / 60))]))
    assert float(svg.attrib["width"]) <= 910
    texts = [node.text for node in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == words


def test_the_command(model: BilstmMt, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    write_records(tmp_path / "salads.jsonl", [SALAD.to_row()])
    places = [str(tmp_path / "model"), str(tmp_path / "salads.jsonl")]
    run = CliRunner().invoke
    out = str(tmp_path / "a.svg")
    done = run(app, ["attention", *places, "--pair", "1,2", "-o", out, "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["salad"] == "sea" and data["pairs"] == [[1, 2]] and len(data["weights"]) == 2
    ElementTree.parse(out)
    wrong = run(app, ["attention", *places, "--item", "land", "-o", out])
    assert wrong.exit_code == 2 and "holds no salad 'land'" in wrong.stderr
    assert run(app, ["attention", *places, "--pair", "1", "-o", out]).exit_code == 2
