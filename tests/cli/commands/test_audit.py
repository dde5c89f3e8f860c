"""audit, lint, verify and balance from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.audit.toy import make
from typer.testing import CliRunner

from fabula.cli import app
from fabula.endings.items import Ending


def fabula(*line: str | Path, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(word) for word in line], input=stdin)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    items = [
        Ending(i.id, i.context, tuple(f"{o} indeed sir" if p == i.gold and int(i.id[1:]) % 2 else o
                                      for p, o in enumerate(i.options)), i.gold)
        for i in make(160)
    ]  # fmt: skip
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(item.to_row()) + "\n" for item in items))
    return path


def test_audit_writes_all_three_and_keeps_the_promised_keys(data: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / f"a{suffix}" for suffix in (".html", ".json", ".md")]
    line: list[str | Path] = ["audit", data, "--against", data, "--json", "--parsed", "0"]
    for path in outputs:
        line += ["-o", path]
    done = fabula(*line)
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    assert row["items"] == 160 and row["verdict"] == "strong"
    for probe in row["probes"]:
        assert probe.keys() >= {"name", "value", "low", "high", "p", "finding", "examples"}
    (copies,) = [probe for probe in row["probes"] if probe["name"] == "duplicates"]
    assert copies["exact_in_other"] == 160 and copies["near_in_other"] == 0
    assert json.loads(outputs[1].read_text())["fingerprint"] == row["fingerprint"]
    assert outputs[0].read_text().startswith("<!DOCTYPE html>")
    assert outputs[2].read_text().startswith("## Known artefacts")


def test_the_gate(data: Path) -> None:
    probe = ["--probe", "options-only"]
    assert fabula("audit", data, *probe, "--fail-above", "0.6").exit_code == 1
    assert fabula("audit", data, *probe, "--fail-above", "0.99").exit_code == 0
    copies = ["--probe", "duplicates", "--against", str(data)]
    assert fabula("audit", data, *copies, "--fail-duplicates", "0.01").exit_code == 1
    assert fabula("audit", data, "--fail-above", "7").exit_code == 2


@pytest.mark.parametrize(
    "line",
    [
        ["audit", "nowhere.jsonl"],
        ["audit", "DATA", "--options", "a,b"],
        ["audit", "DATA", "--probe", "psition"],
        ["audit", "DATA", "-o", "a.pdf"],
        ["audit", "DATA", "--gold-as", "colour"],
    ],
)
def test_mistakes_are_told_in_one_line(data: Path, line: list[str]) -> None:
    done = fabula(*[str(data) if word == "DATA" else word for word in line])
    assert done.exit_code == 2 and done.stderr.count("\n") == 1 and not done.stdout


def test_the_probes_are_listed() -> None:
    assert "options-only" in fabula("list", "probes").stdout.split()


def test_lint_a_file_and_by_asking(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    item = Ending("a", ("Ida ran home.",), ("Ida ate soup.", "Ida did not eat soup."), 0)
    path.write_text(json.dumps(item.to_row()) + "\n")
    done = fabula("lint", path, "--json")
    assert done.exit_code == 1
    assert [r["check"] for r in json.loads(done.stdout)["remarks"]] == ["negation"]
    asked = fabula("lint", stdin="Ida ran home.\nIda ate soup.\nIda ate sand.\n\n")
    assert asked.exit_code == 0 and "1 items, 0 to mend" in asked.stdout


def test_verify(tmp_path: Path) -> None:
    path, kept = tmp_path / "r.jsonl", tmp_path / "kept.jsonl"
    rows = [{"id": "a", "right": [1, 1, 1], "wrong": [-1, -1, -1]},
            {"id": "b", "right": [1, 0, 1], "wrong": [-1, -1, -1]}]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = fabula("verify", path, "--json", "-o", kept)
    assert done.exit_code == 0 and json.loads(done.stdout)["kept"] == ["a"]
    assert [json.loads(line)["kept"] for line in kept.read_text().splitlines()] == [True, False]


def test_balance(data: Path, tmp_path: Path) -> None:
    kept, rewrite = tmp_path / "kept.jsonl", tmp_path / "rewrite.jsonl"
    done = fabula("balance", data, "-o", kept, "--rewrite", rewrite, "--json")
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    lines = kept.read_text().splitlines()
    assert row["kept"] == len(lines) >= 96
    assert json.loads((tmp_path / "kept.meta.json").read_text())["recipe"] == "balance"
    assert "indeed" in json.loads(rewrite.read_text().splitlines()[0])["words"]
