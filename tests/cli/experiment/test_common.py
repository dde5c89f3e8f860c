"""What the experiments' commands make of ``--model`` and ``--set``."""

from __future__ import annotations

import pytest

from fabula.bench.experiments.cells import Spec
from fabula.cli.experiment.common import parse_numbers, parse_specs
from fabula.errors import UnknownName, UsageError


def test_a_setting_goes_to_each_model_that_has_it() -> None:
    specs = parse_specs(["linear", "random"], ["seed=3", "epochs=2", "linear.alpha=0.5"])
    settings = (("seed", 3), ("epochs", 2), ("alpha", 0.5))
    assert specs == [Spec("linear", settings), Spec("random", (("seed", 3),))]


def test_a_setting_of_a_model_that_is_not_run_says_which() -> None:
    with pytest.raises(UsageError, match="'attorder' is not among linear, random; add -m attorder"):
        parse_specs(["linear", "random"], ["attorder.hidden=64"])


@pytest.mark.parametrize(
    ("names", "settings", "sentence"),
    [
        (["linnear"], [], "unknown ordering model 'linnear': did you mean 'linear'"),
        (["linear"], ["epoch=3"], "unknown parameter 'epoch': did you mean 'epochs'"),
        (["linear"], ["epochs"], "--set takes NAME=VALUE or MODEL.NAME=VALUE; it is 'epochs'"),
    ],
)
def test_what_is_wrong_is_said(names: list[str], settings: list[str], sentence: str) -> None:
    with pytest.raises((UnknownName, UsageError), match=sentence):
        parse_specs(names, settings)


def test_numbers_with_commas() -> None:
    assert parse_numbers("1000,3e3", "--sizes") == [1000.0, 3000.0]
    with pytest.raises(UsageError, match="--sizes takes numbers with commas between; it is '1;2'"):
        parse_numbers("1;2", "--sizes")
