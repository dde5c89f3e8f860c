"""From a chain file to counts, tests, models, predictions and the paper's tables, by command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from fabula.cli import app


def fabula(*line: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in line])


def good(*line: object) -> Any:
    done = fabula(*line, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def chains(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A nachos file of two worlds, crime and sport, with 'say' in both."""
    rng = np.random.default_rng(0)
    worlds = ("arrest charge try convict jail flee", "train play score win celebrate lose")
    lines = []
    for number in range(150):
        lines.append(f"<DOCNAME>NYT.{number:04d}")
        for _ in range(2):
            words = [*rng.permutation(worlds[number % 2].split())[:4], "say", "be"]
            rng.shuffle(words)
            lines.append(" ".join(f"{word}->nsubj" for word in words))
        lines.append("rain->nsubj")
    path = tmp_path_factory.mktemp("chains") / "chains.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_from_chains_to_scores(chains: Path, tmp_path: Path) -> None:
    store, tests, dev = tmp_path / "store", tmp_path / "t.jsonl", tmp_path / "d.parquet"
    counted = good("build", "counts", chains, "--part", "train", "-o", store)
    assert counted["event_types"] == 14 and counted["chains"] > 100
    built = good("build", "event-tests", chains, "--part", "test", "-o", tests, "--n", "30")
    assert built["items"] == 30 and built["switches"]["ordered"] is True
    good("build", "event-tests", store, "-o", dev, "--n", "30")  # a store holds its chains
    assert good("stats", tests)["tests"] == 30
    good("train", "events/bigram", store, "--dev", dev, "-o", tmp_path / "bigram")
    good("train", "events/unigram", chains, "-o", tmp_path / "unigram")
    line = ["evaluate", "events", tests, "-m", tmp_path / "bigram", "-m", tmp_path / "unigram"]
    bigram, unigram = good(*line)["results"]
    assert {"recall@50", "MRR", "mean_rank", "IC", "accuracy"} <= set(bigram["metrics"])
    assert bigram["metrics"]["MRR"]["value"] > unigram["metrics"]["MRR"]["value"]
    assert bigram["metrics"]["IC"]["value"] is not None
    line = ["experiment", "cutoff", store, tests, "-o", tmp_path / "f.svg", "--cutoff", "0"]
    points = good(*line, "--cutoff", "40")["points"]
    assert points[0]["candidates"] == 14 and (tmp_path / "f.svg").read_text().startswith("<svg")
    few = tmp_path / "few.txt"
    few.write_text("\n".join(chains.read_text().splitlines()[:8]) + "\n")
    found = good("next", few, "--model", tmp_path / "bigram", "--top", "2")["chains"]
    assert len(found) == 6 and len(found[0]["predictions"]) == 2


def test_switches_of_the_recipe(chains: Path, tmp_path: Path) -> None:
    line = ["build", "event-tests", chains, "-o", tmp_path / "t.jsonl", "--recipe"]
    made = good(*line, "narrative-cloze", "--without", "say", "--ordered")
    switches = made["switches"]
    assert switches["ordered"] and switches["without"] == ["say"] and switches["unique"]
    split = good(*line, "lm-cloze", "--split", "80/20")["files"]
    assert set(split) == {"train", "test"}
    assert "did you mean" in fabula(*line, "lm-close").stderr
    assert fabula(*line, "lm-cloze", "--hole", "first").exit_code == 2


def test_append_and_damage(chains: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    one = good("build", "counts", chains, "--part", "dev", "-o", store)
    both = good("build", "counts", chains, "--part", "test", "-o", store, "--append")
    assert both["chains"] > one["chains"]
    flat = next(store.glob("flat-*"))
    flat.write_bytes(flat.read_bytes()[:-8])
    done = fabula("train", "events/bigram", store, "-o", tmp_path / "m")
    assert done.exit_code == 2 and "truncated" in done.stderr and not (tmp_path / "m").exists()
    mixed = fabula("train", "events/bigram", store, chains, "-o", tmp_path / "m")
    assert mixed.exit_code == 2 and "cannot be mixed" in mixed.stderr


def test_next_works_out_of_the_box() -> None:
    done = fabula("next", "attack->subj retreat->subj", "--top", "3")
    assert done.exit_code == 0, done.output
    assert "lift" in done.stdout and "[" in done.stdout
    (found,) = good("next", "attack->subj", "--hole", "0", "--top", "1")["chains"]
    assert found["predictions"][0]["event"]["verb"]
    unseen = fabula("next", "yodel->subj")
    assert "# none of these events was ever seen" in unseen.stdout
    for wrong in (["attack->subj", "--hole", "2"], ["nowhere.jsonl"]):
        assert fabula("next", *wrong).exit_code == 2


def test_the_paper_again(chains: Path, tmp_path: Path) -> None:
    assert "event-cloze" in fabula("reproduce", "--list").stdout
    rest = ["--corpus", chains, "--quick", "-o", tmp_path / "figures"]
    table = good("reproduce", "event-cloze.table3", *rest)["tables"]["table3"]
    assert table["rows"][0]["labels"] == ["unigram"] and table["rows"][0]["published"] == 5.8
    rest[1] = f"whole={chains}"
    table = good("reproduce", "event-cloze.table2", *rest)["tables"]["table2"]
    assert "single-argument chains only" in table["notes"][0]
    rest[1] = f"chains={chains}"
    table = good("reproduce", "event-cloze.table4", *rest)["tables"]["table4"]
    assert len(table["rows"]) == 3
    for wrong in (["event-close"], ["event-cloze.table9"], ["event-cloze"], []):
        assert fabula("reproduce", *wrong).exit_code == 2
    for wrong in (["--set", "tests"], ["--set", "test=3"], ["--corpus", "chain=x"]):
        assert fabula("reproduce", "event-cloze.table3", "--quick", *wrong).exit_code == 2
