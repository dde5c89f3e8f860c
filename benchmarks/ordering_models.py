"""The ordering paper's models and metrics: speed beside py-rouge, sizes beside the paper's.

The four models are trained by ``python -m benchmarks.ordering_models NAME`` (hours at the
paper's sizes); ``run`` measures what stands in ``runs/ordering-models``.
"""

from __future__ import annotations

import json
import sys
import time
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.shared import DATA
from fabula.bench.compare import compare
from fabula.bench.evaluate import evaluate
from fabula.bench.figures import lines
from fabula.files import write_text
from fabula.ordering.build import build_texts
from fabula.ordering.items import Order, Text
from fabula.ordering.metrics import METRICS, score_orders
from fabula.ordering.wlcs import weighted_lcs
from fabula.registry import models
from fabula.text.documents import read_documents
from fabula.text.parts import part_of

KEPT = Path("runs/ordering-models")
FOUR = ("lstm-ptr", "vlstm-ptr", "attorder", "se-graph")
# Without word vectors; 2 layers at the least, 6 at the most, for attorder.
PAPER = {"lstm-ptr": "1.1-1.3M", "vlstm-ptr": "37-38M", "attorder": "7.0-15.9M",
         "se-graph": "2.5-8.5M"}  # fmt: skip


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [_wlcs(quick), _all_metrics(quick), *_sizes()]
    if quick:
        return rows
    texts = chronological()
    if texts is None:
        return [*rows, _row("trained models", None, None, None, None, "../shared/data is not here")]
    return [*rows, _epoch(texts["train"]), *_quality(texts["test"])]


def _row(name: str, ours: Any, peer: Any, bar: Any, ok: bool | None, note: str) -> dict[str, Any]:
    ratio = ours / peer if isinstance(peer, float) and isinstance(ours, float) else None
    return {
        "name": f"ordering {name}", "ours": ours, "peer": peer, "ratio": ratio, "bar": bar,
        "ok": ok, "note": note,
    }  # fmt: skip


def _wlcs(quick: bool) -> dict[str, Any]:
    """Texts a second, of 3 to 12 units, against the function py-rouge computes ROUGE-W with."""
    rng = np.random.default_rng(0)
    number = 4000 if quick else 20_000
    groups = [np.array([rng.permutation(n) for _ in range(number)]) for n in (3, 5, 7, 9, 12)]
    ours, peer = 0.0, 0.0
    for _ in range(3):  # the best of three: the machine has other work
        started = time.perf_counter()
        for ranks in groups:
            weighted_lcs(ranks)
        ours = max(ours, 5 * number / (time.perf_counter() - started))
        some = [row.tolist() for ranks in groups for row in ranks[:100]]
        started = time.perf_counter()
        for row in some:
            rouge_w(row)
        peer = max(peer, len(some) / (time.perf_counter() - started))
    least = 25 if quick else 50
    note = "texts/s; peer: py-rouge, same numbers"
    return _row("WLCS-l", ours, peer, f">= {least}x", ours / peer >= least, note)


def rouge_w(predicted: list[int]) -> float:
    rouge = _rouge()
    words = [" ".join(map(str, order)) for order in (predicted, range(len(predicted)))]
    counts = rouge._compute_ngrams_lcs([words[0]], [words[1]], 1.2)
    return float(rouge._compute_p_r_f_score(*counts, 0.5, 1.2)["f"])


@cache
def _rouge() -> Any:
    for name in ("nltk", "pkg_resources"):  # for stemming and WordNet, which orders do not need
        sys.modules.setdefault(name, ModuleType(name))
    from rouge import Rouge

    return Rouge


def _all_metrics(quick: bool) -> dict[str, Any]:
    number = 10_000 if quick else 100_000
    rng = np.random.default_rng(0)
    texts, orders = [], []
    for index, n in enumerate(rng.integers(2, 13, number).tolist()):
        gold, found = (tuple(rng.permutation(n).tolist()) for _ in range(2))
        texts.append(Text(str(index), ("",) * n, gold))
        orders.append(Order(found, np.zeros((0, 0), dtype=np.float32)))
    started = time.perf_counter()
    score_orders(texts, orders)
    seconds = time.perf_counter() - started
    bar = 10.0
    note = f"{len(METRICS)} metrics, {number:,} texts of 2-12 units"
    return _row("all metrics, s", seconds, None, f"<= {bar:g}", seconds <= bar, note)


def _sizes() -> list[dict[str, Any]]:
    """Parameters without word vectors, beside Table 2 less its vocabulary."""
    rows = []
    for name in FOUR:
        settings: list[dict[str, Any]] = [{}]
        if name == "attorder":
            settings = [{"layers": 2}, {"layers": 6}]
        factory = models.get(f"ordering/{name}")
        counts = [factory(**some).parameters() / 1e6 for some in settings]
        shown = "-".join(f"{count:.1f}" for count in counts) + "M"
        rows.append(_row(f"{name}, parameters", shown, PAPER[name], None, None, "peer: the paper"))
    return rows


@cache
def chronological() -> dict[str, list[Text]] | None:
    """cs.CL abstracts: training and development part before a date, test part from it on.

    Both the project's parts and the paper's order in time are kept: nothing tested on is older
    than anything learnt from, nor in a part that any shipped weights saw.
    """
    path = DATA / "arxiv_abstracts_cs.CL.jsonl.xz"
    if not path.is_file():
        return None
    documents = sorted(read_documents(path), key=lambda d: d.date or "")
    cut = documents[int(0.7 * len(documents))].date or ""
    early = [d for d in documents if (d.date or "") < cut]
    parts = {side: [d for d in early if part_of(d.id) == side] for side in ("train", "dev")}
    late = [d for d in documents if (d.date or "") >= cut and part_of(d.id) == "test"]
    return {
        "train": list(build_texts(parts["train"]))[-3000:],
        "dev": list(build_texts(parts["dev"]))[-400:],
        "test": list(build_texts(late)),
    }


def _epoch(texts: list[Text], number: int = 1000) -> dict[str, Any]:
    """Seconds an epoch of lstm-ptr would take on 10,000 abstracts, from fewer."""
    model = models.get("ordering/lstm-ptr")(epochs=1).fit(texts[:number], texts[number:][:20])
    seconds = model.curve_[0]["seconds"] * 10_000 / number
    note = f"from {number}"
    return _row("lstm-ptr, s an epoch of 10,000", seconds, None, "<= 300", seconds <= 300, note)


def _quality(texts: list[Text]) -> list[dict[str, Any]]:
    """The four against ``linear`` trained on the same texts, and against each other."""
    runs = {}
    for name in ("linear", *FOUR):
        if (KEPT / name / "config.json").is_file():
            runs[name] = evaluate("ordering", texts, str(KEPT / name), folder=KEPT / "runs")
    if "linear" not in runs:
        return [_row("trained models", None, None, None, None, f"none in {KEPT}; see the file")]
    _curves(list(runs))
    rows = []
    for name, done in runs.items():
        tau, pmr = done.metrics["tau"], done.metrics["PMR"]
        note = f"{len(texts)} texts, [{tau.low:.3f}, {tau.high:.3f}], PMR {pmr.value:.3f}"
        ok = None
        if name != "linear":
            (pair,) = compare([done, runs["linear"]], metric="tau")
            note += f"; to linear {pair.difference:+.3f} [{pair.low:+.3f}, {pair.high:+.3f}]"
        if name in ("attorder", "se-graph"):
            ok = tau.value > runs["linear"].metrics["tau"].value
        rows.append(_row(f"{name}, tau", tau.value, None, "> linear" if ok is not None else None,
                         ok, note))  # fmt: skip
    return rows


def _curves(names: list[str]) -> None:
    """What every epoch reached on the development texts, as JSON and as a figure."""
    curves = {}
    for name in names:
        curve = json.loads((KEPT / name / "config.json").read_text(encoding="utf-8")).get("curve")
        if curve:
            curves[name] = curve
    write_text(KEPT / "curves.json", json.dumps(curves, indent=1) + "\n")
    points = {
        name: [(epoch, *[done["tau"]] * 3) for epoch, done in enumerate(curve, 1)]
        for name, curve in curves.items()
    }
    if points:
        write_text(KEPT / "curves.svg", lines(points, "epoch", "tau, development texts"))


def main(arguments: list[str]) -> None:
    """Train one model, ``NAME [PARAMETER=VALUE ...]``, where ``run`` looks for it."""
    from ast import literal_eval

    texts = chronological()
    if texts is None or not arguments:
        raise SystemExit("usage: python -m benchmarks.ordering_models NAME [PARAMETER=VALUE ...]")
    name, *rest = arguments
    chosen = {}
    for setting in rest:
        key, _, value = setting.partition("=")
        chosen[key] = value if key == "vectors" else literal_eval(value)
    model = models.get(f"ordering/{name}")(**chosen).fit(texts["train"], texts["dev"])
    model.save(KEPT / name)


if __name__ == "__main__":
    main(sys.argv[1:])
