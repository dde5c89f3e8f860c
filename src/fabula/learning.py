"""How torch models are trained: Lightning's loop, kept quiet, with fabula's own progress bars."""

from __future__ import annotations

import logging
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from fabula.errors import DamagedFile, MissingPart
from fabula.progress import track

__all__ = ["filled", "keep_back", "learn", "need_lightning", "need_torch", "one_thread"]

Item = TypeVar("Item")


def keep_back(
    items: Sequence[Item], seed: int, share: float = 0.05
) -> tuple[list[Item], list[Item]]:
    """The items to train on, and a random share of them to know when to stop.

    At least one is kept back; a single item has to do for both.
    """
    number = max(1, int(share * len(items)))
    kept = set(random.Random(seed).sample(range(len(items)), number))
    rest = [item for i, item in enumerate(items) if i not in kept]
    return rest or list(items), [items[i] for i in sorted(kept)]


def filled(network: Any, weights: Mapping[str, Any], name: str) -> Any:
    """The network with these weights (numpy arrays), for inference; ``name`` is for the error."""
    torch = need_torch()
    try:
        network.load_state_dict({key: torch.from_numpy(value) for key, value in weights.items()})
    except RuntimeError as error:
        raise DamagedFile(f"{name}: the weights do not fit: {error}") from error
    return network.eval()


def learn(
    learner: Any, training: Any, validating: Any = None, *, epochs: int, **options: Any
) -> None:
    """Fit a LightningModule on batches that know their number; ``options`` go to the Trainer."""
    lightning = need_lightning()
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    trainer = lightning.Trainer(
        max_epochs=epochs,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        enable_progress_bar=False,
        num_sanity_val_steps=0,
        **options,
    )
    with warnings.catch_warnings():
        # Lightning suggests worker processes for loading; the data is in memory already.
        warnings.simplefilter("ignore")
        trainer.fit(learner, _Shown(training, epochs), validating)


class _Shown:
    """Batches with a bar for each epoch."""

    def __init__(self, batches: Any, epochs: int) -> None:
        self.batches = batches
        self.epochs = epochs
        self.epoch = 0

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Any]:
        # A generator: Lightning makes iterators that it never reads, and they are no epochs.
        self.epoch += 1
        yield from track(self.batches, f"training, epoch {self.epoch} of at most {self.epochs}")


@contextmanager
def one_thread() -> Iterator[None]:
    """An LSTM goes word by word over small matrices: threads would mostly wait for each other."""
    torch = need_torch()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def need_torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingPart("torch", 'pip install "fabula[train]"') from error
    return torch


def need_lightning() -> Any:
    try:
        import lightning
    except ImportError as error:
        raise MissingPart("lightning", 'pip install "fabula[train]"') from error
    return lightning
