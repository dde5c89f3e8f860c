"""Which names are public, and that tests use no other: read from the source, module by module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fabula

# Of other packages: Jupyter's display protocol, the end of a process, named tuples, py-rouge's own
# functions.
OTHERS = {"_repr_html_", "_exit", "_replace", "_compute_ngrams_lcs", "_compute_p_r_f_score"}


def modules_below(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path.relative_to(folder).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def test_a_name_is_public_or_begins_with_an_underscore() -> None:
    """Public is what ``__all__`` lists, and it has a docstring; commands have no ``__all__``."""
    unlisted = []
    for path, tree in modules_below(Path(fabula.__file__).parent):
        listed: set[str] | None = None
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                listed = {ast.literal_eval(e) for e in getattr(node.value, "elts", [])}
        for node in tree.body if listed is not None else []:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name[0] == "_":
                continue
            if node.name not in (listed or ()) or not ast.get_docstring(node):
                unlisted.append(f"{path}: {node.name}")
    assert unlisted == []


def private_names(path: str, tree: ast.Module) -> list[str]:
    """Where a test uses a name with an underscore that it has not made itself."""
    own = set(OTHERS)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(node.name)
        elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
            own |= {node.attr} if isinstance(node.ctx, ast.Store) else set()
    used: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            used += [(node.lineno, alias.name) for alias in node.names]
            used += [(node.lineno, part) for part in (node.module or "").split(".")]
        elif isinstance(node, ast.Attribute):
            used.append((node.lineno, node.attr))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("attr", "item")):
            texts = [a.value for a in node.args[:2] if isinstance(a, ast.Constant)]
            names = [part for text in texts for part in str(text).split(".")]
            used += [(node.lineno, name) for name in names]
    return [
        f"{path}:{line}: {name}"
        for line, name in sorted(used)
        if name[:1] == "_" and name.strip("_") and name[:2] != "__" and name not in own
    ]


def test_tests_use_public_names() -> None:
    tests = modules_below(Path(__file__).parent)
    assert [use for path, tree in tests for use in private_names(path, tree)] == []


@pytest.mark.parametrize(
    ("code", "private"),
    [
        ("from fabula.doctor import _JOBS", True),
        ("from fabula._doctor import JOBS", True),
        ("doctor._JOBS", True),
        ("patch.setattr(doctor, '_JOBS', {})", True),
        ("patch.setattr('fabula.doctor._JOBS', {})", True),
        ("getattr(doctor, '_JOBS')", True),
        ("doctor.__all__, doctor.JOBS", False),
        ("class A:\n    def __init__(self):\n        self._b = 1\nA()._b", False),
    ],
)
def test_a_private_name_is_seen(code: str, private: bool) -> None:
    assert bool(private_names("test_a.py", ast.parse(code))) == private
