"""The language model on endings: shared contexts against one option at a time, and its accuracy.

The trained model is measured on one fixed split of the Story Cloze validation file: the items whose
id hashes to 0 modulo 5 are the test, the rest is trained on.
"""

from __future__ import annotations

import hashlib
import statistics
import time
from typing import Any

from benchmarks.shared import DATA
from fabula.bench.evaluate import evaluate
from fabula.cli.inputs import PACKAGED
from fabula.endings.formats.tables import read_endings
from fabula.endings.items import Ending
from fabula.endings.models.fine_tuned.model import FineTuned
from fabula.endings.models.lm import Lm
from fabula.errors import FabulaError
from fabula.text.lm.likelihood import LanguageModel

SPEED, CHANCE, TUNED, STRETCH = 1.5, 0.5, 0.80, 0.865


def run(quick: bool) -> list[dict[str, Any]]:
    try:
        LanguageModel().source()
    except FabulaError as error:
        return [{"name": "endings: lm", "ok": None, "note": f"skipped: {error}"}]
    rows = [_speed(quick)]
    if not quick:
        rows += [_copa(by) for by in ("pmi", "sum", "per-token")]
        rows.append(_tuned())
    return rows


def _speed(quick: bool) -> dict[str, Any]:
    items = list(read_endings(PACKAGED["sample-endings"]))[: 4 if quick else 16]
    ours, reader = Lm(by="sum", cached=False), LanguageModel()
    ours.score(items[:1])

    def one_at_a_time() -> list[tuple[float, ...]]:
        return [
            tuple(
                reader.log_likelihoods([" ".join(item.context)], [option])[0].total
                for option in item.options
            )
            for item in items
        ]

    ratios, rates = [], []
    for _ in range(1 if quick else 5):  # in turns: a noisy neighbour slows both
        started = time.perf_counter()
        shared = ours.score(items)
        between = time.perf_counter()
        alone = one_at_a_time()
        ended = time.perf_counter()
        ratios.append((ended - between) / (between - started))
        rates.append((len(items) / (between - started), len(items) / (ended - between)))
    apart = max(
        abs(a - b)
        for one, other in zip(shared, alone, strict=True)
        for a, b in zip(one, other, strict=True)
    )
    ratio, bar = statistics.median(ratios), SPEED / 2 if quick else SPEED
    return {
        "name": "endings: lm, items/s",
        "ours": statistics.median(a for a, _ in rates),
        "peer": statistics.median(b for _, b in rates),
        "ratio": ratio,
        "bar": bar,
        "ok": ratio >= bar and apart < 1e-2,
        "note": f"peer: one option at a time; scores differ by at most {apart:.1e}",
    }


def _copa(by: str) -> dict[str, Any]:
    path, name = DATA / "copa" / "copa-dev.xml", f"endings: lm {by}, COPA dev"
    if not path.is_file():
        return {"name": name, "ok": None, "note": "skipped: ../shared/data is not here"}
    found = evaluate("endings", path, Lm(by=by), name=f"lm:{by}", metrics=["accuracy"])
    value = found.metrics["accuracy"]
    return {
        "name": name,
        "ours": value.value,
        "peer": CHANCE,
        "ratio": None,
        "bar": "interval above chance" if by == "pmi" else None,
        "ok": value.low > CHANCE if by == "pmi" else None,
        "note": f"[{value.low:.3f}, {value.high:.3f}], 500 questions",
    }


def split(items: list[Ending]) -> tuple[list[Ending], list[Ending]]:
    """What is trained on, and what is tested on."""
    parts = [int(hashlib.sha256(item.id.encode()).hexdigest(), 16) % 5 for item in items]
    train = [item for item, part in zip(items, parts, strict=True) if part]
    return train, [item for item, part in zip(items, parts, strict=True) if not part]


def _tuned() -> dict[str, Any]:
    path, name = DATA / "story_cloze" / "val.csv", "endings: fine-tuned, Story Cloze val 80/20"
    if not path.is_file():
        return {"name": name, "ok": None, "note": "skipped: ../shared/data is not here"}
    train, test = split(list(read_endings(path)))
    started = time.perf_counter()
    model = FineTuned().fit(train)
    seconds = time.perf_counter() - started
    found = evaluate("endings", test, model, name="fine-tuned", metrics=["accuracy"])
    value = found.metrics["accuracy"]
    return {
        "name": name,
        "ours": value.value,
        "peer": STRETCH,
        "ratio": None,
        "bar": TUNED,
        "ok": value.value >= TUNED,
        "note": f"[{value.low:.3f}, {value.high:.3f}], {len(test)} items; peer: GPT-1; "
        f"{seconds:.0f} s to train (states from the cache where known)",
    }
