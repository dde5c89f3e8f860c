"""Run a paper's tables: published and measured numbers, with reasons for differences."""

from __future__ import annotations

import json
import logging
import math
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.answer import Answer, without_nan
from fabula.bench.papers.corpora import Corpus, choose_corpora, describe
from fabula.bench.papers.shape import Paper, Row, Table, TableResult
from fabula.bench.papers.work import Work
from fabula.bench.runs.machine import machine, versions
from fabula.core.cell_store import cell_name
from fabula.core.files import cache_folder, write_text
from fabula.errors import FabulaError, MissingPart, UnknownName, UsageError
from fabula.registry import Registry

__all__ = ["PRESETS", "Outcome", "Reproduced", "find", "papers", "reproduce"]

papers = Registry(
    "paper",
    {
        "cloze-evaluator": "fabula.bench.papers.cloze_evaluator:PAPER",
        "ending-biases": "fabula.bench.papers.ending_biases:PAPER",
        "event-cloze": "fabula.bench.papers.event_cloze:PAPER",
        "story-salads": "fabula.bench.papers.story_salads:PAPER",
        "text-ordering": "fabula.bench.papers.text_ordering:PAPER",
    },
    "fabula.papers",
)
_log = logging.getLogger("fabula.bench")
PRESETS = ("full", "quick", "tiny")
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """One table's measured result. ``reasons`` explain the names in its rows' ``why``."""

    table: Table
    result: TableResult
    reasons: Mapping[str, str]
    seconds: float
    processor: float = 0.0  # CPU seconds, which other load on the machine does not change
    not_run: str = ""

    def to_row(self) -> dict[str, Any]:
        """JSON values; figures are left out, they are files of their own."""
        return {
            "title": self.table.title,
            "columns": list(self.table.columns),
            "rows": [_row(row) for row in self.result.rows],
            "reasons": dict(self.reasons),
            "readings": list(self.table.readings),
            "notes": list(self.result.notes),
            "not_run": self.not_run,
            "seconds": round(self.seconds, 1),
            "processor": round(self.processor, 1),
        }


@dataclass(frozen=True, slots=True)
class Reproduced(Answer):
    """A paper, or some of its tables, run once: all that a results page needs to say."""

    name: str
    paper: Paper
    preset: str
    settings: Mapping[str, Any]
    corpora: Mapping[str, str]
    tables: Mapping[str, Outcome]
    seed: int
    started: str
    machine: Mapping[str, Any] = field(default_factory=machine)
    versions: Mapping[str, str] = field(default_factory=versions)
    failed: bool = False  # a table could not be made, or the run was stopped

    @property
    def seconds(self) -> float:
        return sum(outcome.seconds for outcome in self.tables.values())

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = without_nan(self.to_row())
        return row

    def _rows(self) -> Iterable[dict[str, Any]]:
        """A row for each number of each table, published and ours."""
        for name, outcome in self.tables.items():
            for row in outcome.result.rows:
                labels = dict(zip(outcome.table.columns, row.labels, strict=False))
                numbers = {key: value for key, value in _row(row).items() if key != "labels"}
                yield {"table": name, **labels, **numbers}

    def _summary(self) -> str:
        not_run = [name for name, outcome in self.tables.items() if outcome.not_run]
        left_out = f"; not run: {', '.join(not_run)}" if not_run else ""
        return f"{self.paper.title}, {self.preset}{left_out}"

    def to_row(self) -> dict[str, Any]:
        """The summary that can be kept and committed."""
        return {
            "format": FORMAT,
            "paper": self.name,
            "title": self.paper.title,
            "preset": self.preset,
            "changed": _changed(self.paper, self.preset, self.settings),
            "settings": dict(self.settings),
            "corpora": dict(self.corpora),
            "tables": {name: outcome.to_row() for name, outcome in self.tables.items()},
            "seed": self.seed,
            "started": self.started,
            "seconds": round(self.seconds, 1),
            "processor": round(sum(o.processor for o in self.tables.values()), 1),
            "machine": dict(self.machine),
            "versions": dict(self.versions),
        }


def find(name: str) -> tuple[str, Paper, list[str]]:
    """``event-cloze`` or ``event-cloze.table1``: the paper's name, the paper, its tables."""
    which, _, wanted = name.partition(".")
    paper: Paper = papers.get(which)
    if not wanted:
        return which, paper, list(paper.tables)
    # table3 is table3a and table3b.
    parts = [name for name in paper.tables if name[:-1] == wanted and name[-1].isalpha()]
    chosen = [wanted] if wanted in paper.tables else parts
    if not chosen:
        raise UnknownName(f"table of {which}", wanted, paper.tables)
    return which, paper, chosen


def reproduce(
    name: str,
    corpus: Iterable[str] = (),
    *,
    quick: bool = False,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    folder: str | PathLike[str] | None = None,
    force: bool = False,
) -> Reproduced:
    """Run a paper (``event-cloze``), or one of its tables (``event-cloze.table1``).

    ``corpus`` are texts ``ROLE=PATH``. ``quick`` takes few items, tiny networks and, for roles
    without a corpus, packaged text; otherwise the sizes are the paper's. ``settings`` change single
    sizes. With ``folder`` every measurement is stored there, and another call resumes from it;
    without, they are kept in fabula's cache until the run is finished. ``force`` measures models
    on items they were trained on, too.

    A table that cannot be made says why, and the others are made; only if none can be is the error
    raised. Ctrl-C ends the run with the tables made so far.
    """
    which, paper, chosen = find(name)
    preset = preset or ("quick" if quick else "full")
    if preset not in PRESETS:
        raise UnknownName("preset", preset, PRESETS)
    wanted = {role for table in chosen for role in paper.tables[table].needs}
    needs = [need for need in paper.needs if need.role in wanted] or list(paper.needs)
    corpora = choose_corpora(paper.needs, corpus, quick=preset != "full", name=which)
    if not set(corpora) & {need.role for need in needs}:
        raise UsageError(
            f"{name} needs --corpus {' or '.join(need.role for need in needs)}=PATH; "
            f"given: {', '.join(corpora)}"
        )
    values = _settings(paper, which, preset, settings or {})
    started = datetime.now(UTC).isoformat(timespec="seconds")
    kept = _kept_folder(which, values, corpora, seed) if folder is None else Path(folder)
    work = Work(which, values, corpora, seed=seed, folder=kept, force=force)
    tables: dict[str, Outcome] = {}
    errors: list[Exception] = []
    try:
        for table in chosen:
            tables[table] = _run(paper, table, work, errors)
    except KeyboardInterrupt:
        for table in chosen:
            said = f"stopped; run it again to go on (kept in {kept})"
            tables.setdefault(table, _not_run(paper, table, said))
        _log.warning("stopped: the measurements so far are kept in %s", kept)
    finally:
        work.close()
    stopped = any(outcome.not_run.startswith("stopped;") for outcome in tables.values())
    if errors and not any(outcome.result.rows for outcome in tables.values()):
        raise errors[0]
    if folder is None and not stopped and not errors:
        shutil.rmtree(kept, ignore_errors=True)  # nothing is left of a finished run
    used = {role: text for role, text in describe(corpora).items() if role in wanted}
    done = Reproduced(
        which, paper, preset, values, used, tables, seed, started, failed=stopped or bool(errors)
    )
    if folder is not None:
        _write(done, Path(folder))
    return done


def _kept_folder(
    name: str, values: Mapping[str, Any], corpora: Mapping[str, Corpus], seed: int
) -> Path:
    """Where a run without a folder keeps its measurements until it is finished."""
    roles = {role: corpus.identity for role, corpus in corpora.items()}
    return cache_folder() / "papers" / cell_name(name, [dict(values), roles, seed])


def _not_run(paper: Paper, name: str, why: str) -> Outcome:
    return Outcome(paper.tables[name], TableResult(()), {}, 0.0, not_run=why)


def _settings(paper: Paper, name: str, preset: str, changed: Mapping[str, Any]) -> dict[str, Any]:
    values = {key: getattr(setting, preset) for key, setting in paper.settings.items()}
    for key, value in changed.items():
        if key not in values:
            raise UnknownName(f"setting of {name}", key, values)
        values[key] = value
    return values


def _changed(paper: Paper, preset: str, values: Mapping[str, Any]) -> list[str]:
    """The settings that are not the preset's."""
    return [key for key, s in paper.settings.items() if values[key] != getattr(s, preset)]


def _run(paper: Paper, name: str, work: Work, errors: list[Exception]) -> Outcome:
    from fabula.core.progress import track

    table = paper.tables[name]
    if table.run is None:
        return _not_run(paper, name, table.missing)
    here = [work.corpora[role] for role in table.needs if role in work.corpora]
    if table.needs and not here:
        wanted = " or ".join(f"--corpus {role}=PATH" for role in table.needs)
        return _not_run(paper, name, f"no corpus: {wanted}")
    started, processor = time.monotonic(), time.process_time()
    measured, not_run = TableResult(()), ""
    try:
        for run in track([table.run], table.title):
            measured = run(work)
    except MissingPart as error:
        not_run = str(error)
    except Exception as error:  # one table must not take the others' hours with it
        if not isinstance(error, FabulaError):
            _log.error("%s failed: %s: %s", name, type(error).__name__, error)
            _log.debug("", exc_info=True)
        errors.append(error)
        not_run = str(error) if isinstance(error, FabulaError) else f"failed: {error!r}"
    except KeyboardInterrupt:  # the time spent is stored with the cells already measured
        spent = time.monotonic() - started, time.process_time() - processor
        work.took(name, *spent, finished=False)
        raise
    general = dict(_general(paper, table, here, work))
    rows = tuple(_with(row, (*general, *table.base)) for row in measured.rows)
    used = {name for row in rows for name in row.why}
    reasons = {name: text for name, text in {**general, **paper.reasons}.items() if name in used}
    result = TableResult(rows, measured.notes, measured.figures)
    spent = work.took(name, time.monotonic() - started, time.process_time() - processor)
    return Outcome(table, result, reasons, *spent, not_run)


def _general(
    paper: Paper, table: Table, here: list[Corpus], work: Work
) -> Iterator[tuple[str, str]]:
    """Reasons that apply to any paper: another corpus, other settings than the paper's."""
    standins = [c for c in here if c.stands_in]
    given = [c for c in here if not c.stands_in]
    if standins:
        roles = ", ".join(f"{c.role} is {c.label}" for c in standins)
        yield "corpus", f"packaged text stands in for the paper's corpus: {roles}"
    if given:
        roles = ", ".join(f"{c.role} is {c.label}" for c in given)
        yield "given", f"run on the corpus that was passed ({roles}), which may not be the paper's"
    other = _changed(paper, "full", work.settings)
    other = [key for key in other if not table.uses or key in table.uses]
    if other:
        roles = ", ".join(f"{key} {_said(work[key], paper.settings[key].full)}" for key in other)
        yield "size", f"sizes are not the paper's: {roles}"


def _said(value: Any, full: Any) -> str:
    return f"{value}" if full is None else f"{'all' if value is None else value} for {full}"


def _with(row: Row, reasons: tuple[str, ...]) -> Row:
    from dataclasses import replace

    if row.difference is None and not isinstance(row.published, str):
        return row  # nothing to explain
    return replace(row, why=tuple(dict.fromkeys((*row.why, *reasons))))


def _row(row: Row) -> dict[str, Any]:
    """A row as JSON values; NaN and infinity become None."""
    numbers = {
        "published": row.published,
        "ours": row.ours,
        "low": row.low,
        "high": row.high,
        "difference": row.difference,
    }
    return {
        "labels": list(row.labels),
        **{
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in numbers.items()
        },
        "inside": row.inside,
        "why": list(row.why),
        "digits": row.digits,
    }


def _write(done: Reproduced, folder: Path) -> None:
    """The summary, both pages and the figures."""
    from fabula.bench.papers.render import html, markdown

    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(done.to_row(), indent=1, ensure_ascii=False, allow_nan=False)
    for table, outcome in done.tables.items():
        for name, figure in outcome.result.figures.items():
            write_text(folder / f"{table}-{name}.svg", figure.rstrip("\n") + "\n")
    write_text(folder / "results.md", markdown(done.to_row()))
    write_text(folder / "results.html", html(done))
    write_text(folder / "summary.json", text + "\n")
