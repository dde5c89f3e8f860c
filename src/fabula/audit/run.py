"""The audit: every probe on one case, corrected for all tests together, and a verdict."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from fabula.audit.context import Case, Other
from fabula.audit.findings import ALPHA, Finding, Status
from fabula.audit.item_table import Sheet
from fabula.audit.probe import Probe, as_probe
from fabula.audit.read import LIMIT, read_items, read_table
from fabula.core.progress import track
from fabula.core.stats import holm
from fabula.endings.formats.columns import Columns
from fabula.endings.items import Ending
from fabula.errors import UnknownName, UsageError
from fabula.registry import probes as registered

__all__ = ["Audit", "audit", "run_probes", "settle"]

SLIGHT = 0.05  # of the room above chance: less is a slight leak
_ENOUGH = 20  # items below which nothing can be said

Data = str | PathLike[str] | Iterable[Ending]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What an audit found. ``verdict`` is clean, slight, leaks or unknown (too few items)."""

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
    sheet: Sheet = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)
    probes: Mapping[str, Probe] = field(default_factory=dict, repr=False)  # by finding's name

    @property
    def leaks(self) -> list[Finding]:
        """The findings that leak, those that give away most first."""
        return sorted((f for f in self.findings if f.found), key=_rank)

    @property
    def accuracy(self) -> float | None:
        """The best share of right answers a rule without the context was shown to get."""
        leaks = [f for f in self.leaks if f.covers_all_items]
        return max((f.accuracy for f in leaks if f.accuracy is not None), default=None)

    def __getitem__(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise UnknownName("probe of this audit", name, [f.name for f in self.findings])

    def above(self, share: float) -> list[Finding]:
        """The findings of more than so many right answers without the context: a CI gate."""
        return [f for f in self.leaks if f.accuracy is not None and f.accuracy > share]

    def to_row(self) -> dict[str, Any]:
        from fabula import __version__

        return {
            "name": self.name,
            "items": self.items,
            "tested": self.tested,
            "rows": self.rows,
            "verdict": self.verdict,
            "accuracy": self.accuracy,
            "tests": self.tests,
            "probes": [finding.to_row() for finding in self.findings],
            "fingerprint": self.fingerprint,
            "seed": self.seed,
            "settings": dict(self.settings),
            "seconds": round(self.seconds, 2),
            "fabula": __version__,
        }


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
    """Does a multiple-choice data set give its answers away?

    ``data`` is a file (see ``read_table``) or ``Ending`` items. ``probes`` are names of the
    registry, all by default. ``sample`` limits the items a classifier learns from, ``parsed`` the
    options that are parsed (0: none).
    """
    if isinstance(data, str | PathLike):
        table = read_table(
            data, columns, gold_as=gold_as, slices=tuple(slices), limit=limit, seed=seed
        )
        every, problems, rows = Sheet(table.items, table.columns), table.problems, table.rows
        title = name or Path(data).name
    else:
        items = list(data)
        every, problems, rows, title = Sheet(items), [], len(items), name or "items"
        if not items:
            raise UsageError("there are no items to audit")
    others = [_other(other, number, columns, gold_as) for number, other in enumerate(against, 1)]
    case = Case(every=every, problems=problems, others=others, rows=rows, seed=seed, sample=sample,
                parsed=parsed)  # fmt: skip
    return run_probes(case, probes, name=title)


def run_probes(case: Case, names: Sequence[str] | None = None, *, name: str = "items") -> Audit:
    """Run the probes on a case; ``names`` in the order to be shown."""
    started = time.monotonic()
    chosen = _probes(names)
    case.family = max(1, sum(probe.tests for probe in chosen))
    if not any(item.gold is not None for item in case.every.items):
        raise UsageError(
            f"{name}: no item has its right answer, so nothing can be tested; "
            "name the column with --gold"
        )
    findings = []
    for probe in track(chosen, "auditing"):
        if probe.tests and len(case.sheet) < _ENOUGH:
            said = f"Fewer than {_ENOUGH} items can be tested."
            findings.append(Finding(name=probe.name, finding=said, status="skipped"))
        else:
            findings.append(settle(probe(case), case.family))
    return Audit(
        name=name,
        items=len(case.every),
        tested=len(case.sheet),
        rows=case.rows or len(case.every),
        verdict=_verdict(findings, len(case.sheet)),
        findings=tuple(findings),
        fingerprint=case.every.fingerprint,
        seed=case.seed,
        tests=sum(_tests(f) for f in findings),
        seconds=time.monotonic() - started,
        sheet=case.sheet,
        settings={"sample": case.sample, "parsed": case.parsed, "family": case.family,
                  "against": [other.name for other in case.others]},
        probes={f.name: probe for f, probe in zip(findings, chosen, strict=True)},
    )  # fmt: skip


def settle(finding: Finding, family: int) -> Finding:
    """Correct a probe's checks for each other (Holm) and for the other probes (Bonferroni)."""
    if finding.status is not None or not finding.checks:
        status: Status = finding.status or "ok"
        if status in ("leak", "slight", "note", "skipped"):
            return replace(finding, status=status)
        return finding.with_status(status, finding.p, finding.checks)
    within = holm([check.p for check in finding.checks], _tests(finding))
    corrected = [min(1.0, p * family) for p in within]
    checks = tuple(
        replace(check, corrected=p) for check, p in zip(finding.checks, corrected, strict=True)
    )
    p = min(corrected)
    if p > ALPHA:
        return finding.with_status("ok", p, checks)
    return finding.with_status("leak" if finding.gain >= SLIGHT else "slight", p, checks)


def _tests(finding: Finding) -> int:
    return int(finding.detail.get("tests_made", len(finding.checks)))


def _verdict(findings: Sequence[Finding], tested: int) -> str:
    statuses = {finding.status for finding in findings}
    if "leak" in statuses:
        return "leaks"
    if "slight" in statuses:
        return "slight"
    return "clean" if tested >= _ENOUGH else "unknown"


def _rank(finding: Finding) -> tuple[bool, float, float]:
    """Leaks before slight ones, then by what they give away; copies by their share."""
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


def _other(data: Data, number: int, columns: Columns | None, gold_as: str | None) -> Other:
    if isinstance(data, str | PathLike):
        path = str(data)
        return Other(Path(path).name, lambda: _items_of(path, columns, gold_as))
    items = list(data)
    return Other(f"items {number}", lambda: items)


def _items_of(path: str, columns: Columns | None, gold_as: str | None) -> Iterable[Ending]:
    """The items of another file, with the same columns if it has them, else with its own."""
    from fabula.errors import InputError

    if columns is not None:
        try:
            first = next(iter(read_items(path, columns, gold_as=gold_as)), None)
        except InputError:
            first = None
        if first is not None:
            return read_items(path, columns, gold_as=gold_as)
    return read_items(path)
