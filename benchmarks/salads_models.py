"""The story salads paper's neural models, trained on one set of salads: its order of models.

    python -m benchmarks.salads_models NAME ... [PARAMETER=VALUE ...]

trains some of them (minutes each, on a core of its own) where ``run`` looks for them, and ``run``
tests all that stand in ``runs/salads-models``. Trained as for WIKI-HARD: random and same-category
salads of the training articles together. Every model has three epochs, and the one kept is the
best on salads of the development part; the paper's 5 % of mixtures may share articles with what is
trained on, and with a few thousand articles they do.

The models of events (``ffnn-...``) are trained and tested on fewer salads: parsing takes longer.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.shared import DATA, measured, wiki_salads
from fabula.bench.compare import compare
from fabula.bench.evaluate import evaluate
from fabula.bench.runs.store import Run
from fabula.bench.topic_correlation import topic_correlation
from fabula.core.files import write_text
from fabula.registry import create_model, models
from fabula.salads.build.event_form import with_events
from fabula.salads.build.mix import build_salads, read_sources
from fabula.salads.build.topics import with_topics
from fabula.salads.items import Grouping, Salad, read_salads
from fabula.text.io.documents import read_documents
from fabula.text.io.splits import in_part

KEPT = Path("runs/salads-models")
RECIPES = {"random": "WIKI", "same-category": "WIKI-HARD"}
FOUR = ("bilstm", "bilstm-mt", "bilstm-ctx", "bilstm-mt-ctx")
QUIET = ("bilstm-ctx-0.05", "bilstm-mt-ctx-0.05")  # trained with context=0.05
EVENTS = ("ffnn-bilstm", "ffnn-bilstm-mt-ctx", "ffnn-bilstm-mt-ctx-pretrain")
QUIET_EVENTS = tuple(f"{name}-0.05" for name in EVENTS[1:])
PAPER = {  # CA: Table 2, WIKI and WIKI-HARD; Table 4, NYT-EVENT and NYT-EVENT-HARD
    "unif": (0.509, 0.512),
    "kmedoids:glove": (0.749, 0.604),
    "bilstm": (0.762, 0.598),
    "bilstm-mt": (0.788, 0.613),
    "bilstm-ctx": (0.789, 0.637),
    "bilstm-mt-ctx": (0.818, 0.666),
    "kmedoids:glove,events": (0.647, 0.553),
    "ffnn-bilstm": (0.649, 0.548),
    "ffnn-bilstm-mt-ctx": (0.668, 0.591),
    "ffnn-bilstm-mt-ctx-pretrain": (0.702, 0.614),
}
ORDER = (  # the paper's: the second is better
    ("bilstm", "bilstm-mt"),
    ("bilstm", "bilstm-ctx"),
    ("bilstm-mt", "bilstm-mt-ctx"),
    ("bilstm-ctx", "bilstm-mt-ctx"),
    ("bilstm", "bilstm-ctx-0.05"),
    ("bilstm-mt", "bilstm-mt-ctx-0.05"),
)
RHO = {"bilstm": -0.43, "bilstm-mt": -0.40, "bilstm-ctx": -0.30, "bilstm-mt-ctx": -0.25}  # Table 3
LONGEST = 30  # words of a sentence that is trained on; one in four is longer
SETTINGS = {"hidden": 50, "rate": 1e-3, "vectors": "glove", "epochs": 3, "patience": 3}


def run(quick: bool) -> list[dict[str, Any]]:
    rows = [_step(5 if quick else 20)]
    if quick:
        return rows
    if wiki_salads("random", 1) is None:
        return [*rows, measured("salads trained models", None, note="../shared/data is not here")]
    for place, recipe in enumerate(RECIPES):
        salads = _tested(recipe)
        found = _test(salads, ("unif", "kmedoids:glove"), FOUR + QUIET)
        rows += _accuracies(recipe, place, found) + _order(recipe, found)
        rows += _cosines(recipe, salads, found)
        salads = [s for s in event_salads("test") if s.extra["recipe"] == recipe]
        found = _test(salads, ("kmedoids:glove,events",), EVENTS + QUIET_EVENTS)
        rows += _accuracies(f"{recipe}, events", place, found)
    return rows


def _step(times: int) -> dict[str, Any]:
    """Both directions of two LSTM layers over a salad, forth and back, against torch's own."""
    import torch

    from fabula.core.training import one_thread
    from fabula.salads.models.bilstm.lstm import run_lstm

    torch.manual_seed(0)
    lstm = torch.nn.LSTM(100, 50, num_layers=2, bidirectional=True, batch_first=True)
    lengths = torch.randint(5, 40, (20,))
    words = torch.randn(20, 40, 100)

    def ours() -> Any:
        return run_lstm(lstm, words, lengths, torch.nn.Identity())[0]

    def theirs() -> Any:
        packed = torch.nn.utils.rnn.pack_padded_sequence(
            words, lengths, batch_first=True, enforce_sorted=False
        )
        return lstm(packed)[0].data

    best = []
    with one_thread():
        for how in (ours, theirs):
            taken = []
            for _ in range(times):
                started = time.process_time()
                how().sum().backward()
                taken.append(time.process_time() - started)
            best.append(1 / min(taken))
    note = "20 sentences, forth and back; peer: torch.nn.LSTM, packed"
    return measured("salads LSTM, salads/s", best[0], best[1], None, None, note)


# Data


@cache
def training(each: int = 600) -> tuple[list[Salad], list[Salad]]:
    """Salads to train on and to stop by."""
    parts = []
    for part, number in (("train", each), ("dev", 60)):
        salads = [s for recipe in RECIPES for s in wiki_salads(recipe, number, part) or []]
        parts.append([_cut(salad) for salad in salads])
    return parts[0], parts[1]


def _cut(salad: Salad) -> Salad:
    words = (sentence.split()[:LONGEST] for sentence in salad.sentences)
    return replace(salad, sentences=tuple(" ".join(some) for some in words))


def _tested(recipe: str, n: int = 400) -> list[Salad]:
    """Test salads with the paper's topic cosine, of averaged word vectors."""
    sources = read_sources(in_part(read_documents(DATA / "wiki_conflict.jsonl.xz"), "test"))[0]
    return list(build_salads(with_topics(sources, "glove"), recipe=recipe, n=n, seed=1))


def event_salads(part: str) -> list[Salad]:
    """Salads in event form of some articles of a part, kept once they are parsed."""
    path = KEPT / f"events-{part}.jsonl"
    if not path.is_file():
        articles, number = {"train": (500, 600), "dev": (100, 40), "test": (200, 200)}[part]
        documents = in_part(read_documents(DATA / "wiki_conflict.jsonl.xz"), part)
        named = [d for d in documents if d.category][:articles]  # neighbours: same-category exists
        sources = with_events(read_sources(named)[0])
        salads = [
            replace(salad, extra={**salad.extra, "recipe": recipe})
            for recipe in RECIPES
            for salad in build_salads(sources, recipe=recipe, n=number, seed=1)
        ]
        KEPT.mkdir(parents=True, exist_ok=True)
        write_text(path, "".join(json.dumps(s.to_row()) + "\n" for s in salads))
    return list(read_salads(path))


# Tests


def _test(salads: list[Salad], fixed: tuple[str, ...], trained: tuple[str, ...]) -> dict[str, Run]:
    """A run of every model that is there; of a trained one also with another clusterer."""
    found = {name: evaluate("salads", salads, name, metrics=["CA"]) for name in fixed}
    for name in trained:
        if not (KEPT / name / "config.json").is_file():
            continue
        model = create_model("salads", str(KEPT / name))
        once = _Once(model)
        for clusterer in ("kmedoids", "correlation"):
            model.clusterer = clusterer
            label = name if clusterer == "kmedoids" else f"{name} + {clusterer}"
            found[label] = evaluate("salads", salads, once, name=label, metrics=["CA"])
    return found


class _Once:
    """A trained model that scores the pairs of a salad once, however it is clustered."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.odds: dict[tuple[str, ...], Any] = {}

    def group(self, salads: Sequence[Salad]) -> list[Grouping]:
        new = [salad for salad in salads if salad.sentences not in self.odds]
        for salad, odds in zip(new, self.model.pair_odds(new), strict=True):
            self.odds[salad.sentences] = odds
        return [self.model.cluster(salad, self.odds[salad.sentences]) for salad in salads]


def _accuracies(recipe: str, place: int, found: dict[str, Run]) -> list[dict[str, Any]]:
    rows = []
    for name, done in found.items():
        ca = done.metrics["CA"]
        note = f"{len(done.items.ids)} salads, [{ca.low:.3f}, {ca.high:.3f}]; peer: the paper"
        peer = PAPER.get(name.removesuffix("-0.05"), (None, None))[place]
        rows.append(measured(f"salads {name}, {recipe}, CA", ca.value, peer, None, None, note))
    if len(found) < 3:
        rows.append(measured(f"salads trained models, {recipe}", None, note=f"none in {KEPT}"))
    return rows


def _order(recipe: str, found: dict[str, Run]) -> list[dict[str, Any]]:
    """The differences that the paper's order is made of, paired by salad, and Table 3."""
    rows = []
    for less, more in ORDER:
        if less in found and more in found:
            (pair,) = compare([found[more], found[less]], "CA")
            note = f"[{pair.low:+.3f}, {pair.high:+.3f}], p {pair.p_bootstrap:.2g}; peer: the paper"
            place = list(RECIPES).index(recipe)
            paper = PAPER[more.removesuffix("-0.05")][place] - PAPER[less][place]
            name = f"{more} less {less}, {recipe}, CA"
            rows.append(
                measured(f"salads {name}", pair.difference, round(paper, 3), None, None, note)
            )
    return rows


def _cosines(recipe: str, salads: list[Salad], found: dict[str, Run]) -> list[dict[str, Any]]:
    """Table 3: the rank correlation of CA with the topic cosine."""
    runs = [found[name] for name in FOUR if name in found]
    cosines = {salad.id: salad.cosine for salad in salads if salad.cosine is not None}
    rows = []
    for near in topic_correlation(runs, cosines, metric="CA") if runs else ():
        note = f"p {near.p:.2g}, {near.bad} of {near.items} below .65, {near.close} of them close"
        name = f"{near.model}, {recipe}, Spearman of CA with cosine"
        peer = RHO[near.model] if recipe == "random" else None
        rows.append(measured(f"salads {name}", near.rho, peer, None, None, note))
    return rows


def main(arguments: list[str]) -> None:
    """Train some models, ``NAME ... [PARAMETER=VALUE ...]``, where ``run`` looks for them."""
    from ast import literal_eval

    names = [word for word in arguments if "=" not in word]
    if not names or not DATA.is_dir():
        raise SystemExit("usage: python -m benchmarks.salads_models NAME ... [PARAMETER=VALUE ...]")
    chosen: dict[str, Any] = dict(SETTINGS)
    for setting in arguments[len(names) :]:
        key, _, value = setting.partition("=")
        chosen[key] = value if key in ("vectors", "clusterer") else literal_eval(value)
    logging.basicConfig(format="%(asctime)s %(message)s")
    logging.getLogger("fabula").setLevel(logging.INFO)
    for name in names:
        salads = (event_salads("train"), event_salads("dev")) if name in EVENTS else training()
        started = time.process_time()
        model = models.get(f"salads/{name}")(**chosen).fit(*salads)
        model.save(KEPT / (name if model.context == 1 else f"{name}-{model.context}"))
        seconds = time.process_time() - started
        print(name, chosen, model.accuracies_, f"{seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
