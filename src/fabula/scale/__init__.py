"""Where steps run: in one process as rows come, or over shards, here or on a Ray cluster."""

from __future__ import annotations

from fabula.scale.engines import ENGINES, Engine
from fabula.scale.in_process import InProcess, Stream
from fabula.scale.plan import Plan, Report, run_step, shard_rows
from fabula.scale.shards import Shards, is_shards

__all__ = [
    "ENGINES", "Engine", "InProcess", "Plan", "Report", "Shards", "Stream", "is_shards", "run_step",
    "shard_rows",
]  # fmt: skip
