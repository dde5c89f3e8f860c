"""Rows -> counts of flaws: no answer, empty or equal options, a broken encoding, ids used twice."""

from __future__ import annotations

from collections import Counter

from fabula.audit.context import AuditContext
from fabula.audit.findings import Example, Finding
from fabula.audit.probe import declare

__all__ = ["schema"]

_MOJIBAKE = ("Ã©", "â€", "Ã¨", "Ã¼", "\ufffd", "Â ")
_FEW = 5


@declare("schema", title="Is the file sound?", order=1, tests=False)
def schema(context: AuditContext) -> Finding:
    """Counts of what is wrong with rows and items; a share of them is the value."""
    items = context.all_items.items
    flaws: dict[str, list[Example]] = {}
    for item in items:
        for flaw in _flaws(item.context, item.options, item.gold):
            flaws.setdefault(flaw, []).append(Example(item, flaw))
    ids = Counter(item.id for item in items)
    repeated = [item for item in items if ids[item.id] > 1]
    if repeated:
        flaws["id used twice"] = [Example(item, "id used twice") for item in repeated]
    counts = {flaw: len(flawed) for flaw, flawed in flaws.items()}
    if context.problems:
        counts["row that is no item"] = len(context.problems)
    sizes = Counter(len(item.options) for item in items)
    rows = len(items) + len(context.problems)
    bad = len({e.item.id for flawed in flaws.values() for e in flawed}) + len(context.problems)
    blind = counts.get("no gold answer", 0)
    worst = [f"{count:,} × {flaw}" for flaw, count in Counter(counts).most_common()]
    kinds = " and ".join(f"{size}" for size in sorted(sizes))
    clean = f"{rows:,} rows, {kinds or 'no'} options each, an answer for every one."
    examples = [example for flawed in flaws.values() for example in flawed[:2]]
    return Finding(
        name="schema",
        value=bad / max(rows, 1),
        finding=f"{bad:,} of {rows:,} rows need a look: {'; '.join(worst)}." if bad else clean,
        advice="Mend or drop these rows; the other probes leave them out." if bad else "",
        status="note" if bad else "ok",
        examples=tuple(examples[:_FEW]),
        detail={
            "counts": counts,
            "options": {str(size): count for size, count in sorted(sizes.items())},
            "blind": blind,
            "problems": [f"line {p.line}: {p.what}" for p in context.problems[:20]],
        },
    )


def _flaws(context: tuple[str, ...], options: tuple[str, ...], gold: int | None) -> list[str]:
    flaws = []
    bare = [option.strip() for option in options]
    if gold is None:
        flaws.append("no gold answer")
    if not all(bare):
        flaws.append("empty option")
    filled = [option for option in bare if option]
    if len(set(filled)) < len(filled):
        flaws.append("equal options")
    whole = " ".join((*context, *options))
    if any(mark in whole for mark in _MOJIBAKE):
        flaws.append("broken encoding")
    return flaws
