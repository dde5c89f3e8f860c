"""Gradients of a batch by several processes."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from fabula.core.training import one_thread  # noqa: E402
from fabula.pairs.models.cross_encoder.workers import GradientWorkers  # noqa: E402

STEPS = [[1.0, 2.0, 3.0], [4.0], [0.5, 1.5]]


def _gradients(count: int) -> list[float]:
    with one_thread():
        torch.manual_seed(0)
        net = torch.nn.Linear(1, 1)

        def loss(net, items):
            return (net(torch.tensor(items)[:, None]) ** 2).sum()

        workers = GradientWorkers(net, loss, STEPS, count=count, seed=0)
        found = []
        for step in range(len(STEPS)):
            workers.gradients(step)
            found += [float(p.grad.sum()) for p in net.parameters()]
            with torch.no_grad():
                net.weight += 0.1  # a worker sees what the optimiser wrote
        workers.close()
        return found


def test_two_processes_give_the_gradients_of_one():
    assert _gradients(2) == pytest.approx(_gradients(1), rel=1e-5)
