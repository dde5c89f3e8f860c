"""Which way is down, and what fabula never does: read from the source, module by module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import fabula

ROOT = Path(fabula.__file__).parent
LEVELS = [
    {"types", "errors", "registry", "task"},
    {"core"},
    {"text", "scale"},
    {"audit", "salads", "ordering", "events", "endings"},
    {"assembly", "bench", "doctor", "testing"},
    {"cli", "web"},
]
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
# The events' form of a salad, the events' aspect of an ending, the options-only probe; and the
# conformance kit compares answers as the evaluator stores them. "fabula serve" starts the page.
SIDEWAYS = {
    ("salads", "events"),
    ("endings", "events"),
    ("audit", "endings"),
    ("testing", "bench"),
    ("cli", "web"),
}
RUNS_CODE = {"pickle", "_pickle", "marshal", "shelve", "joblib", "dill", "cloudpickle"}
NETWORK = {
    "aiohttp", "ftplib", "http.client", "httpx", "huggingface_hub", "requests", "smtplib",
    "socket", "urllib.request", "urllib3",
}  # fmt: skip

Sources = dict[str, ast.Module]


@pytest.fixture(scope="module")
def sources() -> Sources:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


def imported(path: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every module a file imports, at the top or inside a function, and where.

    ``from a import b`` may name the module a.b, so both are given.
    """
    package = ["fabula", *Path(path).parts[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module, node.lineno
            yield from ((f"{module}.{alias.name}", node.lineno) for alias in node.names)


def rooms_used(path: str, tree: ast.Module) -> Iterator[tuple[str, int]]:
    for module, line in imported(path, tree):
        parts = module.split(".")
        # A second part that is no room is a name of the front door, such as __version__.
        if parts[0] == "fabula" and len(parts) > 1 and parts[1] in LEVEL:
            yield parts[1], line


def room_of(path: str) -> str:
    return Path(path).parts[0].removesuffix(".py")


def wrong_ways(path: str, tree: ast.Module) -> list[str]:
    here = room_of(path)
    return [
        f"{path}:{line}: {here} imports {there}"
        for there, line in rooms_used(path, tree)
        if there != here
        and (here, there) not in SIDEWAYS
        and (LEVEL[there] > LEVEL[here] or LEVEL[there] == LEVEL[here] > 0)
    ]


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def unsafe_loads(path: str, tree: ast.Module) -> list[str]:
    found = []
    for name, call in calls(tree):
        safe = any(
            k.arg == "allow_pickle" and ast.unparse(k.value) == "False" for k in call.keywords
        )
        numpy_load = name in ("np.load", "numpy.load") and not safe
        if numpy_load or name in ("torch.load", "eval", "exec"):
            found.append(f"{path}:{call.lineno}: {name}")
    return found


def modules_among(path: str, tree: ast.Module, banned: set[str]) -> list[str]:
    return [
        f"{path}:{line}: {module}"
        for module, line in imported(path, tree)
        if any(module == name or module.startswith(f"{name}.") for name in banned)
    ]


def test_every_module_has_its_room(sources: Sources) -> None:
    assert {room_of(path) for path in sources} - {"__init__"} <= LEVEL.keys()
    assert len(sources) > 60


def test_imports_go_down(sources: Sources) -> None:
    # The front door stands outside: it hands out what is upstairs, on first use.
    upward = [
        w for path, tree in sources.items() if path != "__init__.py" for w in wrong_ways(path, tree)
    ]
    assert upward == []


@pytest.mark.parametrize(
    ("path", "code", "wrong"),
    [
        ("text/a.py", "from fabula.salads import items", True),
        ("text/a.py", "from fabula import salads", True),
        ("text/a.py", "from .. import salads", True),
        ("text/readers/a.py", "from ...salads.items import Salad", True),
        ("text/a.py", "def f():\n    import fabula.bench.runs.store", True),
        ("errors.py", "from fabula.text import cache", True),
        ("ordering/a.py", "from fabula.salads.items import Salad", True),
        ("events/a.py", "from fabula.salads.items import Salad", True),
        ("salads/a.py", "from fabula.events.items import Chain", False),
        ("salads/models/a.py", "from ..items import Salad", False),
        ("cli/a.py", "from fabula.text import cache", False),
        ("core/files.py", "from fabula.errors import InputError", False),
        ("bench/a.py", "from fabula import __version__", False),
    ],
)
def test_the_rule_can_tell(path: str, code: str, wrong: bool) -> None:
    assert bool(wrong_ways(path, ast.parse(code))) == wrong


def test_nothing_is_loaded_by_running_it(sources: Sources) -> None:
    for path, tree in sources.items():
        assert modules_among(path, tree, RUNS_CODE) == []
        assert unsafe_loads(path, tree) == []
    assert modules_among("a.py", ast.parse("from pickle import loads"), RUNS_CODE)
    assert unsafe_loads("a.py", ast.parse("np.load(p)\ntorch.load(p)")) == [
        "a.py:1: np.load",
        "a.py:2: torch.load",
    ]
    assert unsafe_loads("a.py", ast.parse("np.load(p, allow_pickle=False)\nmodel.eval()")) == []


def test_nothing_is_fetched(sources: Sources) -> None:
    # One file talks to a service, and only to one that the user named.
    networked = {p for p, tree in sources.items() if modules_among(p, tree, NETWORK)}
    assert networked == {"endings/adapters/http.py"}
    assert modules_among("a.py", ast.parse("from urllib import request"), NETWORK)


def test_other_programs_are_started_to_install_weights_and_nowhere_else(sources: Sources) -> None:
    starting = {p for p, tree in sources.items() if modules_among(p, tree, {"subprocess"})}
    assert starting == {"text/resources.py"}
    assert not [p for p, tree in sources.items() for name, _ in calls(tree) if name == "os.system"]


def test_a_long_file_says_why() -> None:
    here = Path(__file__).parents[1]
    files = [
        p for room in ("src", "tests", "benchmarks", "tools") for p in (here / room).rglob("*.py")
    ]
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        said = len(lines) <= 400 or any("long file, because" in line for line in lines[:15])
        assert said, f"{path.relative_to(here)} has {len(lines)} lines: divide it, or say why not"
