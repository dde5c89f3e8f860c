"""An audit in words: a few lines for the terminal, and a section for a data set's card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabula.audit.findings import Finding
from fabula.audit.run import Audit

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["VERDICTS", "card", "headline", "show_p", "summary", "verdict_text"]

VERDICTS = {
    "clean": "No leak found",
    "slight": "Slight leaks",
    "moderate": "This data gives some answers away",
    "strong": "This data gives many answers away",
    "unknown": "Too few items to tell",
}
_STYLES = {
    "clean": "bold green",
    "slight": "bold yellow",
    "moderate": "bold red",
    "strong": "bold red",
    "unknown": "bold",
}


def headline(audit: Audit) -> str:
    """One sentence: the verdict and its reason."""
    if audit.verdict == "unknown":
        return f"{audit.tested:,} items can be tested; at least 20 are needed."
    if audit.verdict == "clean":
        return (
            f"{audit.tests:,} tests on {audit.tested:,} items; none shows more than chance would. "
            + (_position(audit) or "")
        ).strip()
    decisive = audit.decisive
    if decisive is None or decisive.interval is None:
        worst = audit.leaks[0]
        return f"No rule over all items is shown to beat chance; {worst.name}: {worst.finding}"
    gain, low, high = decisive.interval
    measured = "items" if decisive.share else "range above chance"
    return f"{decisive.finding} That is {gain:.0%} [{low:.0%}, {high:.0%}] of the {measured}."


def _position(audit: Audit) -> str:
    found = [f for f in audit.findings if f.name == "options-only" and f.detectable]
    return found[0].detectable if found else ""


def verdict_text(audit: Audit) -> str:
    """The verdict in a few words."""
    return VERDICTS[audit.verdict]


def summary(audit: Audit, *, output: str | None = None) -> RenderableType:
    """Verdict, the three worst leaks, what to do: to be read in ten seconds."""
    from rich.text import Text

    text = Text()
    text.append(f"{verdict_text(audit)}. ", style=_STYLES[audit.verdict])
    text.append(f"{headline(audit)}\n")
    worst = audit.leaks[:3]
    for number, finding in enumerate(worst, 1):
        text.append(f"\n {number}. {finding.name}", style="bold")
        text.append(f"  {finding.finding}")
        if finding.p is not None:
            text.append(f" (p {show_p(finding.p)})", style="dim")
        if finding.advice:
            text.append(f"\n    -> {finding.advice}", style="cyan")
    more = len(audit.leaks) - len(worst)
    if more > 0:
        names = ", ".join(f.name for f in audit.leaks[3:])
        text.append(f"\n    and {more} more: {names}")
    for finding in audit.findings:
        if finding.status == "note":
            text.append(f"\n note {finding.name}", style="bold")
            text.append(f"  {finding.finding}")
    left = audit.items - audit.tested
    text.append(
        f"\n\n{audit.items:,} items"
        + (f" drawn from {audit.rows:,} rows" if audit.rows > audit.items * 1.5 else "")
        + (f", {left:,} left out (copies, no answer, equal options)" if left else "")
        + f"; {audit.tests:,} tests, p corrected for all of them; fingerprint {audit.fingerprint}",
        style="dim",
    )
    text.append(f"\n{'Page: ' + output if output else 'See the items: -o audit.html'}", style="dim")
    return text


def card(audit: Audit) -> str:
    """A Markdown section for the data set's card."""
    from fabula import __version__

    lines = [
        "## Known artefacts",
        "",
        f"**{verdict_text(audit)}.** {headline(audit)}",
        "",
        f"Audited with `fabula audit` {__version__} on {audit.tested:,} items "
        f"(fingerprint `{audit.fingerprint}`, seed {audit.seed}); {audit.tests:,} tests, p-values "
        "corrected for all of them.",
        "",
        "| probe | value | 95 % interval | chance | p | finding |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_line(f) for f in audit.findings if f.status != "skipped"]
    return "\n".join(lines) + "\n"


def _line(finding: Finding) -> str:
    known = finding.low is not None and finding.high is not None
    interval = f"{finding.low:.3f} to {finding.high:.3f}" if known else ""
    value = "" if finding.value is None else f"{finding.value:.3f}"
    chance = "" if finding.chance is None else f"{finding.chance:.3f}"
    p = "" if finding.p is None else show_p(finding.p)
    mark = "**" if finding.found else ""
    said = finding.finding.replace("|", "\\|").replace("\n", " ")
    return f"| {mark}{finding.name}{mark} | {value} | {interval} | {chance} | {p} | {said} |"


def show_p(p: float) -> str:
    """A p-value as people write it.

    >>> show_p(0.0312), show_p(1e-9)
    ('= 0.031', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"
