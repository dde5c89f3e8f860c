"""Audits of public multiple-choice sets, and of mirrored sets made from one of them.

``python -m benchmarks.audit_sets docs/quality/audits.md`` audits everything in ``../shared/data``
and writes the page; ``python -m benchmarks audit_sets`` checks that the verdicts separate the sets
and that no balanced set is accused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.shared import DATA, measured
from fabula.audit.read import read_items
from fabula.audit.run import Audit, audit
from fabula.core.files import write_text
from fabula.endings.items import Ending

SETS = {
    "COPA": "real/mc_copa.jsonl.xz",
    "COPA, mirrored": "",
    "WinoGrande": "real/mc_winogrande.jsonl.xz",
    "HellaSwag": "real/mc_hellaswag_val1000.jsonl.xz",
    "PIQA": "real/mc_piqa_valid.jsonl.xz",
    "SWAG, pairs": "real/mc_swag_pairs.jsonl.xz",
    "CODAH": "real/mc_codah.jsonl.xz",
    "ARCT, development": "real/mc_arct_dev.jsonl.xz",
    "ARCT, training": "real/mc_arct_train.jsonl.xz",
    "ARCT, mirrored": "",
    "Story Cloze 1.0, validation": "story_cloze/val.csv",
}
BALANCED = ("COPA, mirrored", "WinoGrande", "ARCT, mirrored")
HEAD = """# Audits of public data sets

Made by `python -m benchmarks.audit_sets docs/quality/audits.md`; do not edit. All probes, default
settings, seed 0.

*Options only* is the accuracy of a classifier that never sees the context, in five folds, with its
95 % interval. *Gain* is the largest gain over chance that any rule without the context is shown to
have, as a share of the range above chance; its lower bound is the
[verdict](../concepts/audit.md#verdict): `strong` from 0.3, `moderate` from 0.1, else `slight` where
any test finds something. *Overlap* is the accuracy of counting words shared with the context, which
is no leak of the options.

The mirrored sets are made here as Balanced COPA and adversarial ARCT are: every item twice, with
its options, a negated context, and the other answer.

"""


def mirrored(items: list[Ending]) -> list[Ending]:
    """Every item, and its mirror: equal options, a negated context, the other answer."""
    both = []
    for item in items:
        if item.gold is None or len(item.options) != 2:
            continue
        context = ("It is not the case:", *item.context)
        both += [item, replace(item, id=f"{item.id}-m", context=context, gold=1 - item.gold)]
    return both


def audited(most: int | None = None) -> Iterator[tuple[str, Audit]]:
    sources = {"COPA, mirrored": "COPA", "ARCT, mirrored": "ARCT, training"}
    for name, path in SETS.items():
        data: Any = DATA / (path or SETS[sources[name]])
        if not path or most:
            items = list(read_items(data))[:most]
            data = items if path else mirrored(items)
        yield name, audit(data, name=name, parsed=0 if most else 4_000)


def row(name: str, done: Audit) -> str:
    options, overlap = done["options-only"], done["overlap"]
    gain = done.to_row()["gain"]
    copies = done["duplicates"].detail
    cells = [
        name,
        f"{done.items:,}",
        f"{options.chance:.2f}",
        f"{options.value:.3f} [{options.low:.3f}, {options.high:.3f}]",
        f"**{done.verdict}**",
        "-" if gain is None else f"{gain['value']:.2f} [{gain['low']:.2f}, {gain['high']:.2f}] "
        f"({gain['probe']})",
        ", ".join(f.name for f in done.leaks) or "-",
        "-" if overlap.value is None else f"{overlap.value:.3f}",
        f"{copies['exact'] + copies['normalised'] + copies['near']} / {copies['mirrored_items']} / "
        f"{copies['conflicting_gold']}",
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def page() -> str:
    lines = [
        "| set | items | chance | options only | verdict | gain | what leaks | overlap "
        "| copies / mirrored / conflicting |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [row(name, done) for name, done in audited()]
    return HEAD + "\n".join(lines) + "\n"


def run(quick: bool) -> list[dict[str, Any]]:
    verdicts = {name: done.verdict for name, done in audited(300 if quick else None)}
    kinds = len(set(verdicts.values()))
    accused = [name for name in BALANCED if verdicts[name] not in ("clean", "slight")]
    return [
        measured("audits: different verdicts", kinds, bar=3, ok=quick or kinds >= 3,
                 note=str(verdicts)),
        measured("audits: balanced sets accused", len(accused), bar=0, ok=not accused,
                 note=", ".join(accused)),
    ]  # fmt: skip


if __name__ == "__main__":
    write_text(Path(sys.argv[1]), page())
