from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from fabula import errors
from fabula.errors import (
    CheckFailed,
    DamagedFile,
    FabulaError,
    InputError,
    MissingPart,
    UnknownName,
    UsageError,
)

ONE_OF_EACH = [
    FabulaError("no"),
    InputError("no"),
    InputError("no", path=Path("a.jsonl"), line=3),
    UsageError("no"),
    UnknownName("model", "centered", ["unif", "centred"]),
    MissingPart("torch", "pip install torch"),
    DamagedFile("a: no"),
    CheckFailed("no"),
]


def test_the_tree_is_as_drawn() -> None:
    drawn = re.findall(r"(\w+)(?: \(\w+\))?  +", errors.__doc__ or "")
    assert {*drawn, "FabulaError"} == set(errors.__all__)
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), FabulaError)


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError, ValueError),
        (UsageError, ValueError),
        (UnknownName, LookupError),
        (UnknownName, UsageError),
        (MissingPart, ImportError),
    ],
)
def test_errors_are_also_the_built_in_ones(error: type, builtin: type) -> None:
    assert issubclass(error, builtin)


def test_exit_codes() -> None:
    codes = {type(error): error.exit_code for error in ONE_OF_EACH}
    assert codes.pop(CheckFailed) == 1
    assert set(codes.values()) == {2}


@pytest.mark.parametrize("error", ONE_OF_EACH, ids=lambda error: type(error).__name__)
def test_errors_come_back_from_another_process(error: FabulaError) -> None:
    back = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def test_an_input_error_says_where() -> None:
    assert str(InputError("bad")) == "bad"
    assert str(InputError("bad", path="x/a.csv")) == "x/a.csv: bad"
    assert str(InputError("bad", path=Path("a.csv"), line=7)) == "a.csv:7: bad"
    assert str(InputError("bad", line=7)) == "bad"


def test_an_unknown_name_says_what_is_near() -> None:
    near = str(UnknownName("model", "centered", ["unif", "centred"]))
    assert near == "unknown model 'centered': did you mean 'centred'? Known: centred, unif"
    assert "did you mean" not in str(UnknownName("model", "zzz", ["unif"]))
    assert str(UnknownName("model", "zzz", [])).endswith("Known: (none)")


def test_a_missing_part_says_how_to_get_it() -> None:
    error = MissingPart("torch", 'pip install "fabula[lm]"')
    assert str(error) == 'torch is not installed; get it with: pip install "fabula[lm]"'
