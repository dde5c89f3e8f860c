"""The training loop that models share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from fabula import learning

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning")


class Learner(lightning.LightningModule):  # type: ignore[misc, name-defined]
    """Learns the number 3."""

    def __init__(self) -> None:
        super().__init__()
        self.number = torch.nn.Parameter(torch.zeros(1))

    def training_step(self, batch: Any, index: int) -> Any:
        return (self.number - batch).pow(2).sum()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.25)


def test_it_learns_and_every_epoch_has_its_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def track(items: Iterable[Any], what: str, total: int | None = None) -> Iterator[Any]:
        shown.append(what)
        yield from items

    monkeypatch.setattr(learning, "track", track)
    learner = Learner()
    learning.learn(learner, [torch.tensor([3.0])] * 5, epochs=2)
    assert abs(float(learner.number.detach()) - 3) < 0.01
    assert shown == [f"training, epoch {n} of at most 2" for n in (1, 2)]


def test_one_thread_is_given_back() -> None:
    before = torch.get_num_threads()
    with learning.one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
