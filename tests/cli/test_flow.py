"""Build, train, evaluate, compare, report: a benchmark from its corpus to its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import app


def fabula(*line: str | Path) -> Any:
    done = CliRunner().invoke(app, [*map(str, line), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def shown(*line: str | Path) -> str:
    done = CliRunner().invoke(app, list(map(str, line)))
    assert done.exit_code == 0, done.output
    return str(done.stdout)


def test_ordering_from_corpus_to_report(tmp_path: Path) -> None:
    train, test, model, runs = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "m", "runs"))
    for part, path in (("train", train), ("test", test)):
        built = fabula("build", "ordering", "sample", "-o", path, "--window", "5-8", "--part", part)
        meta = json.loads(path.with_name(f"{path.stem}.meta.json").read_text())
        assert meta == built and meta["items"] == len(path.read_text().splitlines()) > 10
        assert meta.keys() >= {"seed", "source", "fingerprint", "version"}

    saved = fabula("train", "ordering/linear", train, "--dev", test, "-o", model)
    assert saved["folder"] == str(model) and (model / "config.json").is_file()

    line = ("evaluate", "ordering", test, "-m", model, "-m", "random", "-o", runs)
    first = fabula(*line)
    taus = [result["metrics"]["tau"]["value"] for result in first["results"]]
    assert taus[0] > taus[1]
    assert len(list(runs.iterdir())) == 2
    again = fabula(*line)
    assert all("read back" in note for note in again.pop("notes")), "and it is said"
    assert again == first  # seconds and all

    (pair,) = fabula("compare", runs, "--metric", "tau")["comparisons"]
    assert abs(pair["difference"]) == pytest.approx(taus[0] - taus[1])
    places = fabula("leaderboard", runs, "--metric", "tau")["places"]
    assert places[0]["value"] == taus[0] and places[0]["best"] == 1
    assert fabula("report", runs, "-o", tmp_path / "r.html")["runs"] == 2
    assert "random" in (tmp_path / "r.html").read_text()
    errors = fabula("errors", *sorted(runs.iterdir()), "--metric", "tau", "--below", "0.2")[
        "errors"
    ]
    assert errors and all(error["score"] < 0.2 for error in errors)
    for words in (line, ("compare", runs), ("leaderboard", runs)):
        assert "random" in shown(*words)
    assert "rescued by" in shown("errors", runs)


def test_salads_from_corpus_to_score(tmp_path: Path) -> None:
    items = tmp_path / "s.parquet"
    built = fabula(
        "build", "salads", "sample", "-o", items, "--recipe", "same-category", "--n", "8"
    )
    assert built["items"] == 8 and built["recipe"] == "same-category"
    line = ("evaluate", "salads", items, "-m", "centred", "-m", "unif")
    best, unif = fabula(*line)["results"]
    assert best["metrics"]["CA"]["value"] > unif["metrics"]["CA"]["value"]
    blind, _ = fabula(*line, "--unknown-k")["results"]
    assert blind["metrics"]["k_right"] != best["metrics"]["k_right"]
    assert best["metrics"]["k_right"]["value"] == 1.0
    assert "one_to_one" in shown(*line)


def test_the_packaged_endings(tmp_path: Path) -> None:
    results = fabula("evaluate", "endings", "sample-endings", "-m", "constant")["results"]
    assert results[0]["metrics"]["accuracy"]["value"] == 0.5


def test_a_build_repeats_byte_for_byte_and_the_seed_matters(tmp_path: Path) -> None:
    contents = []
    for name, seed in (("a", "0"), ("b", "0"), ("c", "1")):
        path = tmp_path / f"{name}.jsonl"
        fabula("build", "salads", "sample", "-o", path, "--n", "3", "--seed", seed)
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] != contents[2]


def test_the_manual_is_up_to_date() -> None:
    from fabula.cli.manual import manual

    page = Path(__file__).parents[2] / "docs" / "cli.md"
    assert "## fabula assemble" in manual() and "--stories" in manual()
    if not page.is_file():
        pytest.skip("docs/cli.md is not written yet")
    assert page.read_text(encoding="utf-8") == manual(), "run: make docs"


def test_no_errors_is_said(tmp_path: Path) -> None:
    line = ("evaluate", "endings", "sample-endings", "-m", "constant", "-o", tmp_path / "runs")
    fabula(*line)
    said = " ".join(shown("errors", tmp_path / "runs").split())
    assert said.startswith("constant, accuracy below 0.5, in ") and said.endswith(": no item")
