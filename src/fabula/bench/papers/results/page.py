"""What was measured to a page of Markdown: an overview, the papers' tables, our own tasks.

The same files give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from string import ascii_lowercase
from typing import Any

from fabula.bench.papers.listing import measured
from fabula.bench.papers.render import cells, minutes, number
from fabula.bench.papers.results.runs import TableRun, table_runs
from fabula.bench.papers.runner import papers
from fabula.bench.papers.shape import Paper
from fabula.core.html import NOTHING, escape_markdown

__all__ = ["real_tables", "results_page"]

Json = Mapping[str, Any]

_HEAD = """# Results: published numbers and ours

Made by `make docs` from `summaries` (runs of `fabula reproduce`) and `measured` (benchmarks and
long trainings) in `src/fabula/bench/papers`; do not edit. Every number was measured on real texts;
runs on packaged text, which show only that a table can be made, are not on this page.

Intervals are 95 %, over the items of one test set. *inside*: the published number lies in our
interval. Letters give the reasons for a difference; reasons without a letter hold for the whole
table. Times are of one processor core, since the machine had other work. A command measures its
table again, given the [files](#data) it names; with `-o FOLDER` it goes on where it was stopped.
How to run the tables on your own corpora: [reproduce the five papers](guides/reproduce.md).
"""
_NAMES = {
    "cloze-evaluator": "Story Cloze evaluator",
    "ending-biases": "Ending biases",
    "event-cloze": "Event cloze",
    "story-salads": "Story salads",
    "text-ordering": "Text ordering",
}
_OWN = (
    "On parts that nothing was tuned on, unless a row says so; labelled by people, but for "
    "articles and reports whose source is the answer. The page of each task says more."
)
_WIDE = 12  # rows; a table without published numbers that is longer has a column a model


def results_page(
    told: Mapping[str, Json] | None = None, runs: Sequence[TableRun] | None = None
) -> str:
    """The page; without arguments, of the files of the package."""
    told = measured() if told is None else told
    runs = table_runs() if runs is None else runs
    lines = [_HEAD, *_overview(runs, told)]
    for name in papers:
        of_paper = [run for run in runs if run.paper == name]
        if of_paper:
            paper: Paper = papers.get(name)
            lines += [f"## {_NAMES.get(name, name)}", "", f"*{escape_markdown(paper.cite)}*", ""]
            for table, same in groupby(of_paper, key=lambda run: run.table):
                lines += [f"### {escape_markdown(paper.tables[table].title)}", ""]
                group = list(same)
                for run in group:
                    lines += _table(run, told, last=run is group[-1])
    lines += [*_tasks(told), *_weights(told), *_data(told)]
    return "\n".join(lines).rstrip("\n") + "\n"


# The overview


def _papers_tables() -> Iterator[tuple[str, str, list[str]]]:
    """Each table and figure as the papers count them: paper, name, its parts here."""
    for name in papers:
        parts: dict[str, list[str]] = {}
        for table in papers.get(name).tables:
            if table.startswith(("table", "figure")) and "-" not in table:
                parts.setdefault(table.rstrip(ascii_lowercase[:8]) or table, []).append(table)
        for whole, some in parts.items():
            yield name, whole, some


def real_tables(runs: Sequence[TableRun]) -> tuple[int, int]:
    """How many tables and figures of the papers were measured on real texts, and of how many."""
    done = {run.name for run in runs}
    every = list(_papers_tables())
    return sum(any(f"{name}.{p}" in done for p in some) for name, _, some in every), len(every)


def _overview(runs: Sequence[TableRun], told: Mapping[str, Json]) -> list[str]:
    real, every = real_tables(runs)
    lines = [
        "## Overview",
        "",
        f"{real} of the {every} tables and figures of the five papers were measured on real texts. "
        "Rows and columns whose corpus or model is not at hand are missing in them; the sizes are "
        "smaller than the papers', and each table says by how much.",
        "",
        "| paper | table | data | size | seeds | processor time |",
        "|---|---|---|---|---|---|",
    ]
    without = []
    for name, whole, some in _papers_tables():
        found = [run for run in runs if run.paper == name and run.table in some]
        shown = whole.replace("table", "Table ").replace("figure", "Figure ")
        if not found:
            without.append((f"{name}.{whole}", f"{_NAMES.get(name, name)}, {shown}", some))
        for run in found:
            files = ", ".join(map(_code, run.data))
            seeds = str(len(run.seeds))
            values = [_NAMES.get(name, name), shown, files, _size(run, told), seeds, _took(run)]
            lines.append(f"| {' | '.join(values)} |")
    lines += ["", "Not measured:", ""]
    reasons = told.get("not_run", {}).get("tables", {})
    for key, shown, some in without:
        paper = papers.get(key.partition(".")[0])
        why = reasons.get(key) or paper.tables[some[0]].missing or "not run yet"
        lines.append(f"- **{shown}** (`{key}`): {why}")
    return [*lines, ""]


# The papers' tables


def _table(run: TableRun, told: Mapping[str, Json], *, last: bool) -> list[str]:
    known = told.get("data_sets", {}).get("files", {})
    data = "; ".join(
        f"{_code(d)} ({known[d]['what']})" if d in known else _code(d) for d in run.data
    )
    seeds = ", ".join(map(str, run.seeds))
    lines = [
        f"{data}: {_size(run, told)}. Seed {seeds}; {_took(run)}; {run.date}.",
        "",
        "```sh",
        "# not run by the tests: it needs the files below",
        *run.commands,
        "```",
        "",
        *_rows(run),
        "",
    ]
    marks, general = _reasons(run)
    lines += [f"- {marks[name]}: {escape_markdown(run.reasons[name])}" for name in marks]
    lines += [f"- {escape_markdown(text)}" for text in (*general, *run.general)]
    if run.order:
        lines.append(f"- **Order of the models**: {escape_markdown(run.order)}")
    larger = told.get("not_run", {}).get("larger", {})
    if last and run.name in larger:
        lines.append(f"- **Not made yet**: {larger[run.name]}")
    return [*lines, ""]


def _took(run: TableRun) -> str:
    if run.processor is None:
        return "time not kept"
    return minutes(run.processor) if run.processor >= 0.5 else "under 1 s"


def _size(run: TableRun, told: Mapping[str, Json]) -> str:
    """What was used of the data, else all there is, and the settings that are not the paper's."""
    if run.summary:
        known = told.get("data_sets", {}).get("files", {})
        sizes = [known[name]["size"] for name in run.data if name in known]
        return escape_markdown("; ".join(filter(None, [*sizes, run.size])))
    return escape_markdown(run.size)


def _code(text: str) -> str:
    return f"`{text}`"


def _reasons(run: TableRun) -> tuple[dict[str, str], list[str]]:
    """A letter for each reason of single rows; and the reasons that all rows have."""
    explained = [row["why"] for row in run.rows if row["why"]]
    every = [name for name in run.reasons if all(name in why for why in explained)]
    single = [name for name in run.reasons if name not in (*every, "given")]
    general = [run.reasons[name] for name in every if name != "given"]  # the data is named above
    return dict(zip(single, ascii_lowercase, strict=False)), general


def _rows(run: TableRun) -> list[str]:
    rows = [_complete(row) for row in run.rows]
    if len(rows) > _WIDE and len(run.columns) > 1 and all(r["published"] is None for r in rows):
        return _crossed(run.columns, rows)
    marks, _ = _reasons(run)
    rows = [{**row, "why": [name for name in row["why"] if name in marks]} for row in rows]
    table = {"rows": rows, "reasons": {name: run.reasons[name] for name in marks}}
    head = [*run.columns, "published", "ours", "95 % interval", "difference"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(map(escape_markdown, row)) + " |" for row in cells(table)]


def _complete(row: Json) -> Json:
    """A row with its difference, where it was kept without."""
    if "difference" in row:
        return row
    published, low, high = row["published"], row["low"], row["high"]
    known = published is not None and row["ours"] is not None
    return {
        **row,
        "difference": row["ours"] - published if known else None,
        "inside": known and low is not None and low <= published <= high,
    }


def _crossed(columns: Sequence[str], rows: Sequence[Json]) -> list[str]:
    """One line for all that share their first labels, a column for each last label."""
    last = list(dict.fromkeys(row["labels"][-1] for row in rows))
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        shown = number(row["ours"], row["digits"])
        if row["low"] is not None:
            shown += f" [{number(row['low'], row['digits'])}, {number(row['high'], row['digits'])}]"
        lines.setdefault(tuple(row["labels"][:-1]), {})[row["labels"][-1]] = shown
    made = ["| " + " | ".join([*columns[:-1], *last]) + " |"]
    made.append("|" + "---|" * (len(columns) - 1 + len(last)))
    for labels, found in lines.items():
        values = [*labels, *(found.get(name, NOTHING) for name in last)]
        made.append("| " + " | ".join(map(escape_markdown, values)) + " |")
    return made


# Our own tasks, weights, data


def _tasks(told: Mapping[str, Json]) -> list[str]:
    tasks = sorted((t for t in told.values() if "task" in t), key=lambda t: t["place"])
    if not tasks:
        return []
    lines = ["## The product's own tasks", "", _OWN, ""]
    for task in tasks:
        lines += [f"### {task['task']}", "", f"`{task['command']}`, {task['date']}; "
                  f"[more]({task['page']}). {task['note']}", ""]  # fmt: skip
        lines.append("| data | size | metric | published | baseline | ours | 95 % interval |")
        lines.append("|---|---|---|---|---|---|---|")
        for row in task["rows"]:
            digits = row.get("digits", 3)
            interval = NOTHING
            if row.get("low") is not None:
                interval = f"{number(row['low'], digits)} to {number(row['high'], digits)}"
            values = [
                row["data"],
                row["size"],
                row["metric"],
                _named(row, "published", digits),
                _named(row, "baseline", digits),
                number(row["ours"], digits),
                interval,
            ]
            lines.append("| " + " | ".join(values) + " |")  # fmt: skip
        lines.append("")
    return lines


def _named(row: Json, key: str, digits: int) -> str:
    """A number and whose it is."""
    if row.get(key) is None:
        return NOTHING
    return f"{number(row[key], digits)} ({row[f'{key}_by']})"


def _weights(told: Mapping[str, Json]) -> list[str]:
    if "weights" not in told:
        return []
    lines = ["## The shipped weights", "", told["weights"]["note"], "",
             "| target | makes | run as it stands | the shipped bytes | processor time |",
             "|---|---|---|---|---|"]  # fmt: skip
    for row in told["weights"]["rows"]:
        took = minutes(row["processor"]) if row["processor"] is not None else NOTHING
        shown = [f"`make {row['target']}`", row["makes"], row["run"], row["bytes"], took]
        lines.append(f"| {' | '.join(shown)} |")
    return [*lines, ""]


def _data(told: Mapping[str, Json]) -> list[str]:
    if "data_sets" not in told:
        return []
    lines = [
        "## Data",
        "",
        told["data_sets"]["note"],
        "",
        "| file | what | size | from |",
        "|---|---|---|---|",
    ]
    for name, row in told["data_sets"]["files"].items():
        lines.append(f"| `{name}` | {row['what']} | {row['size']} | {row['from']} |")
    return [*lines, ""]
