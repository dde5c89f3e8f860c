"""The command line as other programs use it: exit codes, where errors go, and the promised keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from tests.cli.line import TANGLED, error_of, fabula, json_of, write_endings

from fabula import __version__, assembly, doctor
from fabula.cli import COMMANDS, app
from fabula.text.encoders.cache import VectorCache

# What programs rely on.


def test_assemble_json(pile: Path) -> None:
    data = json_of("assemble", pile, "--stories", "2")
    assert data.keys() >= {"stories", "contradictions", "gaps", "notes"}
    assert [story["id"] for story in data["stories"]] == [1, 2]
    for story in data["stories"]:
        assert story.keys() >= {"id", "title", "sentences", "actors", "events"}
    told = [s for story in data["stories"] for s in story["sentences"]]
    assert sorted(s["line"] for s in told) == [1, 2, 3, 4]
    for sentence in told:
        assert sentence.keys() >= {"text", "source", "line", "position", "probability"}
        assert sentence["source"] == str(pile)
        assert sentence["text"] == TANGLED.splitlines()[sentence["line"] - 1]


def test_untangle_json_is_the_same_without_what_it_does_not_do(pile: Path) -> None:
    data = json_of("untangle", pile, "--stories", "2")
    assert data.keys() >= {"stories", "contradictions", "notes"} and "gaps" not in data
    for story in data["stories"]:
        assert story.keys() == {"id", "title", "sentences"}
        for sentence in story["sentences"]:
            assert sentence.keys() >= {"text", "source", "line", "probability"}
            assert "position" not in sentence
    lines = [s["line"] for story in data["stories"] for s in story["sentences"]]
    assert sorted(lines) == [1, 2, 3, 4]


def test_what_was_kept_together_stays_so(pile: Path, tmp_path: Path) -> None:
    out = tmp_path / "before.json"
    first = json_of("untangle", pile, "--stories", "2", "--together", "1,2", "-o", out)
    lines = TANGLED.splitlines()
    assert first["together"] == [[lines[0], lines[1]]] and first["apart"] == []
    again = json_of("untangle", pile, "--stories", "2", "--previous", out)
    assert again["together"] == first["together"] and again["changes"] == []
    story = {s["line"]: t["id"] for t in again["stories"] for s in t["sentences"]}
    assert story[1] == story[2]


def test_order_json(pile: Path) -> None:
    data = json_of("order", pile)
    assert data.keys() == {"units", "order", "confidence", "neighbours"}
    assert sorted(data["order"]) == [0, 1, 2, 3] and 0 <= data["confidence"] <= 1
    assert data["units"] == [TANGLED.splitlines()[i] for i in data["order"]]


def test_evaluate_json(tmp_path: Path) -> None:
    items = write_endings(tmp_path / "a.jsonl")
    data = json_of("evaluate", "endings", items, "--model", "constant", "-m", "constant")
    assert data["task"] == "endings" and data["items"] == 4
    assert [result["model"] for result in data["results"]] == ["constant", "constant"]
    for result in data["results"]:
        assert result.keys() >= {"model", "metrics", "seconds"}
        assert result["metrics"]["accuracy"].keys() == {"value", "low", "high"}
        assert result["metrics"]["accuracy"]["value"] == 0.5


def test_what_is_not_a_number_is_null_in_json(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a", "units": ["One."], "gold": [0]}\n')
    data = json_of("evaluate", "ordering", tmp_path / "a.jsonl", "--model", "random")
    assert data["results"][0]["metrics"]["tau"]["value"] is None
    assert data["notes"] == ["random: 1 of the 1 items cannot be scored and take no part"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("tasks", "salads"),
        ("models", "salads/centred"),
        ("metrics", "ordering/WLCS-l"),
        ("recipes", "salads/same-month"),
        ("data", "tangled"),
        ("data", "sotu"),
        ("encoders", "minilm"),
        ("readers", "parquet"),
    ],
)
def test_list_json(kind: str, expected: str) -> None:
    data = json_of("list", kind)
    assert list(data) == [kind] and expected in data[kind]
    assert fabula("list", kind).stdout.splitlines() == data[kind]


def test_the_promised_metrics() -> None:
    names = set(json_of("list", "metrics")["metrics"])
    salads = "CA ARI NMI VI one_to_one exact_f1 bcubed k_right"
    assert names >= {f"salads/{name}" for name in salads.split()}
    assert names >= {f"ordering/{name}" for name in ["PMR", "Acc", "tau", "WLCS-l"]}
    assert "endings/accuracy" in names


def test_resources_json() -> None:
    data = json_of("resources")
    assert data == json_of("resources", "show")
    for resource in data["resources"]:
        assert resource.keys() >= {"name", "what", "licence", "megabytes", "sha256", "status"}
    (minilm,) = [r for r in data["resources"] if r["name"] == "minilm"]
    assert minilm["status"].startswith("ready")
    assert "minilm" in fabula("resources").stdout
    assert fabula("resources", "-q").output == ""


def test_every_command_takes_the_shared_options() -> None:
    def leaves(node: Any, path: tuple[str, ...]) -> Any:
        children = getattr(node, "commands", {})
        own = [option for parameter in node.params for option in parameter.opts]
        if not children or path == ("resources",):
            yield path, own
        for name, child in children.items():
            yield from leaves(child, (*path, name))

    found = dict(leaves(typer.main.get_command(app), ()))
    assert {path[0] for path in found} == set(COMMANDS)
    for path, options in found.items():
        assert {"--json", "--seed", "-q", "--debug"} <= set(options), path
    assert fabula("order", "--help").stdout == fabula("order", "-h").stdout != ""


def test_cache_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FABULA_CACHE", str(tmp_path / "cache"))
    assert json_of("cache") == {"folder": str(tmp_path / "cache"), "bytes": 0, "files": {}}
    VectorCache(model="m", dimension=2).put({"a": np.ones(2, np.float32)})
    (tmp_path / "cache" / "thesis.txt").write_bytes(b"not ours")
    stored = json_of("cache", "show")["bytes"]
    assert stored > 0
    assert json_of("cache", "clear")["freed"] == stored
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["thesis.txt"]
    assert "cache takes show or clear; it is 'empty'" in error_of("cache", "empty")


def test_doctor_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "JOBS", {"counting": lambda: (6, "sheep")})
    data = json_of("doctor")
    assert data["ok"] is True
    for finding in data["findings"]:
        assert finding.keys() >= {"what", "ok", "said", "required"}
    assert {"python", "resource minilm", "counting"} <= {f["what"] for f in data["findings"]}


def test_a_failed_check_is_shown_and_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    findings = [doctor.Finding("minilm", False, "not installed"), doctor.Finding("x", True, "y")]
    monkeypatch.setattr(doctor, "examine", lambda: findings)
    assert json_of("doctor", code=1)["ok"] is False
    done = fabula("doctor")
    assert done.exit_code == 1 and "MISSING" in done.stdout and done.stderr == ""
    findings[0] = doctor.Finding("web", False, "not installed", required=False)
    assert fabula("doctor").exit_code == 0


def test_split_json(pile: Path) -> None:
    data = json_of("split", pile)
    assert [(s["line"], s["text"]) for s in data["sentences"]] == list(
        enumerate(TANGLED.splitlines(), 1)
    )
    assert fabula("split", pile).stdout.splitlines()[2] == f"{pile}:3\tThe ferry sank."


# What people see.


def test_the_packaged_sample_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[assembly.Assembly] = []

    def once(*given: Any, **options: Any) -> assembly.Assembly:
        solved[:] = solved or [assemble(*given, **options)]
        return solved[0]

    assemble = assembly.assemble
    monkeypatch.setattr(assembly, "assemble", once)
    data = json_of("assemble", "tangled")
    assert sum(len(story["sentences"]) for story in data["stories"]) == 45
    assert 0 <= data["score"]["CA"] <= 1 and 0 <= data["score"]["tau"] <= 1
    text = fabula("assemble", "tangled").stdout
    assert f"Against the solution: CA {data['score']['CA']:.3f}, tau" in text


def test_version_and_help() -> None:
    assert fabula("--version").stdout == f"fabula {__version__}\n"
    page = fabula("--help").stdout
    assert [name for name in COMMANDS if name not in page] == []
    assert "Usage" in fabula().output


def test_order_by_level(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One is here. Two is there.\nThree is gone.\n\nFour came. Five left.\n")
    count = {level: len(json_of("order", path, "--level", level)["units"]) for level in
             ("line", "sentence", "paragraph")}  # fmt: skip
    assert count == {"line": 3, "sentence": 5, "paragraph": 2}
    assert "--level takes line, sentence, paragraph" in error_of("order", path, "--level", "word")


@pytest.mark.parametrize("name", ["assemble", "untangle", "order", "split"])
def test_standard_input(name: str) -> None:
    data = json_of(name, "-", stdin=TANGLED)
    assert "The ferry sank." in json.dumps(data)
    assert fabula(name, "-", stdin=TANGLED).exit_code == 0


@pytest.mark.parametrize("suffix", [".html", ".json", ".md"])
def test_assemble_writes_what_the_name_says(pile: Path, suffix: str) -> None:
    output = pile.with_name(f"out{suffix}")
    done = fabula("assemble", pile, "-o", output)
    assert done.exit_code == 0 and "Written to" in done.stdout
    text = output.read_text()
    assert "The ferry sank." in text
    assert text.startswith(
        {".html": "<!doctype html>", ".json": "{", ".md": "---\ntitle: "}[suffix]
    )


def test_untangle_and_order_write_what_the_name_says(pile: Path) -> None:
    for name, suffix in (("untangle", ".json"), ("order", ".json"), ("order", ".txt")):
        output = pile.with_name(f"{name}{suffix}")
        done = fabula(name, pile, "-o", output)
        assert done.exit_code == 0, done.output
        if suffix == ".json":
            assert json.loads(output.read_text()) == json_of(name, pile)
        else:
            assert output.read_text() == done.stdout


def test_quiet_prints_no_summary(pile: Path) -> None:
    output = pile.with_name("out.json")
    assert fabula("assemble", pile, "-o", output, "-q").stdout == ""
    assert output.is_file()
