"""A run of a paper as Markdown, as HTML and as cells for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any

from fabula.bench.papers.runner import Reproduced
from fabula.core.html import NOTHING, escape_markdown, format_number, render_template

__all__ = [
    "HEAD",
    "about",
    "about_markdown",
    "cells",
    "html",
    "legend",
    "markdown",
    "minutes",
    "number",
    "table_markdown",
]

HEAD = ("published", "ours", "95 % interval", "difference explained")


def number(value: float | str | None, digits: int) -> str:
    """A number of a table; a text as it is, a dash for nothing, 1.0e-54 for what is not zero."""
    if isinstance(value, str):
        return value
    if value is not None and abs(value) >= 1000:
        return f"{value:,.0f}"
    if value and abs(value) < 0.5 * 10**-digits:  # a p-value of 1e-54 is not zero
        return f"{value:.1e}"
    return format_number(value, digits)


def _letters(table: Mapping[str, Any]) -> dict[str, str]:
    """A letter for each reason of a table."""
    return dict(zip(table["reasons"], ascii_lowercase, strict=False))


def cells(table: Mapping[str, Any]) -> list[list[str]]:
    """The rows of a table (as a summary keeps it) as text."""
    marks = _letters(table)
    return [
        [
            *row["labels"],
            number(row["published"], row["digits"]),
            number(row["ours"], row["digits"]),
            _interval(row),
            _difference(row, marks),
        ]
        for row in table["rows"]
    ]


def _interval(row: Mapping[str, Any]) -> str:
    if row["low"] is None or row["high"] is None:
        return NOTHING
    return f"{number(row['low'], row['digits'])} to {number(row['high'], row['digits'])}"


def _difference(row: Mapping[str, Any], marks: Mapping[str, str]) -> str:
    said = " ".join(sorted(marks[name] for name in row["why"] if name in marks))
    if row["difference"] is None:
        return said or NOTHING
    sign = "+" if row["difference"] > 0 else ""
    value = f"{sign}{number(row['difference'], row['digits'])}"
    return f"{value}{', inside' if row['inside'] else ''} {said}".strip()


def legend(table: Mapping[str, Any]) -> list[str]:
    """What stands below a table: reasons by letter, how the paper is read, notes."""
    marks = _letters(table)
    lines = [f"{marks[name]}: {text}" for name, text in table["reasons"].items()]
    if any(row["inside"] for row in table["rows"]):
        lines.append("inside: the published number lies in our interval")
    lines += [f"Open in the paper: {text}" for text in table["readings"]]
    return [*lines, *table["notes"]]


def table_markdown(table: Mapping[str, Any], level: int = 2) -> list[str]:
    """One table with its legend, under a heading of the level."""
    lines = [f"{'#' * level} {escape_markdown(table['title'])}", ""]
    if table["not_run"]:
        lines += [f"Not run: {escape_markdown(table['not_run'])}", ""]
    if table["rows"]:
        head = [*table["columns"], *HEAD]
        lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        lines += ["| " + " | ".join(map(escape_markdown, row)) + " |" for row in cells(table)]
        lines.append("")
    if table["rows"] or not table["not_run"]:
        lines += [f"- {escape_markdown(line)}" for line in legend(table)]
    return [*lines, ""]


def markdown(summary: Mapping[str, Any]) -> str:
    """A summary as one page."""
    lines = [f"# {summary['title']}", "", *about_markdown(summary), ""]
    for table in summary["tables"].values():
        lines += table_markdown(table)
    return "\n".join(lines).rstrip("\n") + "\n"


def about(summary: Mapping[str, Any]) -> list[str]:
    """What was run, where and when, as lines of plain text."""
    told = summary["machine"]
    changed = ", ".join(f"{key}={summary['settings'][key]}" for key in summary["changed"])
    corpora = "; ".join(f"{role}: {text}" for role, text in summary["corpora"].items())
    return [
        f"Settings: {summary['preset']}{f', with {changed}' if changed else ''}; "
        f"seed {summary['seed']}",
        f"Corpora: {corpora or 'none'}",
        f"Run {summary['started'][:10]} in {minutes(summary['seconds'])} "
        f"({minutes(summary['processor'])} of processor time) on "
        f"{told['platform']}, {told['processor']}, {told['cpus']} cores; "
        f"fabula {summary['versions']['fabula']}",
    ]


def about_markdown(summary: Mapping[str, Any]) -> list[str]:
    """What was run, where and when, as a Markdown list."""
    return [f"- {escape_markdown(line)}" for line in about(summary)]


def minutes(seconds: float | None) -> str:
    """Seconds as minutes, in words; of a run that was resumed the time is not known."""
    if seconds is None:
        return "a time not known"
    if seconds < 6000:
        return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def html(done: Reproduced) -> str:
    """One page that needs nothing but itself."""
    summary = done.to_row()
    tables = [_shown(done, name, table) for name, table in summary["tables"].items()]
    return render_template(
        "fabula.bench.papers",
        "page.html.j2",
        title=summary["title"],
        about=about(summary),
        head=HEAD,
        tables=tables,
    )


def _shown(done: Reproduced, name: str, table: Mapping[str, Any]) -> dict[str, Any]:
    figures: Sequence[str] = list(done.tables[name].result.figures.values())
    return {**table, "cells": cells(table), "legend": legend(table), "figures": figures}
