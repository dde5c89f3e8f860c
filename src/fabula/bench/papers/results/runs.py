"""Everything that was measured, as runs of tables: summaries and measured files to ``TableRun``.

A run of ``fabula reproduce`` is kept as the summary it writes (``summaries``). What another program
measured, a benchmark or a training of hours, is kept by hand in ``measured``: one JSON file a
table or task, one number a line, with its command and date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fabula.bench.papers.listing import measured, summaries
from fabula.bench.papers.runner import papers
from fabula.bench.papers.shape import Paper

__all__ = ["TableRun", "table_runs"]

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TableRun:
    """A table measured once: its rows as a summary keeps them, and what a reader needs to cite it.

    ``reasons`` explain by name the differences that rows refer to; ``general`` hold for all of
    them. ``processor`` is in seconds, None where nobody kept it.
    """

    paper: str
    table: str
    columns: Sequence[str]
    rows: Sequence[Json]
    reasons: Mapping[str, str]
    general: Sequence[str]
    data: Sequence[str]
    size: str
    seeds: Sequence[int]
    processor: float | None
    date: str
    commands: Sequence[str]
    summary: bool = True  # of a run of fabula reproduce; else measured by another program
    order: str = ""  # whether models rank as in the paper

    @property
    def name(self) -> str:
        return f"{self.paper}.{self.table}"


def table_runs(by_name: Mapping[str, Json] | None = None) -> list[TableRun]:
    """Every measured table of a paper, in the order of the papers and their tables."""
    made = [*_of_summaries(summaries() if by_name is None else by_name)]
    if by_name is None:
        made += _of_measured(measured())
    places = [f"{name}.{table}" for name in papers for table in papers.get(name).tables]
    return sorted(made, key=lambda run: places.index(run.name))


def _of_summaries(by_name: Mapping[str, Json]) -> Iterator[TableRun]:
    """Runs of one table that differ in their seed alone are joined: means, and widest intervals."""
    alike: dict[str, list[tuple[Json, Json]]] = {}
    for summary in by_name.values():
        if summary["preset"] != "full":
            continue  # a smoke test on packaged text says nothing about a model
        for table, result in summary["tables"].items():
            if any(row["ours"] is not None for row in result["rows"]):
                settings = [summary["paper"], table, summary["settings"], summary["corpora"]]
                key = json.dumps(settings, sort_keys=True)
                alike.setdefault(key, []).append((summary, {**result, "name": table}))
    for group in alike.values():
        yield _joined(group)


def _joined(group: Sequence[tuple[Json, Json]]) -> TableRun:
    summary, result = group[0]
    paper: Paper = papers.get(summary["paper"])
    table = paper.tables[result["name"]]
    seeds = [other["seed"] for other, _ in group]
    rows = [_mean(rows) for rows in zip(*(other["rows"] for _, other in group), strict=True)]
    # Words as the paper is read today; numbers as they were run.
    reasons = {name: paper.reasons.get(name, text) for name, text in result["reasons"].items()}
    changed = [f"{key}={summary['settings'][key]}" for key in summary["changed"]]
    return TableRun(
        paper=summary["paper"],
        table=result["name"],
        columns=table.columns,
        rows=rows,
        reasons=reasons,
        general=(*table.readings, *filter(None, ["; ".join(result["notes"])])),
        data=[*summary["corpora"].values()],
        size=", ".join(changed),
        seeds=seeds,
        processor=sum(other["processor"] for _, other in group),
        date=max(other["started"][:10] for other, _ in group),
        commands=[_command(summary, result["name"], seeds)],
    )


def _mean(rows: Sequence[Json]) -> Json:
    """One row of several seeds: the mean, from the lowest end of an interval to the highest."""
    values = [row["ours"] for row in rows]
    if len(rows) == 1 or not all(isinstance(value, int | float) for value in values):
        return rows[0]
    ends = {end: [row[end] for row in rows] for end in ("low", "high")}
    known = all(value is not None for some in ends.values() for value in some)
    return {
        **rows[0],
        "ours": sum(values) / len(values),
        "low": min(ends["low"]) if known else None,
        "high": max(ends["high"]) if known else None,
    }


def _command(summary: Json, table: str, seeds: Sequence[int]) -> str:
    corpora = [f"--corpus {role}={label}" for role, label in summary["corpora"].items()]
    settings = [f"--set {key}={_quoted(summary['settings'][key])}" for key in summary["changed"]]
    seed = ["--seed " + "|".join(map(str, seeds))] if list(seeds) != [0] else []
    return " ".join([f"fabula reproduce {summary['paper']}.{table}", *corpora, *settings, *seed])


def _quoted(value: Any) -> str:
    text = str(value)
    return f"'{text}'" if set(text) & set("|?*; ") else text


def _of_measured(by_name: Mapping[str, Json]) -> Iterator[TableRun]:
    for told in by_name.values():
        if "paper" not in told:
            continue
        yield TableRun(
            paper=told["paper"],
            table=told["table"],
            columns=papers.get(told["paper"]).tables[told["table"]].columns,
            rows=[{"low": None, "high": None, "why": [], **row} for row in told["rows"]],
            reasons={},
            general=told["reasons"],
            data=told["data"],
            size=told["size"],
            seeds=told["seeds"],
            processor=told["processor"],
            date=told["date"],
            commands=told["command"],
            summary=False,
            order=told.get("order", ""),
        )
