"""List every table and figure: corpora needed, stand-ins, measured run time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from fabula.bench.papers.corpora import STANDINS
from fabula.bench.papers.render import minutes
from fabula.bench.papers.runner import papers
from fabula.bench.papers.shape import Need, Paper

__all__ = ["listing", "measured", "summaries"]

_FULL = "never run here at the paper's sizes"


def summaries() -> dict[str, dict[str, Any]]:
    """The committed summaries by name: what was run, on which machine, when."""
    return dict(_stored("summaries"))


def measured() -> dict[str, dict[str, Any]]:
    """What other programs measured, by name: benchmarks, trainings, times of quick runs."""
    return dict(_stored("measured"))


def _stored(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    found = (files("fabula.bench.papers") / folder).iterdir()
    names = {file.name.removesuffix(".json"): file for file in found if file.name.endswith(".json")}
    for name, file in sorted(names.items()):
        yield name, json.loads(file.read_text(encoding="utf-8"))


def listing() -> dict[str, dict[str, Any]]:
    """Each paper's tables, corpora and full settings, as JSON values."""
    by_name = summaries()
    return {name: _paper(name, papers.get(name), by_name) for name in papers}


def _paper(name: str, paper: Paper, by_name: dict[str, dict[str, Any]]) -> dict[str, Any]:
    took = measured()["quick"]["processor"].get(name, {})
    return {
        "title": paper.title,
        "cite": paper.cite,
        "tables": {
            key: {
                "title": table.title,
                "needs": list(table.needs),
                "quick": _quick(table.missing, took.get(key)),
                "seconds": took.get(key),
                "reproducible": table.run is not None,
                "why_not": table.missing,
            }
            for key, table in paper.tables.items()
        },
        "corpora": dict(_corpora(paper.needs)),
        "full": {key: setting.full for key, setting in paper.settings.items()},
        "full_time": _full(name, by_name),
    }


def _quick(missing: str, seconds: float | None) -> str:
    if missing:
        return "not reproducible"
    return "not timed" if seconds is None else f"{minutes(seconds)} of processor time"


def _full(name: str, by_name: dict[str, dict[str, Any]]) -> str:
    """Which tables were run at the paper's sizes, on which corpora, and their CPU time."""
    runs = [
        f"{table} on {', '.join(summary['corpora'].values())} ({minutes(result['processor'])})"
        for summary in by_name.values()
        if summary["paper"] == name and summary["preset"] == "full" and not summary["changed"]
        for table, result in summary["tables"].items()
        if result["rows"]
    ]
    return f"run here: {'; '.join(runs)}; nothing else" if runs else _FULL


def _corpora(needs: tuple[Need, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    for need in needs:
        standin_text = "nothing stands in"
        if need.standin:
            standin_text = f"--quick: {need.standin}, {STANDINS[need.standin]}"
        yield need.role, {"what": need.what, "standin": standin_text, "name": need.standin}
