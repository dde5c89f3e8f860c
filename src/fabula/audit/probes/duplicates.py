"""Duplicates and near duplicates: inside the file, across its splits, in other files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fabula.audit.context import AuditContext
from fabula.audit.findings import Example, Finding
from fabula.audit.probe import declare
from fabula.audit.stats.near_duplicates import NEAR, Duplicate
from fabula.core.stats import wilson

__all__ = ["duplicates"]

_SPLITS = ("split", "part", "subset", "fold")
_SHOWN = 4


@declare("duplicates", title="Are there copies?", order=2, tests=False)
def duplicates(context: AuditContext) -> Finding:
    """Count duplicates; the value is the share of items with one in another file, or in this."""
    items = context.all_items.items
    n = len(items)
    inside = Counter(duplicate.kind for duplicate in context.duplicates)
    conflicts = context.conflicts
    mirrored = len({index for pair in context.mirrored for index in pair})
    across = _across_splits(context)
    outside: dict[int, Duplicate] = {}
    files = []
    for other in context.comparison_files:
        duplicates, contexts, read = context.duplicate_index.against(other.read())
        kinds = Counter(duplicate.kind for duplicate in duplicates)
        files.append(
            {
                "file": other.name,
                "items": read,
                "exact": kinds["exact"],
                "normalised": kinds["normalised"],
                "near": kinds["near"],
                "same_context": contexts,
            }
        )
        for duplicate in duplicates:
            earlier = outside.get(duplicate.item)
            if earlier is None or (earlier.kind != "exact" and duplicate.kind == "exact"):
                outside[duplicate.item] = duplicate
    outside_kinds = Counter(duplicate.kind for duplicate in outside.values())
    exact, near = outside_kinds["exact"], outside_kinds["normalised"] + outside_kinds["near"]
    count = len(outside) if context.comparison_files else len(context.duplicates)
    low, high = wilson(count, n)
    given = len(outside) or across
    share = (given / max(n, 1), *wilson(given, n)) if given else None
    return Finding(
        name="duplicates",
        value=count / max(n, 1),
        low=low,
        high=high,
        share=share,
        finding=_sentence(inside, mirrored, len(conflicts), across, files, exact, near),
        advice=_advice(bool(outside), across, bool(conflicts))
        if given or context.duplicates or conflicts
        else "",
        status="leak" if given else "note" if context.duplicates or conflicts else "ok",
        detectable=f"Near copies share {NEAR:.0%} of their words and word pairs, or more.",
        examples=_examples(context, list(outside.values()))
        or _conflict_examples(context)
        or _examples(context, context.duplicates),
        detail={
            "exact": inside["exact"],
            "normalised": inside["normalised"],
            "near": inside["near"],
            "conflicting_gold": len(conflicts),
            "mirrored_items": mirrored,
            "repeated_contexts": context.duplicate_index.repeated_contexts(),
            "across_splits": across,
            "exact_in_other": exact,
            "near_in_other": near,
            "normalised_in_other": outside_kinds["normalised"],
            "others": files,
            "copies_in_other": [
                {"id": items[d.item].id, "other": d.other.id, "kind": d.kind}
                for d in list(outside.values())[:1000]
            ],
        },
    )


def _across_splits(context: AuditContext) -> int:
    """The number of duplicates whose original is in another split, by the split column if any."""
    columns = {name.casefold(): values for name, values in context.all_items.columns.items()}
    split = next((columns[name] for name in _SPLITS if name in columns), None)
    if split is None:
        return 0
    return sum(1 for d in context.duplicates if split[d.item] != split[d.other_index])


def _sentence(
    inside: Counter[str],
    mirrored: int,
    conflicts: int,
    across: int,
    files: Sequence[dict[str, Any]],
    exact: int,
    near: int,
) -> str:
    parts = []
    if files:
        total = exact + near
        parts.append(
            f"{total:,} items stand in another file too ({exact:,} exact, {near:,} changed)"
            if total
            else "no item stands in another file"
        )
    copies = inside.total()
    listed = ", ".join(f"{inside[kind]:,} {kind}" for kind in ("exact", "normalised", "near"))
    parts.append(f"{copies:,} copies inside ({listed})" if copies else "no copies inside")
    if mirrored:
        parts.append(f"{mirrored:,} items are of mirrored pairs (equal options, other answer)")
    if conflicts:
        parts.append(f"{conflicts:,} pairs with the same context contradict each other's answer")
    if across:
        parts.append(f"{across:,} stand in two splits")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _advice(outside: bool, across: int, conflicts: bool) -> str:
    if outside:
        return "Take the shared items out of one of the files; scores on them show memory."
    if across:
        return "Keep copies in one split."
    if conflicts:
        return "Decide which of the answers is right; keep one of each set of copies."
    return "Keep one of each set of copies; the other probes have done so."


def _examples(context: AuditContext, duplicates: Sequence[Duplicate]) -> tuple[Example, ...]:
    """The least similar first: those are the ones a reader has to judge."""
    shown = sorted(duplicates, key=lambda duplicate: duplicate.similarity)[:_SHOWN]
    return tuple(
        Example(
            context.all_items.items[duplicate.item],
            f"{duplicate.kind} copy of {duplicate.other.id!r}"
            + (f", {duplicate.similarity:.0%} alike" if duplicate.kind == "near" else ""),
        )
        for duplicate in shown
    )


def _conflict_examples(context: AuditContext) -> tuple[Example, ...]:
    items = context.all_items.items
    return tuple(
        Example(items[second], f"{items[first].id!r} has the same context and another answer")
        for first, second in context.conflicts[:_SHOWN]
    )
