"""One page that shows saved runs: ``render_report``."""

from __future__ import annotations

from fabula.bench.report.page import render_report

__all__ = ["render_report"]
