"""What the verbs decide about the sample and three written piles, as frozen in ``tests/goldens``.

Decisions alone, no probabilities: who belongs to which story, in what order, what is dated, what
contradicts what, who did what, what an audit finds. A step that is to change nothing must keep
them. When a change of answers is meant, freeze them anew and read the difference before it goes in:

    python -m tests.test_goldens

``tools/goldens.py`` compares whole answers, and every model, between two states of the code.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fabula.cli import app

FOLDER = Path(__file__).with_name("goldens")
ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "src/fabula/data/sample"
WRITTEN = ROOT / "benchmarks/written"
PILES = {  # and how many of their lines: enough to decide, few enough to be quick
    "sample": (SAMPLE / "tangled.txt", 45),
    "weekend": (WRITTEN / "piles/weekend.txt", 20),
    "storm": (WRITTEN / "night/storm.txt", 20),
    "roof-fall": (WRITTEN / "reports/roof-fall.txt", 20),
}


def answer(*line: str | Path) -> Any:
    """What a command prints with --json."""
    result = CliRunner().invoke(app, [*map(str, line), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def told_lines(data: Any) -> list[str]:
    """Each story as the numbers of its lines."""
    return [" ".join(str(s["line"]) for s in story["sentences"]) for story in data["stories"]]


def assembled(pile: Path) -> dict[str, Any]:
    data = answer("assemble", pile)
    line_of = {(s["id"], p["position"]): p["line"] for s in data["stories"] for p in s["sentences"]}
    return {
        "stories": told_lines(data),
        "titles": [story["title"] for story in data["stories"]],
        "timeline": [
            f"{row['when']}{' ?' if row['guessed'] else ''}: line "
            f"{line_of[row['story'], row['position']]}"
            for row in data["timeline"]
        ],
        "contradictions": [
            [clash["kind"], *(f"line {side['line']}: {side['value']}" for side in clash["sides"])]
            for clash in data["contradictions"]
        ],
        "actors": [
            ", ".join(actor["name"] for actor in story["actors"]) for story in data["stories"]
        ],
    }


def untangled(pile: Path) -> list[str]:
    return told_lines(answer("untangle", pile))


def ordered(pile: Path) -> str:
    return " ".join(map(str, answer("order", pile, "--level", "line")["order"]))


def events(pile: Path) -> dict[str, str]:
    """Who did what, or to whom it was done, with the lines."""
    return {
        f"{number} {chain['entity']}": ", ".join(
            f"{event['verb']}->{event['slot']} {event['line']}" for event in chain["events"]
        )
        for number, chain in enumerate(answer("events", pile)["chains"], 1)
    }


def audited(path: Path) -> dict[str, Any]:
    """The verdict, the status of every probe, and the checks that found something."""
    data = answer("audit", path)
    return {
        "verdict": data["verdict"],
        "probes": {probe["name"]: probe["status"] for probe in data["probes"]},
        "found": {
            probe["name"]: names
            for probe in data["probes"]
            if (names := [check["name"] for check in probe["checks"] if check["found"]])
        },
    }


def lines(name: str, folder: Path) -> Path:
    """A file of a pile's first lines."""
    pile, number = PILES[name]
    path = folder / f"{name}.txt"
    path.write_text("\n".join(pile.read_text("utf-8").splitlines()[:number]) + "\n", "utf-8")
    return path


def leaking(folder: Path) -> Path:
    """Sixty of the packaged endings, with three words more in every right one."""
    path = folder / "leaking.jsonl"
    rows = [
        json.loads(row) for row in (SAMPLE / "endings.jsonl").read_text("utf-8").splitlines()[:60]
    ]
    for row in rows:
        row["options"][row["gold"]] += " It was over."
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


PILE_VERBS: dict[str, Callable[[Path], Any]] = {
    "assemble": assembled,
    "untangle": untangled,
    "order": ordered,
    "events": events,
}
CASES = [*product(PILE_VERBS, PILES), ("audit", "sample"), ("audit", "leaking")]


def decisions(verb: str, name: str, folder: Path) -> Any:
    """Files are written into ``folder``."""
    if verb == "audit":
        return audited(leaking(folder) if name == "leaking" else SAMPLE / "endings.jsonl")
    return PILE_VERBS[verb](lines(name, folder))


@pytest.mark.parametrize(("verb", "name"), CASES)
def test_decisions_are_as_frozen(verb: str, name: str, tmp_path: Path) -> None:
    frozen = json.loads((FOLDER / f"{verb}-{name}.json").read_text("utf-8"))
    assert decisions(verb, name, tmp_path) == frozen


def freeze() -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as scratch:
        for verb, name in CASES:
            found = decisions(verb, name, Path(scratch))
            text = json.dumps(found, ensure_ascii=False, indent=1)
            (FOLDER / f"{verb}-{name}.json").write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    freeze()
