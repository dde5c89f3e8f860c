"""Validation of a model's parameters against the type and sign of their defaults."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from typing import Any

from fabula.errors import UsageError

__all__ = ["check_settings"]

_ZERO_ALLOWED = ("layers", "patience", "skip", "steps")
_KINDS = {bool: "True or False", int: "a whole number", float: "a number", str: "a word"}


def check_settings(factory: Any, given: Mapping[str, Any]) -> None:
    """``UsageError`` unless each value has its default's type and no number is negative.

    An integer that is 1 or more by default (epochs, a width) cannot be 0, but for those in
    ``_ZERO_ALLOWED`` (layers). Where the default is None, or of another type than in ``_KINDS``,
    any value is accepted, and None is where the annotation allows it.
    """
    accepted = inspect.signature(factory).parameters
    for name, value in given.items():
        default = accepted[name].default
        kind = type(default)
        if kind not in _KINDS or (value is None and "None" in str(accepted[name].annotation)):
            continue
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise UsageError(f"{name}={value!r}: it has to be {_KINDS[kind]}, such as {default!r}")
        if kind in (int, float):
            least = 0 if kind is float or default == 0 or name in _ZERO_ALLOWED else 1
            if default >= 0 and not (least <= value < math.inf):
                raise UsageError(f"{name}={value!r}: it has to be {least} or more")
