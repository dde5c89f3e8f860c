"""Gradients of a batch by several processes: each takes its share of the items of every step.

The weights are in shared memory, so that a worker reads what the optimiser wrote; it answers with
the gradients of its share in shared memory too. For one and the same number of workers the sums are
the same in every run.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from fabula.core.training import need_torch

__all__ = ["GradientWorkers"]

Item = TypeVar("Item")


class GradientWorkers:
    """The calling process and ``count - 1`` others; ``loss`` gives the summed loss of items."""

    def __init__(
        self,
        net: Any,
        loss: Callable[[Any, Sequence[Item]], Any],
        steps: Sequence[Sequence[Item]],
        *,
        count: int,
        seed: int,
    ) -> None:
        self._net, self._loss, self._steps = net, loss, steps
        self._count, self._seed = count, seed
        self._others: list[tuple[Connection, list[Any]]] = []
        if count < 2:
            return
        torch = need_torch()
        net.share_memory()
        context = multiprocessing.get_context("fork")  # the items need not be sent
        for number in range(1, count):
            gradients = [torch.zeros_like(p).share_memory_() for p in net.parameters()]
            ours, theirs = context.Pipe()
            context.Process(
                target=self._serve, args=(number, ours, theirs, gradients), daemon=True
            ).start()
            theirs.close()
            self._others.append((ours, gradients))

    def gradients(self, step: int) -> float:
        """Put the gradients of a step's mean loss on the parameters; the loss of this share."""
        for connection, _ in self._others:
            connection.send(step)
        loss = self._backward(0, step)
        for connection, gradients in self._others:
            connection.recv()
            for parameter, other in zip(self._net.parameters(), gradients, strict=True):
                if parameter.grad is None:
                    parameter.grad = other.clone()
                else:
                    parameter.grad += other
        return loss

    def close(self) -> None:
        for connection, _ in self._others:
            connection.send(None)

    def _serve(
        self, number: int, ours: Connection, connection: Connection, gradients: list[Any]
    ) -> None:
        """Answer until told to stop, or until the process that asks has ended."""
        for other in (ours, *(one for one, _ in self._others)):
            other.close()  # copies of the asking process's ends, which would keep them open
        while (step := _received(connection)) is not None:
            self._backward(number, step)
            for parameter, gradient in zip(self._net.parameters(), gradients, strict=True):
                gradient.zero_() if parameter.grad is None else gradient.copy_(parameter.grad)
            connection.send(step)

    def _backward(self, number: int, step: int) -> float:
        """Backpropagate the share of one worker, whose dropout has a seed of its own."""
        need_torch().manual_seed((self._seed * 1_000_003 + step) * self._count + number)
        items = self._steps[step]
        share = items[number :: self._count]
        self._net.zero_grad(set_to_none=True)
        if not share:
            return 0.0
        loss = self._loss(self._net, share)
        (loss / len(items)).backward()
        return float(loss.detach()) / len(share)


def _received(connection: Connection) -> int | None:
    try:
        step: int | None = connection.recv()
    except EOFError:
        return None
    return step
