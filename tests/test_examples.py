"""The examples run as they stand, in an empty folder, and say what they promise."""

from __future__ import annotations

import contextlib
import io
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"

# A script, and words it must print.
SCRIPTS = {
    "untangle_a_pile.py": ("2 stories written", "least sure"),
    "order_with_hints.py": ("coherence is", "with what is known"),
    "who_did_what.py": ("(subj): ", "most often in one event"),
    "compare_encoders.py": ("minilm", "hashed", "differ"),
    "audit_a_leak.py": ("as written: clean", "with a leak: strong", "tokens:", "items kept"),
}
NOTEBOOKS = {
    "tell.ipynb": ("45 sentences", "Story 3", "became"),
    "test.ipynb": ("40 salads", "names", "unif - names", "names - centred"),
}


def test_all_examples_are_run() -> None:
    there = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")}
    assert there == {*SCRIPTS, *NOTEBOOKS}
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert all(f"({name})" in readme for name in there)


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    for words in SCRIPTS[name]:
        assert words in printed.getvalue()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells in order in one namespace; a kernel would add sockets and nothing that is used."""
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    nbformat.validate(notebook)
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None, "commit it without outputs"
            with contextlib.redirect_stdout(printed):
                exec(compile(cell.source, f"{name}, cell {number}", "exec"), names)
    for words in NOTEBOOKS[name]:
        assert words in printed.getvalue()
