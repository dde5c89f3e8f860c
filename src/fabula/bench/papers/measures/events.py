"""Event-cloze tables: count training chains, build tests, fit and measure each model once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.shape import Row, TableResult
from fabula.bench.papers.work import Work
from fabula.errors import UsageError
from fabula.events.build import build_tests
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.counting import count
from fabula.events.counts.event_counts import Counts
from fabula.events.formats.sources import chains_from, in_part
from fabula.events.items import Chain, Event
from fabula.events.models.pmi import CUTOFFS
from fabula.events.recipes import RECIPES
from fabula.registry import models

__all__ = [
    "ClozeData",
    "EventModel",
    "cloze_data",
    "curve",
    "fitted",
    "information",
    "predictions",
    "recalls",
]


@dataclass(frozen=True, slots=True)
class EventModel:
    """A model row of a table; ``name`` is None where the package has no such model."""

    label: str
    name: str | None
    options: Mapping[str, Any] = field(default_factory=dict)
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ClozeData:
    """Train chains and their counts, dev tests for tuning, test chains and their tests."""

    training: list[Chain]
    counts: Counts
    tuning: list[EventTest]
    tests: list[EventTest]
    testing: list[Chain]


def cloze_data(work: Work, role: str) -> ClozeData:
    """Split a corpus's chains by part, count the train part, build dev and test cloze tests."""

    def make() -> ClozeData:
        chains = [chain for chain in _chains(work, role) if len(chain.events) >= 2]
        train, dev, test = (list(in_part(chains, part)) for part in ("train", "dev", "test"))
        if not (train and dev and test):
            label = work.corpora[role].label
            raise UsageError(f"{label}: too few documents for a train, dev and test part")
        n_tests, recipe = work["tests"], RECIPES["lm-cloze"]
        return ClozeData(
            train,
            count(train),
            list(build_tests(dev, recipe, n=max(1, n_tests // 2), seed=work.seed + 1)),
            list(build_tests(test, recipe, n=n_tests, seed=work.seed)),
            test,
        )

    return work.once(f"state {role}", make)


def _chains(work: Work, role: str) -> list[Chain]:
    corpus = work.corpora[role]
    if not corpus.stands_in:
        return list(chains_from(corpus.source))
    if corpus.source == "sample-chains":
        from fabula.events.extract.chains import build_chains
        from fabula.text.io.documents import read_documents

        documents = list(read_documents("sample"))[: work["documents"]]
        return list(build_chains(documents))
    import fabula

    return list(chains_from(Path(fabula.__file__).parent / "data" / "weights" / "events-counts"))


def fitted(work: Work, role: str, name: str, options: Mapping[str, Any]) -> Any:
    """A model trained on the training part and tuned on the dev part."""

    def make() -> Any:
        state = cloze_data(work, role)
        learns = state.training if name.startswith("multi-") else state.counts
        dev = () if name.startswith("instance-") else state.tuning
        return models.get(f"events/{name}")(**options).fit(learns, dev)

    return work.once(f"model {role} {name} {sorted(options.items())}", make)


def _measure(work: Work, role: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    def measure() -> dict[str, Any]:
        model = fitted(work, role, name, options)
        run = evaluate("events", cloze_data(work, role).tests, model, name=name, seed=work.seed)
        cell: dict[str, Any] = {
            metric: {
                "value": float(estimate.value),
                "low": float(estimate.low),
                "high": float(estimate.high),
            }
            for metric, estimate in run.metrics.items()
            if metric in ("recall@50", "IC")
        }
        cell["tuned"] = {key: str(value) for key, value in getattr(model, "tuned_", {}).items()}
        backed = getattr(model, "backed_off_", {})
        cell["backed_off"] = {str(how): int(n) for how, n in sorted(backed.items())}
        return cell

    return work.cell(f"{role} {name} {sorted(options.items())}", measure)


# Tables 1 and 2


def recalls(
    work: Work, *, role: str, rows: Sequence[EventModel], published: Mapping[str, float]
) -> TableResult:
    """Recall@50 of each model on the LM cloze: one random held-out event per test chain."""
    state = cloze_data(work, role)
    has_arguments = any(event.args for chain in state.training for event in chain.events)
    if not has_arguments and any((model.name or "").startswith("multi-") for model in rows):
        note = "the corpus has single-argument chains only: build chains with fabula build chains"
        return TableResult(
            tuple(Row((model.label,), published.get(model.label), None) for model in rows), (note,)
        )
    table_rows, notes = [], []
    for model in rows:
        theirs = published.get(model.label)
        if model.name is None:
            table_rows.append(Row((model.label,), theirs, None, why=model.why))
            continue
        cell = _measure(work, role, model.name, model.options)
        table_rows.append(Row.of((model.label,), theirs, cell["recall@50"], why=model.why))
        tuned = [f"{k} {v}" for k, v in cell["tuned"].items() if k not in model.options]
        remarks = [f"tuned on dev: {', '.join(tuned)}"] if tuned else []
        backed = [f"{how} {n}" for how, n in cell["backed_off"].items()]
        remarks += [f"backed off: {', '.join(backed)}"] if backed else []
        if remarks:
            notes.append(f"{model.label}: {'; '.join(remarks)}")
    documents = len({chain.document for chain in state.training})
    sizes = f"{documents} training documents, {len(state.tests)} test chains, ties at mean rank"
    return TableResult(tuple(table_rows), (sizes, *notes))


# Table 3


def information(
    work: Work, *, rows: Sequence[EventModel], published: Mapping[str, float]
) -> TableResult:
    """Mean information content (bits) of the top ten predictions, by training frequency."""
    table_rows = [
        Row.of(
            (model.label,),
            published[model.label],
            _measure(work, "chains", str(model.name), model.options)["IC"],
            digits=1,
        )
        for model in rows
    ]
    return TableResult(tuple(table_rows))


# Table 4


def predictions(
    work: Work, *, rows: Sequence[EventModel], example: str, published: Mapping[str, str]
) -> TableResult:
    """The first ten predictions for the paper's example."""

    def measure() -> dict[str, Any]:
        state = cloze_data(work, "chains")
        slots = {event.slot for chain in state.training for event in chain.events}
        subject = "nsubj" if "nsubj" in slots else "subj"  # as the corpus at hand calls it
        context = tuple(Event(verb, subject) for verb in example.split())
        test = EventTest("example", context, len(context))
        answers = {"asked": " ".join(map(str, context))}
        for model in rows:
            (ranking,) = fitted(work, "chains", str(model.name), model.options).rank([test], 10)
            answers[model.label] = ", ".join(str(p.event) for p in ranking.predictions)
        return answers

    cell = work.cell("predictions", measure)
    table_rows = [Row((model.label,), published[model.label], cell[model.label]) for model in rows]
    return TableResult(tuple(table_rows), (f"asked: {cell['asked']}",))


# Figure 1


def curve(work: Work, *, published: Mapping[str, float]) -> TableResult:
    """Recall@50 of PMI by frequency cutoff."""
    from fabula.bench.experiments.cutoff import Point, cutoff_curve, plot

    cutoffs = [int(part) for part in work["cutoffs"].split(",")] if work["cutoffs"] else CUTOFFS

    def measure() -> dict[str, Any]:
        state = cloze_data(work, "chains")
        points = cutoff_curve(state.counts, state.tests, cutoffs)
        return {"points": [[p.cutoff, p.candidates, p.recall, p.low, p.high] for p in points]}

    points = [Point(*values) for values in work.cell("cutoffs", measure)["points"]]
    best = max(points, key=lambda point: point.recall)
    rows = []
    for point in points:
        theirs = published["none"] if point.cutoff <= 1 else None
        theirs = published["best"] if point is best else theirs
        labels = (str(point.cutoff), f"{point.candidates}")
        rows.append(Row(labels, theirs, point.recall, point.low, point.high))
    note = "the paper prints a curve: its numbers are those of no cutoff and of the best one"
    return TableResult(tuple(rows), (note,), {"cutoff": plot(points)})
