"""Run attacks one at a time in forked processes with limits, and say how each ended.

``python -m tests.attacks.runner`` imports what the attacks need once and forks for each line of
JSON on its standard input: ``{"what": "read", "given": ...}``. The answer has ``outcome``
(``done``, ``refused``, ``traceback``, ``killed``), ``seconds`` of the processor and ``megabytes``
at the peak.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CEILING = 3 << 30  # bytes of address space: an attack that succeeds must not take the machine down


@dataclass(frozen=True, slots=True)
class Ending:
    """How one attack ended."""

    name: str
    outcome: str
    seconds: float
    megabytes: float
    said: str

    def failed(self, *, seconds: float, megabytes: float = 1024) -> str:
        """Why the attack succeeded; empty if it was withstood."""
        if self.outcome not in ("done", "refused"):
            return f"{self.name}: {self.outcome}: {self.said}"
        if self.seconds > seconds:
            return f"{self.name}: {self.seconds:.1f} s"
        if self.megabytes > megabytes:
            return f"{self.name}: {self.megabytes:.0f} MB"
        return ""


class Runner:
    """The forking process; use it as a context."""

    def __init__(self, *preload: str, seconds: float = 60) -> None:
        self.preload, self.seconds = preload, seconds

    def __enter__(self) -> Runner:
        paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.runner", str(self.seconds), *self.preload],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.communicate()

    def run(self, what: str, attacks: Iterable[tuple[str, Any]]) -> Iterator[Ending]:
        """The ending of each attack: a name and what the action takes."""
        assert self.process.stdin is not None and self.process.stdout is not None
        for name, given in attacks:
            self.process.stdin.write(json.dumps({"what": what, "given": given}) + "\n")
            self.process.stdin.flush()
            yield Ending(name=name, **json.loads(self.process.stdout.readline()))


def _read(path: str) -> None:
    from fabula.assembly.pile import read_pile
    from fabula.text.segment.sentences import split_sentences

    for document in read_pile(path):
        json.dumps(document.to_row(), ensure_ascii=False, default=str).encode()
        for sentence in split_sentences(document):
            sentence.text.encode()


def _records(path: str) -> None:
    from fabula.text.io.records import read_records

    for record in read_records(path):
        json.dumps(record.data, ensure_ascii=False, default=str).encode()


def _assemble(text: str) -> None:
    import fabula
    from fabula.assembly.render.formats import to_html, to_json, to_markdown

    assembly = fabula.assemble(text)
    json.dumps(to_json(assembly), ensure_ascii=False).encode()
    to_html(assembly, title="x")
    to_markdown(assembly)


def _command(line: list[str]) -> None:
    """A command as a user gives it: no exception may come out of it but an exit."""
    from fabula.cli import app

    try:
        app(line, standalone_mode=False)
    except SystemExit as end:
        if end.code not in (0, 1, 2, None):
            raise RuntimeError(f"exit code {end.code}") from end


_ACTIONS: dict[str, Callable[[Any], None]] = {
    "read": _read,
    "records": _records,
    "assemble": _assemble,
    "command": _command,
}


def _child(job: dict[str, Any], pipe: int, seconds: float) -> None:
    from fabula.errors import FabulaError

    resource.setrlimit(resource.RLIMIT_AS, (CEILING, CEILING))
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
    signal.alarm(10 * int(seconds))
    outcome, said = "done", ""
    try:
        _ACTIONS[job["what"]](job["given"])
    except FabulaError as error:
        outcome, said = "refused", str(error)[:300]
        said.encode("utf-8", "backslashreplace")
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        outcome, said = "traceback", f"{type(error).__name__}: {str(error)[:200]} at {where}"
    os.write(pipe, json.dumps({"outcome": outcome, "said": said}).encode()[:60_000])


def _main(seconds: float, preload: list[str]) -> None:
    import importlib

    for name in ("fabula.assembly.pile", "fabula.text.segment.sentences", *preload):
        importlib.import_module(name)
    if "fabula.assembly" in preload:
        _assemble("The ferry left at nine. The baker rose. The ferry sank. The baker slept.")
    else:
        from fabula.text.segment.sentences import split_sentences

        split_sentences("It rained. We stayed.")
    devnull = os.open(os.devnull, os.O_WRONLY)
    for line in sys.stdin:
        job = json.loads(line)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            os.dup2(devnull, 1)
            os.dup2(devnull, 2)
            _child(job, writing, seconds)
            os._exit(0)
        os.close(writing)
        _, _, usage = os.wait4(pid, 0)
        said = os.read(reading, 65_536)
        os.close(reading)
        ending = json.loads(said) if said else {"outcome": "killed", "said": "no answer"}
        # Of the processor: other work on the machine is not the attack's.
        ending["seconds"] = round(usage.ru_utime + usage.ru_stime, 2)
        ending["megabytes"] = round(usage.ru_maxrss / 1024, 1)
        sys.stdout.write(json.dumps(ending) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main(float(sys.argv[1]), sys.argv[2:])
