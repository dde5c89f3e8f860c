"""The index page of a corpus: stories in, one self-contained HTML file out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fabula.core.files import write_text
from fabula.core.html import counted, render_template

__all__ = ["index_page", "write_page"]

_SHOWN = 3_000  # stories on the page; all are in stories.parquet


def write_page(
    folder: Path, stories: Sequence[Mapping[str, Any]], report: Mapping[str, Any]
) -> None:
    """Write ``index.html``."""
    write_text(folder / "index.html", index_page(stories, report, folder=folder.name))


def index_page(
    stories: Sequence[Mapping[str, Any]], report: Mapping[str, Any], *, folder: str,
    account: str | None = None,
) -> str:  # fmt: skip
    """The page; ``account`` is the start of the address at which a server makes accounts."""
    shown = [{**story, "span": _span(story)} for story in stories[:_SHOWN]]
    several = [story for story in stories if story["documents"] > 1]
    dates = sorted(
        day for story in stories for day in (story["first_date"], story["last_date"]) if day
    )
    return render_template(
        "fabula.assembly.corpus", "page.html",
        stories=shown, left=len(stories) - len(shown), folder=folder, account=account,
        largest=max((story["documents"] for story in stories), default=1),
        figures=[
            (f"{report['distinct'] + report['copies']:,}", "documents"),
            (f"{len(stories):,}", "stories"),
            (f"{len(several):,}", "of several documents"),
            (f"{report['copies']:,}", "near copies folded"),
        ],
        span=_span({"first_date": dates[0], "last_date": dates[-1]}) if dates else "",
        aside=report["skipped"], aside_text=counted(report["skipped"], "document"),
        seconds=sum(report["seconds"].values()),
        filters={"counted": counted},
    )  # fmt: skip


def _span(story: Mapping[str, Any]) -> str:
    first, last = story["first_date"], story["last_date"]
    return "" if not first else first if first == last else f"{first} – {last}"
