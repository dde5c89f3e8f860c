"""Everything fabula raises on purpose.

::

    FabulaError
    |-- InputError (ValueError)          the data is wrong: names file and line
    |-- UsageError (ValueError)          the call is wrong: names the argument
    |   `-- UnknownName (LookupError)    no such model, task, recipe ...; says what was near
    |-- MissingPart (ImportError)        a package or weight is not installed; says the install line
    |-- DamagedFile                      a stored file is not what was written: checksum, truncation
    `-- CheckFailed                      the work was done and the answer is "no" (exit code 1)

Every message says where, what was allowed, what came, and what to do next.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from os import PathLike
from typing import Any

__all__ = [
    "CheckFailed",
    "DamagedFile",
    "FabulaError",
    "InputError",
    "MissingPart",
    "UnknownName",
    "UsageError",
]


class FabulaError(Exception):
    """The root of the tree: catch this to catch everything fabula means to raise."""

    exit_code = 2


class InputError(FabulaError, ValueError):
    """The data is wrong.

    >>> str(InputError("'gold' is 7 but there are 2 options", path="a.jsonl", line=3))
    "a.jsonl:3: 'gold' is 7 but there are 2 options"
    """

    def __init__(
        self, problem: str, *, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.problem, self.path, self.line = problem, path, line
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + problem)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_input_error, (type(self), self.problem, self.path, self.line))


def _rebuild_input_error(cls: type[InputError], problem: str, path: Any, line: Any) -> InputError:
    return cls(problem, path=path, line=line)


class UsageError(FabulaError, ValueError):
    """The call is wrong: an argument has a value that is not allowed."""


class UnknownName(UsageError, LookupError):
    """A name that nothing is registered under.

    >>> print(UnknownName("model", "centered", ["centred", "unif"]))
    unknown model 'centered': did you mean 'centred'? Known: centred, unif
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        listing = ", ".join(self.known) if self.known else "(none)"
        super().__init__(f"unknown {kind} {name!r}: {hint}Known: {listing}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.kind, self.name, self.known))


class MissingPart(FabulaError, ImportError):
    """An optional package or a packaged weight is not installed."""

    def __init__(self, what: str, install: str) -> None:
        self.what, self.install = what, install
        super().__init__(f"{what} is not installed; get it with: {install}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.what, self.install))


class DamagedFile(FabulaError):
    """A stored file does not match its checksum or ends too early."""


class CheckFailed(FabulaError):
    """The command worked and the check it makes did not pass."""

    exit_code = 1
