"""The command line in this process, and what its tests ask of every answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from fabula.cli import app

TANGLED = "The ferry left.\nThe baker rose.\nThe ferry sank.\nThe baker slept.\n"


def fabula(*line: str | Path, stdin: str | None = None) -> Any:
    return CliRunner().invoke(app, [str(word) for word in line], input=stdin)


def json_of(*line: str | Path, stdin: str | None = None, code: int = 0) -> Any:
    """What a command prints with --json, read by the letter."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    done = fabula(*line, "--json", stdin=stdin)
    assert done.exit_code == code, done.output
    return json.loads(done.stdout, parse_constant=refuse)


def error_of(*line: str | Path, stdin: str | None = None) -> str:
    """The one line a mistake is told in."""
    done = fabula(*line, stdin=stdin)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("fabula: ") and done.stderr.count("\n") == 1
    return str(done.stderr.strip())


def write_endings(path: Path, n: int = 4) -> Path:
    rows = [
        {"id": f"e{i}", "context": ["It rained."], "options": ["Wet.", "Dry."], "gold": i % 2}
        for i in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path
