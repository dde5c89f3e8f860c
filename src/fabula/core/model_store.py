"""Trained models on disk: a JSON config and safetensors, never a pickle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.core.files import atomic, write_text
from fabula.errors import DamagedFile, InputError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_trained", "read_words", "reading", "shipped", "write", "write_words"]

_CONFIG, _WEIGHTS, _WORDS = "config.json", "weights.safetensors", "vocabulary.json"


def shipped(model: str) -> Path:
    """The folder of the weights that come with the package, such as ``ordering/linear``."""
    return Path(__file__).parents[1] / "data" / "weights" / model.replace("/", "-")


def check_trained(model: Any, learnt: str, name: str) -> None:
    """Refuse a model that lacks the attribute ``learnt``; ``name`` is what it is registered as."""
    if not hasattr(model, learnt):
        raise UsageError(
            f"{name.partition('/')[2]} is not trained; train it with "
            f"'fabula train {name} FILE -o FOLDER' and use FOLDER as the model"
        )


def write(
    folder: str | PathLike[str], config: Mapping[str, Any], weights: Mapping[str, NDArray[Any]]
) -> Path:
    """Write both files; ``config`` names the model under ``"model"``, as it is registered."""
    from safetensors.numpy import save_file

    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make this folder ({error.strerror})", path=path) from error
    with atomic(path / _WEIGHTS) as beside:
        save_file(dict(weights), beside)
    write_text(path / _CONFIG, json.dumps(config, indent=1) + "\n")
    return path


@contextmanager
def reading(folder: str | PathLike[str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Config and weights; whatever goes wrong with them in the block is a damaged model."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path = Path(folder) / _CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
        path = Path(folder) / _WEIGHTS
        weights = load_file(path)
        path = Path(folder)
        yield config, weights
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise DamagedFile(f"{path}: not a trained model ({error}); train it again") from error


def write_words(folder: str | PathLike[str], words: Sequence[str]) -> None:
    """A vocabulary beside the weights: the words of the rows of a table, in their order."""
    text = json.dumps(list(words), ensure_ascii=False, indent=0)
    write_text(Path(folder) / _WORDS, text + "\n")


def read_words(folder: str | PathLike[str]) -> tuple[str, ...]:
    """What ``write_words`` wrote; call it where ``reading`` is open, which names what is wrong."""
    return tuple(json.loads((Path(folder) / _WORDS).read_text(encoding="utf-8")))
