from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from fabula.bench.runs.fingerprints import (
    fingerprint_items,
    model_name,
    model_parameters,
    model_weights,
)


@dataclass(frozen=True)
class Thing:
    id: str
    extra: Any = None


def test_equal_content_has_one_text() -> None:
    one = Thing("a", MappingProxyType({"y": {3, 1}, "x": np.array([1.5, 2])}))
    other = Thing("a", {"x": [1.5, 2.0], "y": [1, 3]})
    assert fingerprint_items([one]) == fingerprint_items([other])


def test_every_change_of_content_shows() -> None:
    things = [Thing("a"), Thing("b"), Thing("a", 0), Thing("a", "0"), Thing("a", False)]
    assert len({fingerprint_items([thing]) for thing in things}) == len(things)
    assert fingerprint_items(things) != fingerprint_items(things[::-1])


class Encoder:
    name = "minilm"


class Model:
    def __init__(self, *, encoder: Any = None, width: float = 2, _hidden: int = 1) -> None:
        self.encoder, self.width = encoder, width


def test_parameters_are_the_constructors_arguments() -> None:
    model = Model(encoder=Encoder(), width=math.inf)
    assert model_parameters(model) == {"encoder": "minilm", "width": "Infinity"}
    assert model_parameters(object()) == {}


def test_parameters_come_from_get_params_where_there_is_one() -> None:
    class Estimator:
        def get_params(self) -> dict[str, Any]:
            return {"depth": 3, "kernel": Thing("k")}

    assert model_parameters(Estimator()) == {"depth": 3, "kernel": {"id": "k", "extra": None}}


def test_names(tmp_path: Path) -> None:
    assert model_name("joint:some/encoder") == "joint:some/encoder"
    (tmp_path / "mine").mkdir()
    assert model_name(str(tmp_path / "mine")) == "mine"
    assert (model_name(Encoder()), model_name(Model())) == ("minilm", "Model")


def test_models_that_cannot_be_saved_have_no_weights() -> None:
    assert model_weights(Model()) is None
