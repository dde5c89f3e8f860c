"""Pairs: natural-language inference, one event, and speed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from benchmarks.pairs_data import ecb_pairs
from benchmarks.shared import DATA, measured
from fabula.bench.evaluate import evaluate
from fabula.pairs.items import Pair, read_pairs
from fabula.pairs.models.cross_encoder.model import CrossEncoder
from fabula.text.io.records import read_records

FLOOR = "overlap"
# Of "combined", which is the best, the labels are the cross-encoder's: that alone is faster.
BEST_LABELS, BEST_SAME = "cross-encoder", "combined"
# File, metric and the bar; None: stated, without a bar.
FILES: tuple[tuple[str, tuple[tuple[str, float | None], ...]], ...] = (
    ("nli_snli_dev", (("AUC_contradiction", 0.93), ("accuracy", 0.80), ("hypothesis_only", None))),
    ("nli_mnli_dev", (("AUC_contradiction", 0.85), ("accuracy", 0.70), ("hypothesis_only", None))),
    ("nli_breaking", (("balanced_accuracy", 0.80),)),
    ("nli_negation", (("balanced_accuracy", None),)),
    ("nli_conjnli", (("balanced_accuracy", None),)),
    ("nli_counterfactual_dev", (("balanced_accuracy", None),)),
)


def run(quick: bool) -> list[dict[str, Any]]:
    if not (DATA / "real").is_dir():
        return [measured("pairs", None, note="skipped: ../shared/data is not here")]
    rows = []
    for file, bars in FILES:
        items = list(read_pairs(DATA / "real" / f"{file}.jsonl.xz"))
        rows += _measured(file, items[: 200 if quick else None], bars, BEST_LABELS)
    for what, context in (("sentences alone", False), ("with documents", True)):
        pairs = ecb_pairs(test=True, context=context)
        apart = [pair for pair, sibling in zip(pairs, _siblings(), strict=True) if not sibling]
        for name, some, bar in (("", pairs, 0.82), (", no like events", apart, 0.80)):
            items = [Pair(str(n), *_fields(pair)) for n, pair in enumerate(some, 1)]
            rows += _measured(
                f"ECB+ {what}{name}", items[: 100 if quick else None],
                (("AUC_same", bar if context else None),), BEST_SAME,
            )  # fmt: skip
    return [*rows, _speed()]


def _fields(pair: Pair) -> tuple[Any, ...]:
    return pair.a, pair.b, pair.label, pair.same, pair.context_a, pair.context_b


def _siblings() -> list[bool]:
    """Whether each pair of ``ecb_pairs(test=True)`` is of two like events; for reporting alone."""
    rows = (record.data for record in read_records(DATA / "real" / "ecb_samething.jsonl.xz"))
    return [row["sibling"] for row in rows if int(row["topic"]) % 4 == 0]


def _measured(
    what: str, items: Sequence[Pair], bars: Sequence[tuple[str, float | None]], model: str
) -> list[dict[str, Any]]:
    runs = [evaluate("pairs", items, name) for name in (FLOOR, model)]
    rows = []
    for metric, bar in bars:
        floor, best = (run.metrics[metric] for run in runs)
        note = f"[{best.low:.3f}, {best.high:.3f}], {len(items)} pairs; overlap {floor.value:.3f}"
        ok = None if bar is None else best.value >= bar
        rows.append(measured(f"pairs, {what}, {metric}", best.value, None, bar, ok, note))
    return rows


def _speed() -> dict[str, Any]:
    items = list(read_pairs(DATA / "real" / "nli_mnli_dev.jsonl.xz"))[:600]
    model = CrossEncoder()
    model.logits([(items[0].a, items[0].b)])  # loaded before the clock starts
    started = time.perf_counter()
    model.logits([(pair.a, pair.b) for pair in items])
    rate = len(items) / (time.perf_counter() - started)
    return measured("pairs, cross-encoder, pairs a second", rate, None, 300, rate >= 300, "")
