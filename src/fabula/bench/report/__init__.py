"""One page that shows saved runs: ``report``, ``render_report``."""

from __future__ import annotations

from fabula.bench.report.page import render_report, report

__all__ = ["render_report", "report"]
