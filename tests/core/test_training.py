"""The training loop that models share."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fabula.core import training as learning
from fabula.errors import DamagedFile
from fabula.text.io.records import write_records

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")


class Number(torch.nn.Module):  # type: ignore[misc, name-defined]
    """A number to be learnt, from 0."""

    def __init__(self) -> None:
        super().__init__()
        self.value = torch.nn.Parameter(torch.zeros(1))


def distance(network: Any, batch: Any) -> Any:
    return (network.value - batch).pow(2).sum()


def gradient_descent(network: Any) -> Any:
    return torch.optim.SGD(network.parameters(), 0.25)


BATCHES = [torch.tensor([3.0])] * 5


def test_the_loss_is_minimised_with_a_bar_for_each_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def track(items: Iterable[Any], what: str, total: int | None = None) -> Iterator[Any]:
        shown.append(what)
        yield from items

    monkeypatch.setattr(learning.loop, "track", track)
    trained = learning.train(Number, BATCHES, distance, gradient_descent, epochs=2, seed=0)
    assert abs(float(trained.weights["value"][0]) - 3) < 0.01
    assert trained.epochs[0].loss > trained.epochs[1].loss
    assert shown == [f"training, epoch {n} of at most 2" for n in (1, 2)]


@pytest.mark.parametrize(
    ("scores", "latest", "epochs", "best"),
    [
        ([0.1, 0.3, 0.2, 0.2, 0.9], False, 4, 2),  # two epochs without a gain
        ([0.1, 0.3, 0.3, 0.3, 0.9], True, 4, 4),  # of equally good epochs the last
        ([0.1, 0.2, 0.3, 0.4, 0.5], False, 5, 5),
    ],
)
def test_training_stops_early_and_the_best_epoch_is_kept(
    scores: list[float], latest: bool, epochs: int, best: int
) -> None:
    reached, seen = iter(scores), []

    def score(network: Any) -> float:
        assert not network.training
        seen.append(network.value.detach().numpy().copy())
        return next(reached)

    development = learning.Development(score, patience=2, latest=latest)
    trained = learning.train(
        Number, BATCHES[:1], distance, gradient_descent, epochs=5, seed=0, development=development
    )
    assert [epoch.score for epoch in trained.epochs] == scores[:epochs]
    assert trained.weights["value"] == seen[best - 1]


def test_nothing_to_train_on_leaves_the_network_as_it_was_made() -> None:
    trained = learning.train(Number, [], distance, gradient_descent, epochs=1, seed=0)
    assert trained.weights["value"] == 0 and trained.epochs == []


def test_one_thread_is_given_back() -> None:
    before = torch.get_num_threads()
    with learning.one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_processes_share_the_batches() -> None:
    batches = list(range(11))
    shares = [list(learning.TrackedBatches(batches, 1, rank, 3)) for rank in range(3)]
    assert [len(share) for share in shares] == [3, 3, 3]
    assert sorted(batch for share in shares for batch in share) == batches[:9]
    assert list(learning.TrackedBatches(batches, 1)) == batches


def test_devices_are_told_to_the_trainer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert learning.Devices().options() == {"accelerator": "cpu"}
    many = learning.Devices(2).options()
    assert many["devices"] == 2 and many["strategy"].startswith("ddp")
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert not learning.is_first()


@pytest.mark.slow
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    """``fabula train --devices 2`` in a process of its own, since it runs itself again."""
    rows = [
        {
            "id": f"s{i}",
            "sentences": [f"{w} went to the {w} house." for w in ("cat", "dog") for _ in range(4)],
            "labels": [0] * 4 + [1] * 4,
        }
        for i in range(8)
    ]
    write_records(tmp_path / "salads.jsonl", rows)
    code = "from fabula.cli import main; main()"
    (tmp_path / "train.py").write_text(code)
    line = [sys.executable, str(tmp_path / "train.py"), "train", "salads/bilstm"]
    line += [str(tmp_path / "salads.jsonl"), "-o", str(tmp_path / "model"), "--devices", "2"]
    line += ["--set", "epochs=1", "--set", "hidden=4", "--json"]
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        pytest.skip("two processes were not done in time on this machine")
    if "bind" in done.stderr or "gloo" in done.stderr.lower():
        pytest.skip(f"processes cannot talk to each other here: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count('"folder"') == 1  # one of the two saves and speaks
    assert (tmp_path / "model" / "config.json").is_file()


def test_some_are_kept_back_to_know_when_to_stop() -> None:
    training, kept = learning.keep_back(range(100), seed=1)
    assert len(kept) == 5 and sorted(training + kept) == list(range(100))
    assert learning.keep_back(range(100), seed=1) == (training, kept)
    assert learning.keep_back(["only"], seed=0) == (["only"], ["only"])


def test_weights_that_do_not_fit_are_a_damaged_file() -> None:
    weights = {"weight": torch.ones(2, 3).numpy(), "bias": torch.zeros(2).numpy()}
    network = learning.filled(torch.nn.Linear(3, 2), weights, "toy")
    assert not network.training and network(torch.ones(3)).tolist() == [3.0, 3.0]
    with pytest.raises(DamagedFile, match="toy: the weights do not fit"):
        learning.filled(torch.nn.Linear(4, 2), weights, "toy")


class Dropped(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Weights that random numbers of torch decide, so that going on must take them up, too."""

    def __init__(self) -> None:
        super().__init__()
        self.line = torch.nn.Linear(4, 1)
        self.drop = torch.nn.Dropout(0.5)


class Shuffled:
    """Seven batches, in an order of its own in every epoch."""

    def __init__(self) -> None:
        self.rng = random.Random(3)

    def __len__(self) -> int:
        return 7

    def __iter__(self) -> Iterator[Any]:
        order = self.rng.sample(range(7), 7)
        yield from (torch.full((4,), float(number)) for number in order)


def scheduled(network: Any) -> Any:
    adam = torch.optim.Adam(network.parameters(), 0.1)
    return [adam], [torch.optim.lr_scheduler.ExponentialLR(adam, 0.9)]


@pytest.mark.parametrize("stop", [3, 9, 14, 20])  # in an epoch, and between two
def test_a_stopped_training_goes_on_as_if_it_had_not_been(tmp_path: Path, stop: int) -> None:
    calls = 0

    def run(most: int) -> Any:
        nonlocal calls
        calls = 0

        def loss(network: Any, batch: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > most:
                raise OSError("the machine went off")
            return (network.line(network.drop(batch)) - 1).pow(2).sum()

        def score(network: Any) -> float:
            return -abs(float(network.line.bias.detach()))

        development = learning.Development(score, details=lambda: {"more": 0.5})
        return learning.train(
            Dropped, Shuffled(), loss, scheduled, epochs=3, seed=0, development=development
        )

    whole = run(99)
    place = tmp_path / "unfinished"
    with pytest.raises(OSError, match="went off"), learning.resumable(place, minutes=0):
        run(stop)
    assert place.is_dir()
    with learning.resumable(place, minutes=0):
        again = run(99)
    assert calls == 21 - stop and not place.exists()
    assert all((whole.weights[name] == again.weights[name]).all() for name in whole.weights)
    assert [epoch.loss for epoch in whole.epochs] == [epoch.loss for epoch in again.epochs]
    assert [epoch.details for epoch in again.epochs] == [{"more": 0.5}] * 3


def test_a_damaged_state_begins_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "0.safetensors").write_bytes(b"no tensors")
    with learning.resumable(tmp_path):
        trained = learning.train(Number, BATCHES, distance, gradient_descent, epochs=2, seed=0)
    assert len(trained.epochs) == 2 and "begins anew" in caplog.text
