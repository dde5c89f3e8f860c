"""fabula build: the recipes, the split by document, and what is said of a built file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula import __version__
from fabula.cli import app
from fabula.salads.items import Salad, read_salads


def fabula(*line: str | Path, code: int = 0) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in line])
    assert done.exit_code == code, done.output
    return done


def build(path: Path, *line: str) -> list[Salad]:
    fabula("build", "salads", "sample", "-o", path, *line)
    return list(read_salads(path))


def documents(salads: list[Salad]) -> set[str]:
    return {name for salad in salads for name in salad.documents}


@pytest.mark.parametrize("split", ["80/20", "60/20/20"])
def test_no_document_is_on_two_sides(tmp_path: Path, split: str) -> None:
    done = fabula(
        *("build", "salads", "sample", "-o", tmp_path / "x.jsonl", "--n", "50", "--split", split),
        "--json",
    )
    names = ["train", "test"] if split == "80/20" else ["train", "dev", "test"]
    sides = {name: list(read_salads(tmp_path / f"x.{name}.jsonl")) for name in names}
    seen: set[str] = set()
    for salads in sides.values():
        assert salads and not documents(salads) & seen
        seen |= documents(salads)
    assert len(sides["train"]) == 50 * int(split[:2]) // 100
    assert not (tmp_path / "x.jsonl").exists()
    for name, meta in json.loads(done.stdout)["files"].items():
        assert meta["side"] == name and meta["split"] == split
        assert meta == json.loads((tmp_path / f"x.{name}.meta.json").read_text())


def test_ordering_is_split_by_document_too(tmp_path: Path) -> None:
    line = ("build", "ordering", "sample", "-o", tmp_path / "x.jsonl.gz", "--window", "5-8")
    fabula(*line, "--split", "80/20")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "x.test.jsonl.gz",
        "x.test.meta.json",
        "x.train.jsonl.gz",
        "x.train.meta.json",
    ]


def test_a_split_by_date_and_what_was_left_out(tmp_path: Path) -> None:
    rows = [
        {"id": f"{year}", "date": f"{year}", "text": f"One in {year}. Two in {year}. Three."}
        for year in range(1900, 1940)
    ]
    rows.append({"id": "short", "date": "1899", "text": "Only this."})
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    line = ("build", "ordering", tmp_path / "c.jsonl", "-o", tmp_path / "x.jsonl")
    done = fabula(*line, "--split", "date")
    assert "1 texts of one unit left out" in done.output
    ids = {
        side: [
            json.loads(row)["id"] for row in (tmp_path / f"x.{side}.jsonl").read_text().splitlines()
        ]
        for side in ("train", "dev", "test")
    }
    assert ids["test"] == ["1938", "1939"] and ids["dev"] == ["1936", "1937"]
    assert max(ids["train"]) == "1935" and len(ids["train"]) == 36
    assert json.loads((tmp_path / "x.dev.meta.json").read_text())["left_out"] == 1


def test_a_split_that_fails_on_one_side_writes_nothing(tmp_path: Path) -> None:
    line = ("build", "salads", "sample", "-o", tmp_path / "x.jsonl", "--documents", "30")
    said = fabula(*line, "--split", "80/20", code=2).stderr
    assert "finds no 30 documents" in said and list(tmp_path.iterdir()) == []
    assert "sum to 100" in fabula(*line, "--split", "80/30", code=2).stderr


def test_the_card_of_a_built_file(tmp_path: Path) -> None:
    build(tmp_path / "a.jsonl", "--n", "3", "--seed", "7")
    card = json.loads((tmp_path / "a.meta.json").read_text())
    assert card["recipe"] == "random" and card["seed"] == 7 and card["source"] == ["sample"]
    assert card["licence"] is None and card["version"] == __version__ and card["fingerprint"]


@pytest.mark.parametrize("among", ["built", "all"])
def test_the_hardest(tmp_path: Path, among: str) -> None:
    line = ("--recipe", "hardest", "--among", among, "--base", "same-category", "--n", "6")
    hard = build(tmp_path / "h.jsonl", *line)
    plain = build(tmp_path / "p.jsonl", "--recipe", "same-category", "--cosine", "--n", "40")
    mean = [sum(salad.cosine or 0 for salad in salads) / len(salads) for salads in (hard, plain)]
    assert len(hard) == 6 and mean[0] > mean[1] + 0.05
    for salad in hard:
        one, two = (name.rpartition("-")[0] for name in salad.documents)
        assert one == two
    card = json.loads((tmp_path / "h.meta.json").read_text())
    assert card["among"] == among and card["base"] == "same-category"
    assert card["recipe"] == "hardest" and card["encoder"] == "minilm"


def test_a_cosine_only_when_it_is_asked_for(tmp_path: Path) -> None:
    plain, known = (build(tmp_path / "a.jsonl", "--n", "3", *more) for more in ([], ["--cosine"]))
    assert {salad.cosine for salad in plain} == {None}
    assert all(isinstance(salad.cosine, float) for salad in known)


def test_a_pattern(tmp_path: Path) -> None:
    line = ("--recipe", "same-category", "--pattern", "floods|heists?")
    found = build(tmp_path / "a.jsonl", *line, "--n", "60")
    assert {name.rpartition("-")[0] for name in documents(found)} == {"floods", "heists"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (("--recipe", "hardst"), "did you mean 'hardest'"),
        (("--among", "all"), "say how --recipe hardest chooses"),
        (("--recipe", "hardest", "--among", "most"), "among must be one of all, built"),
        (("--recipe", "hardest", "--base", "same-moth"), "did you mean 'same-month'"),
        (("--recipe", "hardest", "--among", "all", "--documents", "3"), "or use built"),
        (("--pattern", "war"), "a pattern selects categories"),
        (("--cosine", "--encoder", "tfidf"), "topics cannot come from 'tfidf'"),
        (("--cosine", "--encoder", "minilmm"), "did you mean 'minilm'"),
    ],
)
def test_what_is_refused(tmp_path: Path, line: tuple[str, ...], problem: str) -> None:
    done = fabula("build", "salads", "sample", "-o", tmp_path / "x.jsonl", *line, code=2)
    assert problem in done.stderr and list(tmp_path.iterdir()) == []


def test_the_recipe_is_listed() -> None:
    assert "salads/hardest" in fabula("list", "recipes").stdout.split()


def test_a_recipe_of_ordering_is_its_level(tmp_path: Path) -> None:
    for option in ("--level", "--recipe"):
        path = tmp_path / f"x{option}.jsonl"
        fabula("build", "ordering", "sample", "-o", path, option, "paragraph", "--n", "5")
    one, two = sorted(tmp_path.glob("*.jsonl"))
    assert one.read_text("utf-8") == two.read_text("utf-8")
    line = ("build", "ordering", "sample", "-o", tmp_path / "y.jsonl")
    done = fabula(*line, "--level", "sentence", "--recipe", "paragraph", code=2)
    assert "say the same thing; give one" in done.stderr


def test_documents_of_one_id_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "two.jsonl"
    row = json.dumps({"id": "a", "paragraphs": ["He came. He saw. He went."]})
    source.write_text(f"{row}\n{row}\n", "utf-8")
    done = fabula("build", "ordering", source, "-o", tmp_path / "y.jsonl", code=2)
    assert "the id 'a'" in done.stderr
    assert not list(tmp_path.glob("y*"))
