"""Fingerprints of data (by content) and of models (by parameters and weights)."""

from __future__ import annotations

import inspect
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fabula.core.files import canonical, fingerprint, sha256_of
from fabula.core.model_store import SavedModel
from fabula.errors import FabulaError, UsageError

__all__ = ["fingerprint_items", "model_name", "model_parameters", "model_size", "model_weights"]


def fingerprint_items(items: Iterable[Any]) -> str:
    """Content hash of a data set: equal items in equal order give an equal hash."""
    return fingerprint(canonical(item) for item in items)


def model_name(model: Any) -> str:
    """A model's display name: its spec, its own ``name``, or its class."""
    if isinstance(model, str):
        return Path(model).resolve().name if Path(model).is_dir() else model
    for own in (getattr(model, "name", None), getattr(model, "__name__", None)):
        if isinstance(own, str) and own:
            return own
    return type(model).__name__


def model_parameters(model: Any) -> dict[str, Any]:
    """A model's constructor parameters, as JSON values.

    From ``get_params()`` where there is one (scikit-learn's habit), else the constructor's
    arguments that are kept under their own names. What JSON cannot hold (an encoder) is named.
    """
    if callable(getattr(model, "get_params", None)):
        parameters = dict(model.get_params())
    else:
        try:
            accepted = list(inspect.signature(type(model)).parameters)
        except (TypeError, ValueError):  # a class written in C may have no signature
            accepted = []
        missing = object()
        kept = {name: getattr(model, name, missing) for name in accepted}
        parameters = {name: value for name, value in kept.items() if value is not missing}
    return {name: _json_or_name(value) for name, value in sorted(parameters.items())}


def model_size(model: Any, **which: bool) -> int | None:
    """Number of trained parameters if the model reports it; ``words`` includes word vectors."""
    counts = getattr(model, "parameters", None)
    if not callable(counts) or not which.keys() <= inspect.signature(counts).parameters.keys():
        return None
    size = counts(**which)
    return size if isinstance(size, int) else None


def model_weights(model: Any) -> str | None:
    """Hash of a trained model's saved weights; None if it has none.

    Two trainings with equal parameters are different models: without this, the second would be
    given the stored results of the first. A model of another package, which has a ``save`` but is
    no ``SavedModel``, has to be saved to be known.
    """
    if not callable(getattr(model, "save", None)):
        return None
    if isinstance(model, SavedModel):
        try:
            return model.fingerprint()
        except FabulaError:  # "not trained yet": models say so in our own terms
            return None
    with tempfile.TemporaryDirectory(prefix="fabula-") as name:
        folder = Path(name)
        try:
            model.save(folder)
        except FabulaError:
            return None
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return fingerprint(
            text for path in files for text in (str(path.relative_to(folder)), sha256_of(path))
        )


def _json_or_name(value: Any) -> Any:
    try:
        return json.loads(canonical(value), parse_constant=str)  # JSON has no infinity
    except (UsageError, ValueError):
        return value if isinstance(value, str) else model_name(value)
