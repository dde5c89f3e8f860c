"""Event cloze: chains counted and tested by their part, each model measured once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.papers.shape import Found, Row
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
    "Model",
    "State",
    "curve",
    "fitted",
    "information",
    "predictions",
    "recalls",
    "state_of",
]


@dataclass(frozen=True, slots=True)
class Model:
    """A row of a table: a model of events with its options; None where there is no such model."""

    label: str
    name: str | None
    options: Mapping[str, Any] = field(default_factory=dict)
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Counts of the training part, tests of the test part and its chains, and tests to tune on."""

    training: list[Chain]
    counts: Counts
    tuning: list[EventTest]
    tests: list[EventTest]
    testing: list[Chain]


def state_of(work: Work, role: str) -> State:
    """The chains of a corpus by their part, counted and made into tests."""

    def make() -> State:
        chains = [chain for chain in _chains(work, role) if len(chain.events) >= 2]
        train, dev, test = (list(in_part(chains, part)) for part in ("train", "dev", "test"))
        if not (train and dev and test):
            label = work.corpora[role].label
            raise UsageError(f"{label}: too few documents for a train, dev and test part")
        number, rules = work["tests"], RECIPES["lm-cloze"]
        return State(
            train,
            count(train),
            list(build_tests(dev, rules, n=max(1, number // 2), seed=work.seed + 1)),
            list(build_tests(test, rules, n=number, seed=work.seed)),
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
        state = state_of(work, role)
        learns = state.training if name.startswith("multi-") else state.counts
        dev = () if name.startswith("instance-") else state.tuning
        return models.get(f"events/{name}")(**options).fit(learns, dev)

    return work.once(f"model {role} {name} {sorted(options.items())}", make)


def _measured(work: Work, role: str, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    def measure() -> dict[str, Any]:
        model = fitted(work, role, name, options)
        run = evaluate("events", state_of(work, role).tests, model, name=name, seed=work.seed)
        found: dict[str, Any] = {
            metric: {"value": float(e.value), "low": float(e.low), "high": float(e.high)}
            for metric, e in run.metrics.items()
            if metric in ("recall@50", "IC")
        }
        found["tuned"] = {key: str(value) for key, value in getattr(model, "tuned_", {}).items()}
        backed = getattr(model, "backed_off_", {})
        found["backed_off"] = {str(how): int(n) for how, n in sorted(backed.items())}
        return found

    return work.cell(f"{role} {name} {sorted(options.items())}", measure)


# Tables 1 and 2


def recalls(
    work: Work, *, role: str, rows: Sequence[Model], published: Mapping[str, float]
) -> Found:
    """Recall@50 of each model: one random hole in each of the random test chains."""
    state = state_of(work, role)
    whole = any(event.args for chain in state.training for event in chain.events)
    if not whole and any((one.name or "").startswith("multi-") for one in rows):
        said = "the corpus has single-argument chains only: build chains with fabula build chains"
        return Found(tuple(Row((o.label,), published[o.label], None) for o in rows), (said,))
    found, notes = [], []
    for one in rows:
        theirs = published[one.label]
        if one.name is None:
            found.append(Row((one.label,), theirs, None, why=one.why))
            continue
        cell = _measured(work, role, one.name, one.options)
        found.append(Row.of((one.label,), theirs, cell["recall@50"], why=one.why))
        tuned = [f"{k} {v}" for k, v in cell["tuned"].items() if k not in one.options]
        told = [f"tuned on dev: {', '.join(tuned)}"] if tuned else []
        backed = [f"{how} {n}" for how, n in cell["backed_off"].items()]
        told += [f"backed off: {', '.join(backed)}"] if backed else []
        if told:
            notes.append(f"{one.label}: {'; '.join(told)}")
    documents = len({chain.document for chain in state.training})
    sizes = f"{documents} training documents, {len(state.tests)} test chains, ties at mean rank"
    return Found(tuple(found), (sizes, *notes))


# Table 3


def information(work: Work, *, rows: Sequence[Model], published: Mapping[str, float]) -> Found:
    """Mean bits of the first ten predictions, by the training part's frequencies."""
    found = [
        Row.of(
            (one.label,),
            published[one.label],
            _measured(work, "chains", str(one.name), one.options)["IC"],
            digits=1,
        )
        for one in rows
    ]
    return Found(tuple(found))


# Table 4


def predictions(
    work: Work, *, rows: Sequence[Model], example: str, published: Mapping[str, str]
) -> Found:
    """The first ten predictions for the paper's example."""

    def measure() -> dict[str, Any]:
        state = state_of(work, "chains")
        slots = {event.slot for chain in state.training for event in chain.events}
        subject = "nsubj" if "nsubj" in slots else "subj"  # as the corpus at hand calls it
        known = tuple(Event(verb, subject) for verb in example.split())
        test = EventTest("example", known, len(known))
        found = {"asked": " ".join(map(str, known))}
        for one in rows:
            (ranking,) = fitted(work, "chains", str(one.name), one.options).rank([test], 10)
            found[one.label] = ", ".join(str(p.event) for p in ranking.predictions)
        return found

    cell = work.cell("predictions", measure)
    found = [Row((one.label,), published[one.label], cell[one.label]) for one in rows]
    return Found(tuple(found), (f"asked: {cell['asked']}",))


# Figure 1


def curve(work: Work, *, published: Mapping[str, float]) -> Found:
    """Recall@50 of PMI by frequency cutoff."""
    from fabula.bench.experiments.cutoff import Point, cutoff_curve, plot

    cutoffs = [int(part) for part in work["cutoffs"].split(",")] if work["cutoffs"] else CUTOFFS

    def measure() -> dict[str, Any]:
        state = state_of(work, "chains")
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
    return Found(tuple(rows), (note,), {"cutoff": plot(points)})
