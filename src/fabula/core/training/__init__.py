"""Training of all torch models: the loop, what it runs on, and how it goes on after a stop."""

from __future__ import annotations

from fabula.core.training.checkpoint import resumable
from fabula.core.training.loop import (
    Development,
    Devices,
    Epoch,
    TrackedBatches,
    Trained,
    filled,
    has_halves,
    is_first,
    keep_back,
    need_lightning,
    need_torch,
    on_devices,
    one_thread,
    recorded_epochs,
    train,
)

__all__ = [
    "Development",
    "Devices",
    "Epoch",
    "TrackedBatches",
    "Trained",
    "filled",
    "has_halves",
    "is_first",
    "keep_back",
    "need_lightning",
    "need_torch",
    "on_devices",
    "one_thread",
    "recorded_epochs",
    "resumable",
    "train",
]
