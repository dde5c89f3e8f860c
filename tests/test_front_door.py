from __future__ import annotations

import json
import resource
import subprocess
import sys
from importlib.metadata import version

import pytest

import fabula

HEAVY = ["torch", "spacy", "numpy", "scipy", "sklearn", "onnxruntime", "pyarrow", "rich"]


def test_the_front_door_is_short_and_sorted() -> None:
    assert fabula.__all__ == sorted(fabula.__all__)
    assert len(set(fabula.__all__)) == len(fabula.__all__) <= 20


def test_a_star_import_gives_exactly_what_is_listed() -> None:
    namespace: dict[str, object] = {}
    exec("from fabula import *", namespace)
    del namespace["__builtins__"]
    assert sorted(namespace) == sorted(fabula.__all__)


def test_every_name_can_be_seen_and_is_not_a_module() -> None:
    assert set(dir(fabula)) == {*fabula.__all__, "__version__"}
    for name in fabula.__all__:
        assert callable(getattr(fabula, name)), name


def test_importing_a_part_does_not_shadow_a_verb() -> None:
    code = "import fabula.ordering, fabula.bench.evaluate, fabula; print(fabula.evaluate.__name__)"
    assert run_python(code) == "evaluate"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'assembel'"):
        fabula.assembel  # noqa: B018


def test_the_version_is_the_installed_one() -> None:
    assert fabula.__version__ == version("fabula")


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["fabula", "fabula.cli"])
def test_importing_loads_no_heavy_library(module: str) -> None:
    code = f"import json, sys, {module}; print(json.dumps(sorted(sys.modules)))"
    loaded = json.loads(run_python(code))
    assert "fabula.errors" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_importing_is_fast() -> None:
    # Processor seconds, not the clock's: what else the machine does is not ours.
    code = "import time; t = time.process_time(); import fabula; print(time.process_time() - t)"
    assert min(float(run_python(code)) for _ in range(3)) < 0.5  # the bar is 0.2: benchmarks


def test_help_is_fast() -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = run_python(
            "import sys; sys.argv[1:] = ['--help']; from fabula.cli import main; main()"
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "assemble" in text
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(seconds() for _ in range(5)) < 2  # the bar is 0.5: benchmarks
