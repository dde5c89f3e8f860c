"""An audit as one HTML page that needs nothing but itself: no scripts, fonts or links out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from fabula.audit.figures import accuracies
from fabula.audit.findings import Check, Example, Finding
from fabula.audit.page.text import headline, show_p, verdict_text
from fabula.audit.run import Audit
from fabula.core.html import format_number, render_template

__all__ = ["audit_page"]

_LONG = 400  # characters of a text that are shown
_ROWS = 24  # checks in a table
_LABELS = {
    "leak": "leaks",
    "slight": "leaks slightly",
    "ok": "nothing found",
    "note": "take note",
    "skipped": "not tested",
}


@dataclass(frozen=True, slots=True)
class _Section:
    """What the template shows of one probe."""

    finding: Finding
    title: str
    label: str
    figure: str
    examples: tuple[Example, ...]
    columns: list[str]
    rows: list[list[str]]
    leaky: list[bool]
    left_out: int


def audit_page(audit: Audit) -> str:
    """The page as HTML text; every text of the data is escaped. Equal audits give equal pages."""
    import fabula

    return render_template(
        "fabula.audit.page",
        "page.html.j2",
        filters={"p": show_p, "cut": _cut},
        audit=audit,
        verdict=verdict_text(audit),
        headline=headline(audit),
        worst=audit.leaks[:3],
        overview=accuracies(audit.findings),
        sections=[_section(audit, finding) for finding in _worst_first(audit)],
        version=fabula.__version__,
        shown=_shown,
    )


def _worst_first(audit: Audit) -> list[Finding]:
    """Leaks by what they give away, then notes, then the rest as they were run."""
    leaks = audit.leaks
    rest = [finding for finding in audit.findings if not finding.found]
    return [*leaks, *sorted(rest, key=lambda f: ("note", "ok", "skipped").index(str(f.status)))]


def _section(audit: Audit, finding: Finding) -> _Section:
    probe = audit.probes[finding.name]
    informs = probe.informative and finding.status == "ok"
    drawn = probe.figure if finding.status != "skipped" and len(audit.table) else None
    rows = _table(finding)
    return _Section(
        finding=finding,
        title=probe.title or finding.name,
        label="for information" if informs else _LABELS[str(finding.status)],
        figure=drawn(audit.table, finding) if drawn else "",
        examples=finding.examples if informs or finding.status != "ok" else (),
        columns=rows[0] if rows else [],
        rows=rows[1:],
        leaky=[check.found for check in _shown_checks(finding)],
        left_out=max(0, len(finding.checks) - _ROWS),
    )


def _table(finding: Finding) -> list[list[str]]:
    """The checks as a table, header first; contrasts show both means, rules their accuracy."""
    checks = _shown_checks(finding)
    if not checks:
        return []
    if any("right" in check.detail and "wrong" in check.detail for check in checks):
        head = ["measure", "right", "wrong", "difference", "p paired", "p unpaired", "n"]
        return [head, *(_contrast(check) for check in checks)]
    if any("sd" in check.detail for check in checks):
        head = ["n-grams", "SD", "by chance", "ratio", "p", "different n-grams"]
        return [head, *(_spread(check) for check in checks)]
    if any("z" in check.detail for check in checks):
        head = ["word", "leans", "right when there", "chance", "z", "PMI", "p", "items"]
        return [head, *(_word(check) for check in checks)]
    head = ["rule", "right", "95 % interval", "chance", "p", "would be seen", "items"]
    return [head, *(_rule(check) for check in checks)]


def _shown_checks(finding: Finding) -> tuple[Check, ...]:
    """The checks nearest to leaking; the few of a probe with one table stay in its order."""
    if len(finding.checks) <= 6:
        return finding.checks
    return tuple(sorted(finding.checks, key=lambda check: check.p)[:_ROWS])


def _rule(check: Check) -> list[str]:
    known = check.low is not None and check.high is not None
    interval = f"{check.low:.1%} to {check.high:.1%}" if known else ""
    chance = "" if check.chance is None else f"{check.chance:.1%}"
    seen = "" if check.detectable is None or math.isinf(check.detectable) else check.detectable
    return [check.name, f"{check.value:.1%}", interval, chance, _p(check),
            f"{seen:.1%}" if seen else "", f"{check.n:,}"]  # fmt: skip


def _contrast(check: Check) -> list[str]:
    detail = check.detail
    if "right" not in detail:
        return [check.name, f"{check.value:.1%}", "", "", _p(check), "", f"{check.n:,}"]
    difference = f"{check.value:+.3f} ({check.low:+.3f} to {check.high:+.3f})"
    means = [format_number(detail[side]) for side in ("right", "wrong")]
    return [check.name, *means, difference, _p(check),
            show_p(detail["unpaired_p"]).removeprefix("= "), f"{check.n:,}"]  # fmt: skip


def _spread(check: Check) -> list[str]:
    detail = check.detail
    return [check.name, f"{detail['sd']:.2f}", f"{detail['null']:.2f}", f"{check.value:.2f}",
            _p(check), f"{detail['ngrams']:,}"]  # fmt: skip


def _word(check: Check) -> list[str]:
    detail = check.detail
    pmi = "" if detail["pmi"] is None else f"{detail['pmi']:+.2f}"
    return [check.name, str(detail["leans"]), f"{check.value:.0%}", f"{check.chance or 0:.0%}",
            f"{detail['z']:+.1f}", pmi, _p(check), f"{check.n:,}"]  # fmt: skip


def _p(check: Check) -> str:
    return "" if check.corrected is None else show_p(check.corrected).removeprefix("= ")


def _shown(example: Example) -> dict[str, Any]:
    item = example.item
    return {
        "id": item.id,
        "context": _cut(" ".join(item.context)),
        "why": example.why,
        "options": [
            (_cut(option), place == item.gold) for place, option in enumerate(item.options)
        ],
    }


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]} …"
