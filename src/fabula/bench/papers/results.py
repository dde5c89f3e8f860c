"""The results page of the docs, made from the committed summaries.

``python -m fabula.bench.papers.results docs/results.md`` writes it; ``--check`` says whether
it is up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from fabula.bench.papers.listing import summaries
from fabula.bench.papers.render import about_markdown, minutes, table_markdown
from fabula.bench.papers.runner import papers
from fabula.bench.papers.shape import Paper
from fabula.core.files import write_page

__all__ = ["results_page"]

_HEAD = """# Results: published numbers and ours

Made by `make docs` from the summaries in `src/fabula/bench/papers/summaries`; do not edit. How to
run these on your own corpora: [reproduce the five papers](guides/reproduce.md).

**Nothing here was run on a paper's own corpus at a paper's own size**, unless a section says so.
Quick runs use packaged text in place of the corpora, and networks of a few units that train for
seconds: they show that every table can be made, not how good a model is. The letters below each
table give the reasons for a difference. Intervals are 95 %; *inside* means that the published
number is inside our interval. The machine was busy with other work during these runs, so the
processor time is given.
"""


def results_page(summaries_by_name: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """The page as Markdown; the same summaries give the same bytes."""
    by_name = summaries() if summaries_by_name is None else summaries_by_name
    lines = [_HEAD, "## What was run", ""]
    lines += ["| run | paper | settings | processor time | date |", "|---|---|---|---|---|"]
    for name, summary in by_name.items():
        changed = ", ".join(f"{key}={summary['settings'][key]}" for key in summary["changed"])
        said = f"{summary['preset']}{f', with {changed}' if changed else ''}".replace("|", "\\|")
        lines.append(
            f"| [{name}](#{name}) | {summary['paper']} | {said} | "
            f"{minutes(summary['processor'])} | {summary['started'][:10]} |"
        )
    lines += ["", *_never(), ""]
    for name, summary in by_name.items():
        lines += [f"## {name}", "", f"*{summary['title']}*", "", *about_markdown(summary), ""]
        paper: Paper = papers.get(summary["paper"])
        for key, table in summary["tables"].items():
            lines += table_markdown(_as_read_now(paper, key, table), 3)
    return "\n".join(lines).rstrip("\n") + "\n"


def _as_read_now(paper: Paper, key: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """A table with its numbers as they were run, and its words as the paper is read today."""
    readings = paper.tables[key].readings if key in paper.tables else table["readings"]
    reasons = {name: paper.reasons.get(name, text) for name, text in table["reasons"].items()}
    return {**table, "readings": list(readings), "reasons": reasons}


def _never() -> list[str]:
    """What nobody can run."""
    lines = []
    for name in papers:
        paper: Paper = papers.get(name)
        for key, table in paper.tables.items():
            if table.run is None:
                lines.append(f"Not reproducible: `{name}.{key}`, because {table.missing}.")
    return lines


if __name__ == "__main__":
    raise SystemExit(write_page(sys.argv[1:], results_page(), "the summaries"))
