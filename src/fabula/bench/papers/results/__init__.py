"""The results page of the docs: published numbers beside ours, made from what was measured."""

from __future__ import annotations

from fabula.bench.papers.results.page import results_page

__all__ = ["results_page"]
