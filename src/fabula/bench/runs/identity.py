"""Identity of a model: a hash of its code, its parameters and what they hold.

Two models with one hash give the same answers, so a stored run of one may be read back for the
other. What cannot be identified gets a hash of its own each time, and is measured again.

- fabula's own classes: the source of the package and the constructor's values;
- a user's class: the source of its module, and of the user's modules that one uses; the values of
  its instance, or what its own ``__getstate__`` gives;
- a function: its code with defaults, closure and the module-level values it reads;
- an array, a tensor or a network: its numbers; a path: the file's content.
"""

from __future__ import annotations

import hashlib
import inspect
import logging
import re
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from os import PathLike
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from fabula.bench.runs.source_code import is_ours, is_users, module_source, package_source
from fabula.core.files import fingerprint, sha256_of
from fabula.core.model_store import SavedModel
from fabula.errors import FabulaError
from fabula.registry import encoders
from fabula.text.encoders.sentence import find_encoder

__all__ = ["model_identity"]

_log = logging.getLogger("fabula.bench")
_PLAIN = (str, bytes, int, float, complex, bool, type(None), re.Pattern)
_LARGE = 64 << 20  # bytes of a file that is known by size and time instead of content
_MOST_FILES = 10_000


def model_identity(model: Any) -> str:
    """A hash of the model's code and values; see the module."""
    try:
        return fingerprint(_Identity().describe(model))
    except Exception as error:  # an object of another package may refuse anything
        return _unknown(model, error)


def _unknown(value: Any, error: Exception) -> str:
    """A hash that nothing else has."""
    text = "a %s cannot be identified (%s): runs with it are measured again each time"
    _log.warning(text, type(value).__name__, error)
    return uuid.uuid4().hex


class _Identity:
    """One walk through a model; every object is described once."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # ids stay unique while the objects live

    def describe(self, value: Any) -> Iterator[str]:
        """Texts that differ where two values differ."""
        if isinstance(value, _PLAIN):
            yield f"{type(value).__name__} {value!r}"
            if isinstance(value, str):
                yield from _files(value)
            return
        if id(value) in self.seen:
            yield f"again {self.seen[id(value)]}"
            return
        self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        kind = type(value)
        yield f"{kind.__module__}.{kind.__qualname__}"
        if isinstance(value, PathLike):
            yield from self.describe(str(value))
        elif isinstance(value, Mapping):
            for key, entry in value.items():
                yield from self.describe(key)
                yield from self.describe(entry)
        elif isinstance(value, Set):
            yield from sorted(fingerprint(_Identity().describe(entry)) for entry in value)
        elif isinstance(value, Sequence):
            yield str(len(value))
            for entry in value:
                yield from self.describe(entry)
        else:
            yield from self._object(value)

    def _object(self, value: Any) -> Iterator[str]:
        if isinstance(value, ModuleType):
            yield value.__name__
            yield from module_source(value)
        elif isinstance(value, type):
            yield from self._class(value)
        elif isinstance(value, FunctionType):
            yield from self._function(value)
        elif isinstance(value, MethodType):
            yield from self.describe(value.__func__)
            yield from self.describe(value.__self__)
        elif isinstance(value, BuiltinFunctionType):
            yield f"{value.__module__}.{value.__qualname__}"
        elif isinstance(value, partial):
            yield from self.describe([value.func, value.args, value.keywords])
        elif isinstance(value, CodeType):
            yield from self._code(value)
        elif callable(getattr(value, "tobytes", None)) and hasattr(value, "dtype"):
            yield f"{value.dtype} {getattr(value, 'shape', ())}"
            yield hashlib.sha256(value.tobytes()).hexdigest()
        elif callable(getattr(value, "numpy", None)) and hasattr(value, "detach"):  # torch's tensor
            yield from self.describe(value.detach().cpu().numpy())
        else:
            yield from self._class(type(value))
            yield from self._state(value)

    def _state(self, value: Any) -> Iterator[str]:
        """The values that make this instance differ from another of its class."""
        if isinstance(value, SavedModel):
            try:
                yield value.fingerprint()
            except FabulaError:  # not trained
                yield "untrained"
        if is_ours(type(value)):
            for name in _parameters(type(value)):
                yield name
                yield from self.describe(getattr(value, name, None))
                if name == "encoder":
                    yield from self.describe(_encoder(value.encoder))
        elif callable(getattr(value, "state_dict", None)):  # a network of torch
            yield from self.describe(dict(value.state_dict()))
            yield repr(value)
        elif _own_state(type(value)):
            yield from self.describe(value.__getstate__())
        elif hasattr(value, "__dict__") or hasattr(type(value), "__slots__"):
            names = {**dict.fromkeys(_slots(type(value))), **getattr(value, "__dict__", {})}
            yield from self.describe({name: getattr(value, name, None) for name in sorted(names)})
        else:
            try:
                reduced = value.__reduce_ex__(2)
            except TypeError as error:
                yield _unknown(value, error)
            else:
                yield from self.describe(reduced)

    def _class(self, kind: type) -> Iterator[str]:
        for base in kind.__mro__[:-1]:
            yield f"{base.__module__}.{base.__qualname__}"
            if is_ours(base):
                yield package_source()
                return
            module = sys.modules.get(base.__module__)
            if not is_users(module):
                yield str(getattr(module, "__version__", ""))
                continue
            yield from module_source(module)
            for name, member in sorted(vars(base).items()):
                if name in ("__dict__", "__weakref__", "__doc__", "__firstlineno__"):
                    continue
                yield name
                yield from self._member(member)

    def _member(self, member: Any) -> Iterator[str]:
        if isinstance(member, property):
            parts: list[Any] = [member.fget, member.fset]
        else:
            parts = [getattr(member, "__func__", member)]
        for part in parts:
            if isinstance(part, FunctionType) or not callable(getattr(part, "__get__", None)):
                yield from self.describe(part)

    def _function(self, function: FunctionType) -> Iterator[str]:
        module = sys.modules.get(function.__module__ or "")
        yield f"{function.__module__}.{function.__qualname__}"
        if (function.__module__ or "").partition(".")[0] == "fabula":
            yield package_source()
        yield from self._code(function.__code__)
        yield from self.describe(function.__defaults__)
        yield from self.describe(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                yield from self.describe(cell.cell_contents)
            except ValueError:  # a name that has no value yet
                yield "empty"
        if is_users(module) or module is None:
            yield from module_source(module)
            for name in _global_names(function.__code__):
                if name in function.__globals__:
                    yield name
                    yield from self.describe(function.__globals__[name])

    def _code(self, code: CodeType) -> Iterator[str]:
        yield code.co_code.hex()
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_flags))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                yield from self._code(constant)
            else:
                yield repr(constant)


def _own_state(kind: type) -> bool:
    return any("__getstate__" in base.__dict__ for base in kind.__mro__[:-1])


def _encoder(encoder: Any) -> Any:
    """The encoder of a registered name: its vectors may come from a file of the user's."""
    if not isinstance(encoder, str) or encoder not in encoders:
        return encoder
    try:
        return find_encoder(encoder)
    except FabulaError:  # a part that is not installed; the evaluation will say so
        return encoder


def _global_names(code: CodeType) -> list[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return sorted({*code.co_names, *(name for part in inner for name in _global_names(part))})


def _parameters(kind: type) -> list[str]:
    try:
        return list(inspect.signature(kind).parameters)
    except (TypeError, ValueError):  # a class written in C may have no signature
        return []


def _slots(kind: type) -> list[str]:
    named = [base.__dict__.get("__slots__", ()) for base in kind.__mro__]
    slots = [name for some in named for name in ([some] if isinstance(some, str) else some)]
    return [name for name in slots if not name.startswith("__")]


def _files(name: str) -> Iterator[str]:
    """The content behind a text that is a path: a model may read it."""
    if not name or len(name) > 4096 or "\n" in name or "\0" in name:
        return
    path = Path(name)
    try:
        if path.is_file():
            yield sha256_of(path) if path.stat().st_size <= _LARGE else _stamp(path)
        elif path.is_dir() and name.strip("./"):
            for entry in sorted(islice(path.rglob("*"), _MOST_FILES)):
                yield str(entry.relative_to(path))
                yield _stamp(entry)
    except OSError:
        return


def _stamp(path: Path) -> str:
    stat = path.stat()
    return f"{stat.st_size} {stat.st_mtime_ns}"
