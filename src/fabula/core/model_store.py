"""Trained models on disk: a JSON config, arrays as safetensors, a word list; never a pickle."""

from __future__ import annotations

import hashlib
import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, cast

from fabula.core.files import atomic, fingerprint, make_folder, sha256_of, write_text
from fabula.core.safety.checked_json import parse_checked, parse_json, with_checksum
from fabula.errors import DamagedFile, FabulaError, InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CHECKSUMS",
    "SavedModel",
    "State",
    "reading",
    "shipped_config",
    "shipped_folder",
    "verify",
    "write",
    "write_checksums",
]

CHECKSUMS = "checksums.json"
_CONFIG, _WEIGHTS, _WORDS = "config.json", "weights.safetensors", "vocabulary.json"


class State(NamedTuple):
    """What a model has learnt: JSON values, named arrays, and a vocabulary where there is one."""

    values: Mapping[str, Any] = MappingProxyType({})
    arrays: Mapping[str, NDArray[Any]] = MappingProxyType({})
    words: tuple[str, ...] = ()


class SavedModel(ABC):
    """Mixin of trainable models: ``save`` and ``load``, from what a model declares.

    A model names itself and gives its learnt ``state``; constructor parameters are saved by their
    names. ``restore`` is the inverse of ``state``: it raises ``ValueError``, ``KeyError`` or
    ``TypeError`` where the folder does not fit, which the user meets as ``DamagedFile``.

    >>> class Majority(SavedModel):
    ...     registered, fitted, weights_file = "endings/majority", "place_", None
    ...
    ...     def state(self):
    ...         return State(values={"place": self.place_})
    ...
    ...     def restore(self, state):
    ...         self.place_ = int(state.values["place"])
    >>> Majority.short_name()
    'majority'
    """

    registered: ClassVar[str]  # "task/name", as in the registry
    fitted: ClassVar[str]  # the attribute that a trained model has and an untrained one lacks
    ships: ClassVar[bool] = False  # weights come with the package; an untrained model uses them
    unsaved: ClassVar[tuple[str, ...]] = ()  # constructor parameters that are left out
    parameters_last: ClassVar[bool] = False  # the config names them after the learnt values
    weights_file: ClassVar[str | None] = _WEIGHTS
    has_words: ClassVar[bool] = False  # a vocabulary is kept as well

    @abstractmethod
    def state(self) -> State:
        """What was learnt, as it is saved."""

    @abstractmethod
    def restore(self, state: State) -> None:
        """Take over what ``state`` gave."""

    def save(self, folder: str | PathLike[str]) -> None:
        """Write the model into a folder, which ``load`` and the command line read."""
        self.ensure_trained()
        state = self.state()
        words = state.words if self.has_words else None
        _write_files(Path(folder), self._config(state), state.arrays, self.weights_file, words)

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """A saved model from its folder; ``DamagedFile`` if it is not whole."""
        with reading(folder, cls.weights_file) as (config, arrays):
            path = Path(folder) / _WORDS
            words = tuple(parse_json(path.read_text(encoding="utf-8"))) if cls.has_words else ()
            parameters = config["parameters"] if cls._parameter_names() else {}
            model = cls(**parameters)
            model.restore(State(config, arrays, words))
        return model

    @classmethod
    def shipped(cls) -> Self:
        """The model with the weights that come with the package, loaded once."""
        return cast("Self", _shipped(cls))

    def ensure_trained(self) -> None:
        """Refuse an untrained model, or give it the weights that ship."""
        if hasattr(self, self.fitted):
            return
        if not self.ships:
            raise UsageError(
                f"{self.short_name()} is not trained; train it with "
                f"'fabula train {self.registered} FILE -o FOLDER' and use FOLDER as the model"
            )
        trained = vars(self.shipped())
        vars(self).update({name: value for name, value in trained.items() if name.endswith("_")})

    def fingerprint(self) -> str:
        """A short name of the model as it would be saved; a loaded copy has the same."""
        self.ensure_trained()
        state = self.state()
        arrays = [
            f"{name} {array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"
            for name, array in sorted(state.arrays.items())
        ]
        return fingerprint([json.dumps(self._config(state)), *arrays, *state.words])

    def saved_parameters(self) -> dict[str, Any]:
        """The constructor's parameters as JSON values."""
        given = {name: getattr(self, name) for name in self._parameter_names()}
        return {n: fspath(v) if isinstance(v, PathLike) else v for n, v in given.items()}

    @classmethod
    def short_name(cls) -> str:
        """The registered name without its task."""
        return cls.registered.partition("/")[2]

    @classmethod
    def _parameter_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name not in cls.unsaved]

    def _config(self, state: State) -> dict[str, Any]:
        parameters = {"parameters": self.saved_parameters()} if self._parameter_names() else {}
        if self.parameters_last:
            return {"model": self.registered, **state.values, **parameters}
        return {"model": self.registered, **parameters, **state.values}


@cache
def _shipped(kind: type[SavedModel]) -> SavedModel:
    return kind.load(shipped_folder(kind.registered))


def shipped_folder(model: str) -> Path:
    """The folder of the weights that come with the package, such as ``ordering/linear``."""
    return Path(__file__).parents[1] / "data" / "weights" / model.replace("/", "-")


@cache
def shipped_config(model: str) -> dict[str, Any]:
    """The JSON of shipped weights that are few enough to need no arrays."""
    path = shipped_folder(model) / _CONFIG
    try:
        verify(path.parent)
        config: dict[str, Any] = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DamagedFile(f"{path}: not a trained model ({error}); install fabula anew") from error
    return config


def write(
    folder: str | PathLike[str], config: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]
) -> Path:
    """Write both files; ``config`` names the model under ``"model"``, as it is registered."""
    return _write_files(Path(folder), config, weights, _WEIGHTS, None)


def _write_files(
    folder: Path,
    config: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    weights_file: str | None,
    words: Sequence[str] | None,
) -> Path:
    from safetensors.numpy import save_file

    make_folder(folder)
    _refuse_foreign(folder / _CONFIG)
    if weights_file is not None:
        with atomic(folder / weights_file) as temporary:
            save_file(dict(arrays), temporary)
    if words is not None:
        text = json.dumps(list(words), ensure_ascii=False, indent=0)
        write_text(folder / _WORDS, text + "\n")
    write_text(folder / _CONFIG, json.dumps(config, indent=1) + "\n")
    names = [_CONFIG, *([weights_file] if weights_file else []), *([_WORDS] if words else [])]
    write_checksums(folder, names)
    return folder


def write_checksums(folder: Path, names: Sequence[str]) -> None:
    """Write the SHA-256 of the files of a model, which ``verify`` compares when it is loaded."""
    files = {name: sha256_of(folder / name) for name in sorted(names)}
    write_text(folder / CHECKSUMS, json.dumps(with_checksum({"files": files}), indent=1) + "\n")


def verify(folder: Path) -> None:
    """``DamagedFile`` if a file of a model is not the one that was saved.

    A folder without the list (put together by hand) is taken as it is.
    """
    path = folder / CHECKSUMS
    if not path.exists():
        return
    try:
        for name, expected in parse_checked(path.read_bytes())["files"].items():
            path = folder / name
            if sha256_of(path) != expected:
                raise ValueError("changed since it was saved")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{path}: not a trained model ({error}); train it again") from error


def _refuse_foreign(path: Path) -> None:
    """``InputError`` if a folder has a config that is not of a model of ours."""
    if not path.exists():
        return
    try:
        ours = "model" in parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        ours = False
    if not ours:
        raise InputError("is not the config of a fabula model; name a new folder", path=path)


@contextmanager
def reading(
    folder: str | PathLike[str], weights_file: str | None = _WEIGHTS
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Config and arrays of a saved model; what goes wrong inside the block is ``DamagedFile``."""
    from safetensors.numpy import load_file

    path = Path(folder) / _CONFIG
    try:
        verify(path.parent)
        config = parse_json(path.read_text(encoding="utf-8"))
        arrays = {}
        if weights_file is not None:
            path = Path(folder) / weights_file
            arrays = load_file(path)
        path = Path(folder)
        yield config, arrays
    except FabulaError:
        raise
    except Exception as error:  # whatever a tampered configuration leads to
        reason = str(error) or type(error).__name__
        raise DamagedFile(f"{path}: not a trained model ({reason}); train it again") from error
