"""What a language model expects next, as evidence of order."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.core.model_store import shipped_folder
from fabula.errors import MissingPart, UsageError
from fabula.ordering.features import lm_continuation as continuation
from fabula.ordering.features.lm_continuation import Continuation
from fabula.ordering.items import Text
from fabula.ordering.models.pairwise.model import Pairwise
from fabula.text.lm.likelihood import Likelihood

UNITS = ("One.", "Two.", "Three.", "Four.")


def counted(model: Any, contexts: Sequence[str], branches: Sequence[Sequence[str]]) -> Any:
    """A model that can count: what comes next is likely, and so is "One." at a start."""
    found = []
    for context, some in zip(contexts, branches, strict=True):
        place = UNITS.index(context.strip()) if context else -1
        totals = [-1.0 if UNITS.index(one) == place + 1 else -5.0 for one in some]
        found.append([Likelihood(total, 1, 1, 1) for total in totals])
    return found


def test_likelier_behind_than_at_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuation, "branch_likelihoods", counted)
    pairs, follow, opening = Continuation().judge(UNITS)
    # Two, Three and Four: -1 instead of -5 behind the one before; One: -5 instead of -1 anywhere.
    expected = np.array([[0, 4, 0, 0], [-4, 0, 4, 0], [-4, 0, 0, 4], [-4, 0, 0, 0]]) / 10
    assert follow == pytest.approx(expected)
    assert pairs == pytest.approx(expected - expected.T)
    assert not opening.any()


def test_of_many_units_those_most_alike_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuation, "branch_likelihoods", counted)
    every = Continuation().judge(UNITS)[1]
    alike = np.array([[0, 9, 1, 2], [9, 0, 1, 2], [3, 2, 0, 9], [2, 3, 9, 0]], dtype=np.float32)
    monkeypatch.setattr(continuation, "adjacency_similarity", lambda units: alike.copy())
    monkeypatch.setattr(continuation, "CANDIDATES", 1)
    found = Continuation().judge(UNITS)[1]
    assert found == pytest.approx(every * (alike == 9)) and found.any()
    assert (found != every).any()  # something was left out


def test_ends_and_beginnings_are_what_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def note(model: Any, contexts: Sequence[str], branches: Sequence[Sequence[str]]) -> Any:
        asked.extend((contexts, branches))
        return [[Likelihood(0.0, 1, 1, 1)] * len(some) for some in branches]

    monkeypatch.setattr(continuation, "branch_likelihoods", note)
    long = " ".join(f"w{number}" for number in range(99))
    Continuation().judge(["Short.", long])
    (start, one, two), (heads, behind_one, behind_two) = asked
    assert (start, one) == ("", "Short.\n\n")
    assert two.split() == long.split()[-48:]
    assert heads[1].split() == long.split()[:16]
    assert behind_one == heads[1:] and behind_two == heads[:1]


@pytest.mark.slow
def test_the_packaged_model_knows_what_goes_on() -> None:
    pytest.importorskip("gguf", reason='pip install "fabula[lm]"')
    units = [
        "The farmer had three daughters, and each of them wanted the old mill for herself.",
        "The eldest said that it was hers by right, since she had been born first.",
        "But the second daughter said that she had worked there every summer.",
    ]
    _, follow, _ = Continuation().judge(units)
    assert follow[0, 1] > follow[1, 0] and follow[1, 2] > follow[2, 1]
    assert (np.diag(follow) == 0).all()


def test_it_is_heard_beside_a_trained_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuation, "branch_likelihoods", counted)
    texts = [Text(id=str(n), units=UNITS, gold=(0, 1, 2, 3)) for n in range(4)]
    start = {"start": str(shipped_folder("ordering/pairwise")), "epochs": 0.0}
    model = Pairwise(reader="minilm+smollm2", **start).fit(texts, texts)  # type: ignore[arg-type]
    given = Text(id="a", units=("Three.", "One.", "Four.", "Two."))
    for decoder in ("best", "walk"):
        model.decoder = decoder
        assert model.order([given])[0].order == (1, 3, 0, 2)
    model.save(tmp_path / "both")
    config = json.loads((tmp_path / "both" / "config.json").read_text())
    assert list(config["mix"])[:2] == ["network", "network of smollm2"]
    assert config["mix"]["network of smollm2"] > 0
    again = Pairwise.load(tmp_path / "both")
    assert again.order([given])[0].order == (1, 3, 0, 2)
    # From a folder with both, the trained one is what is gone on from.
    alone = Pairwise(start=str(tmp_path / "both"), epochs=0.0).fit(texts, texts)
    assert [network.name for network in alone.networks_] == ["minilm"]


def test_missing_software_is_said_before_anything_is_trained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    texts = [Text(id="a", units=UNITS, gold=(0, 1, 2, 3))]
    trained = "fabula.ordering.models.pairwise.training.train"
    monkeypatch.setattr(trained, lambda *_, **__: pytest.fail("it was trained"))
    with pytest.raises(MissingPart, match=r"fabula\[lm\]"):
        Pairwise(reader="minilm+smollm2").fit(texts, texts)


def test_it_can_do_without_any_trained_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(continuation, "branch_likelihoods", counted)
    texts = [Text(id=str(n), units=UNITS, gold=(0, 1, 2, 3)) for n in range(4)]
    model = Pairwise(reader="smollm2").fit(texts, texts)
    model.save(tmp_path / "model")
    again = Pairwise.load(tmp_path / "model")
    assert again.order([Text(id="a", units=UNITS[::-1])])[0].order == (3, 2, 1, 0)
    with pytest.raises(UsageError, match="several of them"):
        Pairwise(reader="smollm2+smollm2").fit(texts, texts)
