"""Which way is down, and what fabula never does: read from the source, module by module."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import fabula

ROOT = Path(fabula.__file__).parent
LEVELS = [
    {"answer", "types", "errors", "registry", "task", "wellformed"},
    {"core"},
    {"text", "scale"},
    {"audit", "salads", "ordering", "events", "endings", "coreference", "conversations", "pairs"},
    {"assembly", "bench", "doctor", "testing"},
    {"cli", "web", "integrations", "sklearn"},
    {"__main__"},
]
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
# The events' form of a salad, the events' aspect of an ending, the options-only probe, groupings
# and metrics of salads over messages; and the
# conformance kit compares answers as the evaluator stores them. "fabula serve" starts the page.
SIDEWAYS = {
    ("salads", "events"),
    ("endings", "events"),
    ("endings", "ordering"),  # an ending comes after its story
    ("endings", "pairs"),  # and does not contradict it
    ("audit", "endings"),
    ("conversations", "salads"),
    ("pairs", "endings"),  # the adapter of chat services
    ("testing", "bench"),
    ("cli", "web"),
    ("cli", "integrations"),  # "fabula mcp" starts the server
}
# Inside a room: a sub-room or module may import those of the lines above it. What is not named
# here is free, but for circles, which are forbidden everywhere.
SUBROOMS = {
    "core": [
        {"files"},
        {"safety"},
        {"build_once", "kv_cache"},
        {"cell_store", "model_store", "training"},
    ],
    "text": [
        {"io", "temporal", "resource_install"},
        {"resources"},
        {"segment"},
        {"parse", "lm", "transformer"},
        {"coref", "encoders"},
    ],
    "salads": [{"items"}, {"clustering"}, {"build", "metrics"}, {"models"}, {"stories"}, {"api"}],
    "ordering": [
        {"items"},
        {"decoding", "features"},
        {"build"},
        {"models"},
        {"chronology"},
        {"api"},
    ],
    "events": [
        {"items"},
        {"recipes"},
        {"extract", "counts"},
        {"cloze"},
        {"build", "formats", "metrics", "stats"},
        {"models"},
        {"api", "steps"},
    ],
    "endings": [
        {"items"},
        {"prompts"},
        {"formats", "metrics"},
        {"models"},
        {"adapters"},
        {"collect"},
    ],
    "coreference": [{"items"}, {"formats", "parsing", "metrics"}, {"models"}, {"training"}],
    "conversations": [{"clock", "items"}, {"metrics", "build"}, {"models"}, {"api"}],
    "pairs": [{"items"}, {"features"}, {"build", "metrics"}, {"models"}, {"adapters"}, {"api"}],
    "audit": [{"findings", "item_table"}, {"stats"}, {"context"}, {"probes"}, {"run"}, {"page"}],
    "assembly": [
        {"facts"},
        {"types"},
        {"account", "conflicts"},
        {"solve", "render"},
        {"api"},
        {"corpus"},
    ],
    "bench": [{"runs"}, {"scoring"}, {"evaluate"}, {"experiments", "report"}, {"papers"}],
    "bench/papers": [{"measures"}, {"summaries", "measured"}, {"results"}],
    "web": [{"guard"}, {"corpus_page"}],
    "cli": [{"common", "inputs", "outputs"}, {"commands", "build", "experiment"}],
}  # fmt: skip
# Imports against these levels, or closing a circle, that still have to go. Nothing is added here.
AGAINST = {
    ("assembly/types", "assembly/account"),
    ("bench/papers/runner", "bench/papers/render"),
    ("text/segment", "text/parse"),
}
# A folder of more than twelve modules is divided, unless they are of one kind.
SIBLINGS = 12
OF_ONE_KIND = {"cli/commands", "text/io/readers", "text/io/readers/chat", "audit/probes"}
RUNS_CODE = {"pickle", "_pickle", "marshal", "shelve", "joblib", "dill", "cloudpickle"}
NETWORK = {
    "aiohttp", "ftplib", "http.client", "httpx", "huggingface_hub", "requests", "smtplib",
    "socket", "urllib.request", "urllib3",
}  # fmt: skip

Sources = dict[str, ast.Module]


class Import(NamedTuple):
    module: str
    line: int
    for_types: bool  # below "if TYPE_CHECKING"


Imports = dict[str, list[Import]]


@pytest.fixture(scope="module")
def sources() -> Sources:
    return {
        path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def imports(sources: Sources) -> Imports:
    return {path: imported(path, tree) for path, tree in sources.items()}


def imported(path: str, tree: ast.Module) -> list[Import]:
    """Every module a file imports, at the top or inside a function.

    ``from a import b`` may name the module a.b, so both are given.
    """
    package = ["fabula", *Path(path).parts[:-1]]
    found = []
    typing_lines: set[int] = set()
    for node in ast.walk(tree):  # an "if" comes before what is below it
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            typing_lines |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
        else:
            continue
        found += [Import(name, node.lineno, node.lineno in typing_lines) for name in names]
    return found


def rooms_used(imports: list[Import]) -> Iterator[tuple[str, int]]:
    for module, line, _ in imports:
        parts = module.split(".")
        # A second part that is no room is a name of the front door, such as __version__.
        if parts[0] == "fabula" and len(parts) > 1 and parts[1] in LEVEL:
            yield parts[1], line


def room_of(path: str) -> str:
    return Path(path).parts[0].removesuffix(".py")


def wrong_ways(path: str, imports: list[Import]) -> list[str]:
    here = room_of(path)
    return [
        f"{path}:{line}: {here} imports {there}"
        for there, line in rooms_used(imports)
        if there != here
        and (here, there) not in SIDEWAYS
        and (LEVEL[there] > LEVEL[here] or LEVEL[there] == LEVEL[here] > 0)
    ]


def module_path(name: str, imports: Imports) -> str | None:
    """The file of an imported name: of fabula.a.b it is a/b.py, a/b/__init__.py or a.py."""
    parts = name.split(".")[1:]
    while parts:
        for path in ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"])):
            if path in imports:
                return path
        parts.pop()
    return None


def sibling_imports(imports: Imports) -> dict[tuple[str, str], str]:
    """(importer, imported), both modules or folders of one folder -> the place of such an import.

    A folder's ``__init__`` hands out what is in the folder, so it is not one of the siblings; what
    is imported for the type checker alone is not imported.
    """
    edges: dict[tuple[str, str], str] = {}
    for path, modules in imports.items():
        for name, line, for_types in modules:
            used = name.startswith("fabula.") and not for_types
            target = module_path(name, imports) if used else None
            if target is None or target == path:
                continue
            here, there = Path(path).parts, Path(target).parts
            depth = next(i for i in range(len(here)) if here[i] != there[i])
            importer, other = "/".join(here[: depth + 1]), "/".join(there[: depth + 1])
            if depth and "__init__" not in importer + other:
                edge = (importer.removesuffix(".py"), other.removesuffix(".py"))
                edges.setdefault(edge, f"{path}:{line}")
    return edges


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


def modules_among(path: str, imports: list[Import], banned: set[str]) -> list[str]:
    return [
        f"{path}:{line}: {module}"
        for module, line, _ in imports
        if any(module == name or module.startswith(f"{name}.") for name in banned)
    ]


def test_every_module_has_its_room(sources: Sources) -> None:
    assert {room_of(path) for path in sources} - {"__init__"} <= LEVEL.keys()
    assert len(sources) > 60


def test_imports_go_down(imports: Imports) -> None:
    # The front door stands outside: it hands out what is upstairs, on first use.
    upward = [
        w for path, used in imports.items() if path != "__init__.py" for w in wrong_ways(path, used)
    ]
    assert upward == []


def test_imports_go_down_inside_a_room(imports: Imports) -> None:
    levels = {
        f"{room}/{name}": (room, level)
        for room, names in SUBROOMS.items()
        for level, row in enumerate(names)
        for name in row
    }
    wrong = {
        edge: place
        for edge, place in sibling_imports(imports).items()
        if levels.keys() >= {*edge} and levels[edge[0]] <= levels[edge[1]]
    }
    new = {place: edge for edge, place in wrong.items() if edge not in AGAINST}
    assert new == {}, "a lower sub-room imports a higher one"


def test_exceptions_that_are_gone_are_taken_off_the_list(imports: Imports) -> None:
    assert AGAINST - sibling_imports(imports).keys() == set()


def test_every_subroom_has_its_level() -> None:
    rooms = [*SUBROOMS, *(name for name in LEVEL if (ROOT / name).is_dir())]
    for room in rooms:
        folders = {path.parent.name for path in (ROOT / room).glob("*/__init__.py")}
        named = {name for row in SUBROOMS.get(room, []) for name in row}
        assert folders <= named, f"{room}: name the level of its sub-rooms"
        assert [n for n in named if not list((ROOT / room).glob(f"{n}*"))] == []


def test_no_two_modules_import_one_another_in_a_circle(imports: Imports) -> None:
    below: dict[str, set[str]] = {}
    for importer, target in sibling_imports(imports).keys() - AGAINST:
        below.setdefault(importer, set()).add(target)
    try:
        list(TopologicalSorter(below).static_order())
    except CycleError as error:
        raise AssertionError(f"a circle of imports: {error.args[1]}") from error


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
    assert bool(wrong_ways(path, imported(path, ast.parse(code)))) == wrong


def test_the_rule_can_tell_inside_a_room() -> None:
    code = {
        "events/items.py": "def f():\n    from fabula.events.models.a import A",
        "events/models/__init__.py": "from fabula.events.models.a import A",
        "events/models/a.py": "if TYPE_CHECKING:\n    from .b import B",
        "events/models/b.py": "from ..items import Chain\nfrom .a import A",
    }
    edges = sibling_imports({path: imported(path, ast.parse(text)) for path, text in code.items()})
    assert edges == {
        ("events/items", "events/models"): "events/items.py:2",
        ("events/models", "events/items"): "events/models/b.py:1",
        ("events/models/b", "events/models/a"): "events/models/b.py:2",
    }


def test_a_room_of_many_modules_is_divided(sources: Sources) -> None:
    modules = Counter(Path(path).parent.as_posix() for path in sources if "__init__" not in path)
    assert {folder for folder, n in modules.items() if n > SIBLINGS} - OF_ONE_KIND == set()


def test_tests_mirror_the_package() -> None:
    here = Path(__file__).parent
    folders = {path.parent.relative_to(here) for path in here.rglob("test_*.py")}
    folders -= {Path("attacks")}  # on all rooms at once
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder).is_dir()] == []


def test_nothing_is_loaded_by_running_it(sources: Sources, imports: Imports) -> None:
    for path, tree in sources.items():
        assert modules_among(path, imports[path], RUNS_CODE) == []
        assert unsafe_loads(path, tree) == []
    assert modules_among("a.py", imported("a.py", ast.parse("from pickle import loads")), RUNS_CODE)
    assert unsafe_loads("a.py", ast.parse("np.load(p)\ntorch.load(p)")) == [
        "a.py:1: np.load",
        "a.py:2: torch.load",
    ]
    assert unsafe_loads("a.py", ast.parse("np.load(p, allow_pickle=False)\nmodel.eval()")) == []


def test_nothing_is_fetched(imports: Imports) -> None:
    # One file talks to a service, and only to one that the user named; one listens for the page.
    networked = {p for p, used in imports.items() if modules_among(p, used, NETWORK)}
    assert networked == {"endings/adapters/http.py", "web/server.py"}
    assert modules_among("a.py", imported("a.py", ast.parse("from urllib import request")), NETWORK)


def test_other_programs_are_started_to_install_weights_alone(
    sources: Sources, imports: Imports
) -> None:
    starting = {p for p, used in imports.items() if modules_among(p, used, {"subprocess"})}
    assert starting == {"text/resource_install.py"}
    assert "os.system" not in {name for tree in sources.values() for name, _ in calls(tree)}


def test_a_long_file_says_why() -> None:
    here = Path(__file__).parents[1]
    files = [
        p for room in ("src", "tests", "benchmarks", "tools") for p in (here / room).rglob("*.py")
    ]
    for path in files:
        lines = path.read_text(encoding="utf-8").splitlines()
        said = len(lines) <= 400 or any("long file, because" in line for line in lines[:15])
        assert said, f"{path.relative_to(here)} has {len(lines)} lines: divide it, or say why not"
