"""Source code of fabula and of the user's own modules, hashed; installed packages are not read."""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import fabula
from fabula.core.files import fingerprint, sha256_of

__all__ = ["is_ours", "is_users", "module_source", "package_source"]


def is_ours(kind: type) -> bool:
    """Whether a class is of this package, whose version is known."""
    return kind.__module__.partition(".")[0] == "fabula"


def is_users(module: ModuleType | None) -> bool:
    """Whether a module is neither Python's, nor an installed package's, nor fabula's."""
    if module is None or module.__name__.partition(".")[0] == "fabula":
        return False
    name = getattr(module, "__file__", None)
    if name is None:
        return module.__name__ == "__main__"
    path = Path(name).resolve()
    return not any(path.is_relative_to(folder) for folder in _installed_folders())


@cache
def _installed_folders() -> tuple[Path, ...]:
    named = [sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    packages: Callable[[], list[str]] = getattr(site, "getsitepackages", list)
    return tuple({Path(folder).resolve() for folder in [*named, *packages()] if folder})


def module_source(module: ModuleType | None, seen: set[str] | None = None) -> Iterator[str]:
    """The text of a user's module and of the user's modules it has imported."""
    seen = set() if seen is None else seen
    if module is None or module.__name__ in seen or not is_users(module):
        return
    seen.add(module.__name__)
    name = getattr(module, "__file__", None)
    if (
        name is not None and module.__name__ != "__main__"
    ):  # a script is known by what it hands over
        yield module.__name__
        yield sha256_of(name) if Path(name).is_file() else ""
        for value in list(vars(module).values()):
            used = value if isinstance(value, ModuleType) else None
            used = used or sys.modules.get(getattr(value, "__module__", None) or "")
            yield from module_source(used, seen)


@cache
def package_source() -> str:
    """A hash of fabula's own code."""
    root = Path(fabula.__file__).parent
    files = sorted(root.rglob("*.py"))
    return fingerprint(
        text for path in files for text in (str(path.relative_to(root)), sha256_of(path))
    )
