"""Are there copies: inside the file, across its splits, in other files and versions?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from fabula.audit.context import Case
from fabula.audit.findings import Example, Finding
from fabula.audit.probe import declare
from fabula.audit.stats.near_duplicates import NEAR, Copy
from fabula.core.stats import wilson

__all__ = ["duplicates"]

_SPLITS = ("split", "part", "subset", "fold")
_SHOWN = 4


@declare("duplicates", title="Are there copies?", order=2, tests=False)
def duplicates(case: Case) -> Finding:
    """Counts of copies; the value is the share of items that have one in another file, or here."""
    items = case.every.items
    n = len(items)
    inside = Counter(copy.kind for copy in case.copies)
    conflicts = [copy for copy in case.copies if _conflict(case, copy)]
    across = _across_splits(case)
    found: dict[int, Copy] = {}
    files = []
    for other in case.others:
        copies, contexts, read = case.index.against(other.read())
        kinds = Counter(copy.kind for copy in copies)
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
        for copy in copies:
            known = found.get(copy.item)
            if known is None or (known.kind != "exact" and copy.kind == "exact"):
                found[copy.item] = copy
    outside = Counter(copy.kind for copy in found.values())
    exact, near = outside["exact"], outside["normalised"] + outside["near"]
    count = len(found) if case.others else len(case.copies)
    low, high = wilson(count, n)
    bad = bool(found) or across > 0 or len(case.copies) >= max(1, 0.01 * n)
    return Finding(
        name="duplicates",
        value=count / max(n, 1),
        low=low,
        high=high,
        finding=_said(inside, len(conflicts), across, files, exact, near),
        advice=_advice(bool(found), across) if bad or case.copies else "",
        status="leak" if bad else "note" if case.copies else "ok",
        detectable=f"Near copies share {NEAR:.0%} of their words and word pairs, or more.",
        examples=_examples(case, list(found.values()) or conflicts or case.copies),
        detail={
            "exact": inside["exact"],
            "normalised": inside["normalised"],
            "near": inside["near"],
            "conflicting_gold": len(conflicts),
            "repeated_contexts": case.index.repeated_contexts(),
            "across_splits": across,
            "exact_in_other": exact,
            "near_in_other": near,
            "normalised_in_other": outside["normalised"],
            "others": files,
            "copies_in_other": [
                {"id": items[copy.item].id, "other": copy.other.id, "kind": copy.kind}
                for copy in list(found.values())[:1000]
            ],
        },
    )


def _conflict(case: Case, copy: Copy) -> bool:
    """Whether a copy names another answer than its original."""
    item, other = case.every.items[copy.item], copy.other
    if copy.kind == "near" or item.gold is None or other.gold is None:
        return False
    return (
        item.options[item.gold].strip().casefold() != other.options[other.gold].strip().casefold()
    )


def _across_splits(case: Case) -> int:
    """Copies inside the file whose original is in another split, by a column of such a name."""
    columns = {name.casefold(): values for name, values in case.every.columns.items()}
    split = next((columns[name] for name in _SPLITS if name in columns), None)
    if split is None:
        return 0
    return sum(1 for copy in case.copies if split[copy.item] != split[copy.other_place])


def _said(inside: Counter[str], conflicts: int, across: int, files: Sequence[dict[str, Any]],
          exact: int, near: int) -> str:  # fmt: skip
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
    if conflicts:
        parts.append(f"{conflicts:,} copies name another answer")
    if across:
        parts.append(f"{across:,} stand in two splits")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _advice(outside: bool, across: int) -> str:
    if outside:
        return "Take the shared items out of one of the files; scores on them show memory."
    if across:
        return "Keep copies in one split."
    return "Keep one of each set of copies; the other probes have done so."


def _examples(case: Case, copies: Sequence[Copy]) -> tuple[Example, ...]:
    """The least alike first: those are the ones a reader has to judge."""
    shown = sorted(copies, key=lambda copy: copy.similarity)[:_SHOWN]
    return tuple(
        Example(
            case.every.items[copy.item],
            f"{copy.kind} copy of {copy.other.id!r}"
            + (f", {copy.similarity:.0%} alike" if copy.kind == "near" else ""),
        )
        for copy in shown
    )
