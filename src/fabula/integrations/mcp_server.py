"""The MCP server: fabula's verbs as tools for assistants, over standard input and output.

Files are read below one named folder only. A path is resolved, links included, and refused
unless it lies there; the file that is read is a private copy made from the handle that was
checked, so a link changed in between leads nowhere.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabula.errors import FabulaError, InputError, MissingPart, UsageError

__all__ = ["Limits", "create_server", "open_below", "run_server"]

Tool = Callable[..., dict[str, Any]]
_one_at_a_time = threading.Lock()  # calls of one server share the processor and the memory


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may bring; more is refused before any work is done."""

    characters: int = 200_000
    files: int = 100
    file_bytes: int = 20 << 20
    units: int = 200


def open_below(folder: Path, name: str) -> int:
    """A handle to read a regular file below ``folder``; ``InputError`` for any other path."""
    root = folder.resolve()
    try:
        path = (root / name).resolve()
        if not path.is_relative_to(root):  # said before it is known whether the file exists
            raise InputError("lies outside the folder that is served", path=name)
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("there is no such file in the folder that is served", path=name) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise InputError("is not a file", path=name)
        opened = Path(f"/proc/self/fd/{handle}")
        if opened.exists() and not opened.resolve().is_relative_to(root):
            raise InputError("lies outside the folder that is served", path=name)
    except BaseException:
        os.close(handle)
        raise
    return handle


class _Files:
    """Copies of the files that a call names."""

    def __init__(self, folder: Path | None, limits: Limits) -> None:
        self.folder, self.limits = folder, limits

    @contextmanager
    def copies(self, names: list[str]) -> Iterator[tuple[list[str], Callable[[Any], Any]]]:
        """The copies' paths, and a function that takes their folder out of an answer."""
        if names and self.folder is None:
            raise UsageError("no folder is served: start fabula mcp with --folder to read files")
        if len(names) > self.limits.files:
            raise UsageError(f"{len(names)} files; one call takes at most {self.limits.files}")
        with tempfile.TemporaryDirectory(prefix="fabula-mcp-") as place:
            try:
                paths = [self._copy(name, Path(place, str(n))) for n, name in enumerate(names, 1)]
                yield paths, functools.partial(_without, place=place)
            except FabulaError as error:  # the copy's path says nothing to the caller
                raise UsageError(_without(str(error), place)) from error

    def _copy(self, name: str, place: Path) -> str:
        handle = open_below(self.folder or Path(), name)
        with os.fdopen(handle, "rb") as stream:
            if os.fstat(handle).st_size > self.limits.file_bytes:
                raise InputError(f"is larger than {self.limits.file_bytes:,} bytes", path=name)
            # Called as it is called below the folder, so that sources can be told apart.
            root = (self.folder or Path()).resolve()
            copy = place / (root / name).resolve().relative_to(root)
            copy.parent.mkdir(parents=True)
            with copy.open("xb") as out:
                shutil.copyfileobj(stream, out)
        return str(copy)


def _without(value: Any, place: str) -> Any:
    """Texts without the folder of the copies."""
    if isinstance(value, str):
        return re.sub(re.escape(f"{place}/") + r"\d+/", "", value)
    if isinstance(value, dict):
        return {key: _without(entry, place) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without(entry, place) for entry in value]
    return value


def _tools(files: _Files, limits: Limits) -> list[Tool]:
    import fabula

    def check(texts: list[str]) -> None:
        size = sum(map(len, texts))
        if size > limits.characters:
            raise UsageError(f"{size:,} characters; one call takes at most {limits.characters:,}")

    def assembled(
        texts: list[str] | None, names: list[str] | None, stories: int | None, date: str | None
    ) -> dict[str, Any]:
        from fabula.assembly.pile import pieces_of, read_pile

        with files.copies(names or []) as (paths, without_folder):
            given: list[Any] = [*(texts or []), *read_pile(*paths)] if paths else list(texts or [])
            pieces = pieces_of(given)
            check([piece.sentence.text for piece in pieces])
            answer = fabula.assemble(pieces, stories=stories, date=date).to_dict()
            plain: dict[str, Any] = without_folder(answer)
        return plain

    def assemble(
        texts: list[str] | None = None,
        files: list[str] | None = None,
        stories: int | None = None,
        date: str | None = None,
    ) -> dict[str, Any]:
        """Separate mixed reports into stories, each in the order things happened, with actors,
        events, timeline and contradictions. `files` are paths in the served folder; `date`
        (YYYY-MM-DD) is the day of writing of undated text."""
        return assembled(texts, files, stories, date)

    def contradictions(
        texts: list[str] | None = None, files: list[str] | None = None, date: str | None = None
    ) -> dict[str, Any]:
        """What the reports say that cannot all be true, with both sentences and their sources."""
        found = assembled(texts, files, None, date)
        return {"contradictions": found["contradictions"], "notes": found["notes"]}

    def order(units: list[str], by: str = "telling", date: str | None = None) -> dict[str, Any]:
        """Put sentences in order: by "telling", as in their text, or by "time", as it happened."""
        check(units)
        if len(units) > limits.units:
            raise UsageError(f"{len(units)} units; one call takes at most {limits.units}")
        return fabula.order(units, by=by, date=date).to_dict()

    def times(text: str, date: str | None = None) -> dict[str, Any]:
        """The time expressions of a text, with TIMEX3 types and values; `date` is its own."""
        check([text])
        return fabula.times(text, date).to_dict()

    def audit(file: str) -> dict[str, Any]:
        """Whether a multiple-choice data set (a file of the served folder) gives its answers
        away without its contexts."""
        with files.copies([file]) as (paths, _):
            return fabula.audit(paths[0], name=Path(file).name).to_dict()

    return [assemble, order, times, contradictions, audit]


def create_server(
    folder: str | os.PathLike[str] | None = None, limits: Limits | None = None
) -> Any:
    """An ``MCPServer`` with the tools assemble, order, times, contradictions and audit.

    Without ``folder`` no file is read.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError as error:
        raise MissingPart("mcp", 'pip install "fabula[mcp]"') from error
    from fabula import __version__

    root = None if folder is None else Path(folder)
    if root is not None and not root.is_dir():
        raise InputError("is not a folder", path=root)
    chosen = limits or Limits()
    server = MCPServer("fabula", version=__version__, log_level="WARNING")
    for tool in _tools(_Files(root, chosen), chosen):

        def call(*arguments: Any, _tool: Tool = tool, **named: Any) -> dict[str, Any]:
            with _one_at_a_time:
                try:
                    return _tool(*arguments, **named)
                except FabulaError as error:
                    raise ToolError(str(error)) from error

        server.add_tool(functools.wraps(tool)(call), structured_output=False)
    return server


def run_server(folder: str | os.PathLike[str] | None = None, limits: Limits | None = None) -> None:
    """Serve on standard input and output until the client closes them."""
    create_server(folder, limits).run("stdio")
