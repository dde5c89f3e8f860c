"""The audit: run the probes, correct their p-values for all tests together, give a verdict."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.answer import Answer, without_nan
from fabula.audit.context import AuditContext, ComparisonFile
from fabula.audit.findings import ALPHA, Finding, Status
from fabula.audit.item_table import ItemTable
from fabula.audit.probe import Probe, as_probe
from fabula.audit.read import LIMIT, read_items, read_table
from fabula.core.progress import track
from fabula.core.stats import holm
from fabula.endings.formats.columns import Columns
from fabula.endings.items import Ending
from fabula.errors import UnknownName, UsageError
from fabula.registry import probes as registered
from fabula.text.io.records import items_of

__all__ = ["Audit", "audit", "correct_p_values", "run_probes"]

SLIGHT = 0.05  # of the range above chance: less is a slight leak
# The verdict by the lower bound of the largest gain over chance, as a share of what is above it.
LEVELS = {"strong": 0.3, "moderate": 0.1, "slight": 0.0}
_MINIMUM = 20  # items needed for a verdict

_log = logging.getLogger("fabula.audit")
Data = str | PathLike[str] | Iterable[Ending]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Answer):
    """The result of an audit; ``verdict`` is clean, slight, moderate, strong or unknown.

    ``LEVELS`` has their bounds; unknown means too few items.
    """

    name: str
    items: int
    tested: int
    rows: int
    verdict: str
    findings: tuple[Finding, ...]
    fingerprint: str
    seed: int
    tests: int
    seconds: float
    table: ItemTable = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)
    probes: Mapping[str, Probe] = field(default_factory=dict, repr=False)  # by finding's name

    @property
    def leaks(self) -> list[Finding]:
        """The findings that leak, largest gain over chance first."""
        return sorted((f for f in self.findings if f.found), key=_rank)

    @property
    def accuracy(self) -> float | None:
        """The accuracy of the options-only classifier, where it beats chance.

        If that probe was not run, of the best rule that was found without the context.
        """
        return max((f.accuracy for f in self._without_context() if f.accuracy), default=None)

    @property
    def decisive(self) -> Finding | None:
        """The verdict's reason: the largest lower bound of a gain over chance."""
        return _decisive(self.findings)

    def _without_context(self) -> list[Finding]:
        classifier = [f for f in self.findings if f.name == "options-only"]
        findings = classifier or [f for f in self.findings if f.covers_all_items]
        return [f for f in findings if f.found and f.accuracy is not None]

    def __getitem__(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise UnknownName("probe of this audit", name, [f.name for f in self.findings])

    def above(self, share: float) -> list[Finding]:
        """The finding whose accuracy without the context exceeds ``share``: a gate for CI.

        That of the options-only classifier; if it was not run, of the other rules.
        """
        return [f for f in self._without_context() if f.accuracy is not None and f.accuracy > share]

    def to_row(self) -> dict[str, Any]:
        from fabula import __version__

        return {
            "name": self.name,
            "items": self.items,
            "tested": self.tested,
            "rows": self.rows,
            "verdict": self.verdict,
            "accuracy": self.accuracy,
            "gain": _gain_row(self.decisive),
            "tests": self.tests,
            "probes": [finding.to_row() for finding in self.findings],
            "fingerprint": self.fingerprint,
            "seed": self.seed,
            "settings": dict(self.settings),
            "seconds": round(self.seconds, 2),
            "fabula": __version__,
        }

    def to_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = without_nan(self.to_row())
        return row

    def _rows(self) -> Iterable[dict[str, Any]]:
        """A row for each probe."""
        names = ("name", "status", "value", "low", "high", "chance", "p", "finding")
        return ({name: getattr(f, name) for name in names} for f in self.findings)

    def _summary(self) -> str:
        return f"{self.name}: {self.items:,} items, verdict {self.verdict}"


def audit(
    data: Data,
    *,
    against: Sequence[Data] = (),
    columns: Columns | None = None,
    gold_as: str | None = None,
    slices: Sequence[str] = (),
    probes: Sequence[str] | None = None,
    seed: int = 0,
    limit: int = LIMIT,
    sample: int = 20_000,
    parsed: int = 4_000,
    name: str | None = None,
) -> Audit:
    """Test whether a multiple-choice data set can be answered without reading its contexts.

    ``data`` is a file (see ``read_table``), ``Ending`` items, or rows (a ``datasets.Dataset``, a
    pandas frame), which are read by ``columns``; ``against`` are others to look for
    duplicates in. ``probes`` are names of the registry, all by default. ``sample`` limits the items
    a classifier is trained on, ``parsed`` the options that are parsed (0: none).

    >>> from fabula.endings.items import Ending
    >>> items = [Ending(str(i), (), (f"wrong {i}", f"right {i}"), 1) for i in range(40)]
    >>> audit(items, probes=["position"]).verdict
    'strong'
    """
    if isinstance(data, str | PathLike):
        table = read_table(
            data, columns, gold_as=gold_as, slices=tuple(slices), limit=limit, seed=seed
        )
        all_items = ItemTable(table.items, table.columns)
        problems, rows = table.problems, table.rows
        title = name or Path(data).name
    else:
        items = list(items_of(data, lambda path: read_items(path, columns, gold_as=gold_as)))
        all_items, problems, rows, title = ItemTable(items), [], len(items), name or "items"
        if not items:
            raise UsageError("there are no items to audit")
    compared = [
        _comparison(other, number, columns, gold_as) for number, other in enumerate(against, 1)
    ]
    context = AuditContext(
        all_items=all_items, problems=problems, comparison_files=compared, rows=rows, seed=seed,
        sample=sample, parsed=parsed,
    )  # fmt: skip
    return run_probes(context, probes, name=title)


def run_probes(
    context: AuditContext, names: Sequence[str] | None = None, *, name: str = "items"
) -> Audit:
    """Run the probes called ``names``, in this order, or all of them in their own."""
    started = time.monotonic()
    chosen = _probes(names)
    context.family = max(1, sum(probe.tests for probe in chosen))
    if not any(item.gold is not None for item in context.all_items.items):
        raise UsageError(
            f"{name}: no item has its right answer, so nothing can be tested; "
            "name the column with --gold"
        )
    findings = []
    for probe in track(chosen, "auditing"):
        if probe.tests and len(context.table) < _MINIMUM:
            said = f"Fewer than {_MINIMUM} items can be tested."
            findings.append(Finding(name=probe.name, finding=said, status="skipped"))
        else:
            findings.append(correct_p_values(probe(context), context.family))
    return Audit(
        name=name,
        items=len(context.all_items),
        tested=len(context.table),
        rows=context.rows or len(context.all_items),
        verdict=_verdict(findings, len(context.table)),
        findings=tuple(findings),
        fingerprint=context.all_items.fingerprint,
        seed=context.seed,
        tests=sum(_number_of_tests(f) for f in findings),
        seconds=time.monotonic() - started,
        table=context.table,
        settings={"sample": context.sample, "parsed": context.parsed, "family": context.family,
                  "against": [other.name for other in context.comparison_files]},
        probes={f.name: probe for f, probe in zip(findings, chosen, strict=True)},
    )  # fmt: skip


def correct_p_values(finding: Finding, family: int) -> Finding:
    """Correct p for the probe's checks (Holm) and for other probes (Bonferroni), set the status."""
    if finding.status is not None or not finding.checks:
        status: Status = finding.status or "ok"
        if status in ("leak", "slight", "note", "skipped"):
            return replace(finding, status=status)
        return finding.with_status(status, finding.p, finding.checks)
    within = holm([check.p for check in finding.checks], _number_of_tests(finding))
    corrected = [min(1.0, p * family) for p in within]
    checks = tuple(
        replace(check, corrected=p) for check, p in zip(finding.checks, corrected, strict=True)
    )
    p = min(corrected)
    if p > ALPHA:
        return finding.with_status("ok", p, checks)
    if finding.reads_context:
        return finding.with_status("note", p, checks)
    return finding.with_status("leak" if finding.gain >= SLIGHT else "slight", p, checks)


def _number_of_tests(finding: Finding) -> int:
    """All tests that were made, of which ``checks`` may list the strongest only."""
    return int(finding.detail.get("tests_made", len(finding.checks)))


def _verdict(findings: Sequence[Finding], tested: int) -> str:
    """The level of the largest gain over chance that is sure; any other finding is slight."""
    if not any(finding.found for finding in findings):
        return "clean" if tested >= _MINIMUM else "unknown"
    decisive = _decisive(findings)
    given = 0.0 if decisive is None or decisive.interval is None else decisive.interval[1]
    return next(level for level, least in LEVELS.items() if given >= least)


def _decisive(findings: Sequence[Finding]) -> Finding | None:
    found = [(f.interval[1], -n, f) for n, f in enumerate(findings) if f.found and f.interval]
    return max(found, default=(0.0, 0, None))[2]


def _gain_row(finding: Finding | None) -> dict[str, Any] | None:
    if finding is None or finding.interval is None:
        return None
    value, low, high = finding.interval
    return {"probe": finding.name, "value": value, "low": low, "high": high}


def _rank(finding: Finding) -> tuple[bool, float, float]:
    """A sort key: leaks before slight ones, then by gain over chance, or by the share of items."""
    given = finding.gain
    if finding.accuracy is None and finding.value_is_share:
        given = finding.value or 0.0
    return finding.status != "leak", -given, finding.p or 0.0


def _probes(names: Sequence[str] | None) -> list[Probe]:
    """The probes of these names, or all in the order they declare; undeclared ones by name."""
    if names is not None:
        return [as_probe(name, registered.get(name)) for name in names]
    every = [as_probe(name, registered.get(name)) for name in registered.names()]
    return sorted(every, key=lambda probe: probe.order)


def _comparison(
    data: Data, number: int, columns: Columns | None, gold_as: str | None
) -> ComparisonFile:
    if isinstance(data, str | PathLike):
        path = str(data)
        return ComparisonFile(Path(path).name, lambda: _items_of(path, columns, gold_as))
    items = list(items_of(data, lambda path: read_items(path, columns, gold_as=gold_as)))
    return ComparisonFile(f"items {number}", lambda: items)


def _items_of(path: str, columns: Columns | None, gold_as: str | None) -> Iterable[Ending]:
    """The items of a file, by these columns if they give any, else by columns guessed."""
    from fabula.errors import InputError

    if columns is not None:
        try:
            first = next(iter(read_items(path, columns, gold_as=gold_as)), None)
        except InputError as error:
            _log.info("%s; its columns are guessed instead", error)
            first = None
        if first is not None:
            return read_items(path, columns, gold_as=gold_as)
    return read_items(path)
