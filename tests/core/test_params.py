"""Parameters that cannot be meant are refused, all that make sense are not."""

from __future__ import annotations

from typing import Any

import pytest

from fabula.core.params import check_settings
from fabula.errors import UsageError
from fabula.registry import models


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("events/instance-unigram", {"share": None}),
        ("events/bigram", {"skip": 0}),
        ("ordering/attorder", {"layers": 0, "rate": 1, "vectors": None, "tanh": False}),
        ("ordering/pairwise", {"epochs": 2, "start": "shipped"}),
    ],
)
def test_what_makes_sense_is_taken(name: str, given: dict[str, Any]) -> None:
    check_settings(models.get(name), given)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"hidden": 0}, "hidden=0: it has to be 1 or more"),
        ({"hidden": True}, "hidden=True: it has to be a whole number"),
        ({"rate": float("inf")}, "rate=inf: it has to be 0 or more"),
        ({"rate": "fast"}, "rate='fast': it has to be a number, such as 1.0"),
        ({"tanh": 1}, "tanh=1: it has to be True or False"),
        ({"beam": None}, "beam=None: it has to be a whole number"),
    ],
)
def test_what_cannot_be_meant_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        check_settings(models.get("ordering/attorder"), given)


def test_every_default_is_taken() -> None:
    import inspect

    for name in models:
        accepted = inspect.signature(models.get(name)).parameters
        given = {
            one: parameter.default
            for one, parameter in accepted.items()
            if parameter.default is not inspect.Parameter.empty
        }
        check_settings(models.get(name), given)
