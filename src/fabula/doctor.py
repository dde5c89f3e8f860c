"""What is installed, what is missing, does it load, and how fast is it here."""

from __future__ import annotations

import importlib.util
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from fabula.core.files import cache_folder
from fabula.errors import FabulaError, MissingPart
from fabula.text.resources import RESOURCES, status

__all__ = ["EXTRAS", "JOBS", "Finding", "examine"]

_SENTENCE = "The harbour master closed the gate when the river rose above the second mark."


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. ``required`` things that are not ``ok`` make the check fail."""

    what: str
    ok: bool
    said: str
    required: bool = True


EXTRAS = {
    "torch": "lm",
    "transformers": "lm",
    "gguf": "lm",
    "accelerate": "lm",
    "lightning": "train",
    "pypdf": "office",
    "docx": "office",
    "fastapi": "web",
    "uvicorn": "web",
    "daft": "scale",
    "ray": "scale",
    "fsspec": "scale",
    "mcp": "mcp",
}


def examine() -> list[Finding]:
    """Look at everything; nothing is fetched or changed (but the cache may be warmed)."""
    findings = [
        Finding("python", sys.version_info >= (3, 11), platform.python_version()),
        Finding("fabula", True, _version("fabula")),
        _cache(),
    ]
    findings += [
        Finding(f"resource {name}", status(name).startswith("ready"), status(name), not r.optional)
        for name, r in RESOURCES.items()
    ]
    findings += [_extra(module, extra) for module, extra in EXTRAS.items()]
    findings += [_timed(what, job) for what, job in JOBS.items()]
    return findings


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _extra(module: str, extra: str) -> Finding:
    there = importlib.util.find_spec(module) is not None
    said = "installed" if there else f'pip install "fabula[{extra}]"'
    return Finding(f"extra {extra}: {module}", there, said, required=False)


def _cache() -> Finding:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        said = (
            f"{folder} cannot be written ({error.strerror}); set FABULA_CACHE to a folder that can"
        )
        return Finding("cache", False, said, required=False)
    return Finding("cache", True, str(folder))


def _timed(what: str, job: Callable[[], tuple[int, str]]) -> Finding:
    """Run a job twice: the first loads, the second shows the speed."""
    try:
        started = time.perf_counter()
        job()
        loaded = time.perf_counter()
        count, unit = job()
        done = time.perf_counter()
    except MissingPart as error:  # an extra that was not asked for is no fault
        return Finding(what, False, str(error), required=what != "language model")
    except FabulaError as error:
        return Finding(what, False, str(error))
    rate = count / max(done - loaded, 1e-9)
    return Finding(what, True, f"loads in {loaded - started:.1f} s, then {rate:,.0f} {unit}/s")


def _split() -> tuple[int, str]:
    from fabula.text.segment.sentences import split_sentences

    return len(split_sentences(" ".join([_SENTENCE] * 2000))), "sentences"


def _encode() -> tuple[int, str]:
    from fabula.text.encoders.sentence import MiniLM

    texts = [f"{i} {_SENTENCE}" for i in range(50)]
    return len(MiniLM(cached=False).encode(texts)), "sentences"


def _parse() -> tuple[int, str]:
    from fabula.text.parse.pipeline import Parser

    return sum(len(doc) for doc in Parser().parse([_SENTENCE] * 50)), "tokens"


def _order() -> tuple[int, str]:
    from fabula.ordering import order

    return len(order([f"{_SENTENCE} {i}" for i in range(10)]).order), "sentences"


def _language_model() -> tuple[int, str]:
    from fabula.text.lm.likelihood import LanguageModel

    (found,) = LanguageModel().log_likelihoods([_SENTENCE], [_SENTENCE])
    return found.tokens, "tokens"


JOBS = {
    "splitting": _split,
    "encoding": _encode,
    "parsing": _parse,
    "ordering": _order,
    "language model": _language_model,
}
