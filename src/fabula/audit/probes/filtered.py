"""Options-only accuracy after adversarial filtering, against a random subset of that size."""

from __future__ import annotations

import numpy as np

from fabula.audit.context import AuditContext
from fabula.audit.findings import Finding
from fabula.audit.probe import declare
from fabula.audit.stats.options_classifier import (
    accuracy_by_item,
    cross_validated_margins,
    feature_matrix,
    gold_probability,
)
from fabula.core.stats import wilson

__all__ = ["filtered"]

_LEAST = 200
_KEPT = 0.7


@declare("filtered", title="What if the worst items go?", order=12, tests=False, informative=True)
def filtered(context: AuditContext) -> Finding:
    """Per-item leak scores, the 70 % that leak least, and both audited again at matched size.

    The judge is a classifier of another kind (words alone; the score comes from letters), trained
    and tested on the kept items only. Leaving out by outcome also leaves out luck, so the drop is
    what filtering can reach, and 'fabula balance' searches for the subset with more care.
    """
    table, places = context.training_sample
    if len(table) < _LEAST:
        return Finding(
            name="filtered", finding=f"Fewer than {_LEAST} items: too few to filter.",
            status="skipped",
        )  # fmt: skip
    scores = gold_probability(context.options_only.margins, table)
    keep = max(1, round(_KEPT * len(table)))
    kept = np.sort(np.argsort(scores, kind="stable")[:keep])
    rng = np.random.default_rng((context.seed, 9))
    random = np.sort(rng.choice(len(table), keep, replace=False))
    accuracy = {
        name: _judge(context, chosen)
        for name, chosen in (("kept", kept), ("random subset of the same size", random))
    }
    low, high = wilson(accuracy["kept"] * keep, keep)
    before, after = accuracy["random subset of the same size"], accuracy["kept"]
    dropped = np.argsort(-scores, kind="stable")[: min(1000, len(table) - keep)]
    worst = dropped[:4]
    return Finding(
        name="filtered",
        value=after,
        low=low,
        high=high,
        chance=float(table.chances.mean()),
        status="ok",
        finding=f"Without the {1 - _KEPT:.0%} of items that leak most, an options-only classifier "
        f"of another kind gets {after:.1%}; on as many items drawn at random it gets {before:.1%}.",
        examples=tuple(
            context.example(int(places[i]), f"leak score {scores[i]:.2f}") for i in worst
        ),
        detail={
            "kept_items": int(keep),
            "matched_random": before,
            "kept": after,
            "scores": [round(float(s), 3) for s in np.quantile(scores, np.linspace(0, 1, 21))],
            "worst": [
                {"id": table.items[i].id, "leak": round(float(scores[i]), 4)} for i in dropped
            ],
        },
    )  # fmt: skip


def _judge(context: AuditContext, chosen: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    table = context.training_sample[0].take(chosen)
    rows = feature_matrix(table, words=1, characters=0)
    return float(
        accuracy_by_item(cross_validated_margins(rows, table, seed=context.seed + 1), table).mean()
    )
