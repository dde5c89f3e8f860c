"""Where steps run: the same shards on one machine or on a Ray cluster."""

from __future__ import annotations

from fabula.scale.plan import Report, run_step, shard_rows

__all__ = ["Report", "run_step", "shard_rows"]
