"""Where steps run: the same shards on one machine or on a Ray cluster."""

from __future__ import annotations

from fabula.scale.engines import ENGINES, Engine
from fabula.scale.plan import Plan, Report, run_step, shard_rows
from fabula.scale.shards import Shards, is_shards

__all__ = ["ENGINES", "Engine", "Plan", "Report", "Shards", "is_shards", "run_step", "shard_rows"]
