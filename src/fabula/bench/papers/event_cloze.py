"""Chambers 2017, Behind the Scenes of an Evolving Event Cloze Test: Tables 1-4 and Figure 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from fabula.bench.evaluate import evaluate
from fabula.bench.papers import Paper, Table
from fabula.bench.store import Run
from fabula.errors import UsageError
from fabula.events.build import RECIPES, build_tests
from fabula.events.cloze import EventTest
from fabula.events.counting import count
from fabula.events.counts import Counts
from fabula.events.items import Chain, Event
from fabula.events.models.pmi import CUTOFFS
from fabula.events.sources import chains_of, in_part

__all__ = ["PAPER", "State"]

_SINGLE: tuple[tuple[str, float, str, dict[str, Any]], ...] = (
    ("Unigrams", 0.338, "unigram", {}),
    ("Uni Exact 100%", 0.347, "instance-unigram", {"share": 1.0}),
    ("Uni Exact 50%", 0.386, "instance-unigram", {"share": 0.5}),
    ("Bigrams (k=2)", 0.465, "bigram", {}),
    ("Bi Exact 100% (k=2)", 0.460, "instance-bigram", {"share": 1.0}),
    ("PMI", 0.038, "pmi", {"cutoff": 0}),
    ("PMI w/cutoff", 0.391, "pmi", {}),
)
_MULTI: tuple[tuple[str, float, str | None, dict[str, Any]], ...] = (
    ("Unigrams", 0.322, None, {}),
    ("Uni Exact 100%", 0.332, None, {}),
    ("Uni Exact 50%", 0.368, None, {}),
    ("Bigrams (k=5)", 0.408, "multi-bigram", {}),
    ("Bi Exact 100% (k=5)", 0.396, None, {}),
    ("PMI", 0.068, "multi-pmi", {"cutoff": 0}),
    ("PMI w/cutoff", 0.364, "multi-pmi", {"cutoff": 50}),
)
_INFORMATION = (("unigram", 5.8), ("bigram", 6.7), ("pmi", 9.4))
_EXAMPLE = "score->nsubj set_up->nsubj head->nsubj challenge->nsubj"
_THEIRS = {
    "unigram": "X said, X have, X had, told X, X told, X is, X was, said X, X has, killed X",
    "bigram": "X made, X said, X scored, X accused, X had, told X, X told, X is, X was, said X",
    "pmi": "X scored, X beat, X played, X missed, X hit, X led, X joined, X went, X finished",
}


@dataclass
class State:
    """Counts of the training part, tests of the test part, and what was measured so far."""

    training: list[Chain]
    counts: Counts
    tuning: list[EventTest]
    tests: list[EventTest]
    seed: int
    runs: dict[str, Run] = field(default_factory=dict)
    models: dict[str, Any] = field(default_factory=dict)

    def model(self, name: str, **options: Any) -> Any:
        from fabula.registry import models

        key = f"{name} {options}"
        if key not in self.models:
            learns = self.training if name.startswith("multi-") else self.counts
            dev = () if name.startswith("instance-") else self.tuning
            self.models[key] = models.get(f"events/{name}")(**options).fit(learns, dev)
        return self.models[key]

    def run(self, name: str, **options: Any) -> Run:
        key = f"{name} {options}"
        if key not in self.runs:
            model = self.model(name, **options)
            self.runs[key] = evaluate("events", self.tests, model, name=key, seed=self.seed)
        return self.runs[key]


def prepare(corpus: Sequence[str], quick: bool, seed: int) -> State:
    """Documents by their part; one random hole in each of 2,000 (quick: 300) random chains."""
    chains = [chain for path in corpus for chain in chains_of(path) if len(chain.events) >= 2]
    train, dev, test = (list(in_part(chains, part)) for part in ("train", "dev", "test"))
    if not (train and dev and test):
        raise UsageError(
            f"{', '.join(map(str, corpus))}: too few documents for a train, dev and test part"
        )
    number, rules = 300 if quick else 2000, RECIPES["lm-cloze"]
    return State(
        train,
        count(train),
        list(build_tests(dev, rules, n=number // 2, seed=seed + 1)),
        list(build_tests(test, rules, n=number, seed=seed)),
        seed,
    )


def _estimate(run: Run, metric: str = "recall@50") -> str:
    e = run.metrics[metric]
    digits = 3 if metric.startswith("recall") else 1
    return f"{e.value:.{digits}f} [{e.low:.{digits}f}, {e.high:.{digits}f}]"


_COLUMNS = ("model", "paper", "ours, recall@50")
_NOTE = "ours: one random hole in each of {n} random test chains, ties at mean rank, 95 % intervals"


def table1(state: State) -> Table:
    rows = [
        (label, f"{theirs:.3f}", _estimate(state.run(name, **options)))
        for label, theirs, name, options in _SINGLE
    ]
    tuned = state.model("pmi").tuned("cutoff")
    notes = [_NOTE.format(n=len(state.tests)), f"PMI cutoff tuned on the dev part: {tuned}"]
    for share in (1.0, 0.5):
        model = state.model("instance-unigram", share=share)
        asked = ", ".join(f"{how} {n}" for how, n in sorted(model.backed_off_.items()))
        notes.append(f"Uni Exact {share:.0%}: backed off to fewer events or all: {asked}")
    return Table("Table 1: single argument chains", _COLUMNS, tuple(rows), tuple(notes))


def table2(state: State) -> Table:
    if not any(event.args for chain in state.training for event in chain.events):
        note = "the corpus has single-argument chains only: build chains with fabula build chains"
        rows = tuple((label, f"{theirs:.3f}", "-") for label, theirs, _, _ in _MULTI)
        return Table("Table 2: multiple argument chains", _COLUMNS, rows, (note,))
    found = [
        (label, f"{theirs:.3f}", _estimate(state.run(name, **options)) if name else "-")
        for label, theirs, name, options in _MULTI
    ]
    return Table("Table 2: multiple argument chains", _COLUMNS, tuple(found))


def table3(state: State) -> Table:
    rows = [
        (name, f"{theirs:.1f}", _estimate(state.run(name, **_plain(name)), "IC"))
        for name, theirs in _INFORMATION
    ]
    note = "ours: mean bits of the first 10 predictions, by the training part's frequencies"
    columns = ("model", "paper", "ours, bits")
    return Table("Table 3: information content of predictions", columns, tuple(rows), (note,))


def _plain(name: str) -> dict[str, Any]:
    return {"cutoff": 0} if name == "pmi" else {}


def table4(state: State) -> Table:
    words = [word.partition("->") for word in _EXAMPLE.split()]
    known = tuple(Event(verb, slot) for verb, _, slot in words)
    test = EventTest("example", known, len(known))
    rows = []
    for name, theirs in _THEIRS.items():
        (ranking,) = state.model(name).rank([test], 10)
        ours = ", ".join(str(p.event) for p in ranking.predictions)
        rows.append((name, theirs, ours))
    title = f"Table 4: predictions for {_EXAMPLE}"
    return Table(title, ("model", "paper", "ours (pmi with its cutoff)"), tuple(rows))


def figure1(state: State) -> Table:
    from fabula.bench.cutoff import cutoff_curve, plot

    curve = cutoff_curve(state.counts, state.tests, CUTOFFS)
    rows = tuple(
        (str(p.cutoff), p.candidates, f"{p.recall:.3f} [{p.low:.3f}, {p.high:.3f}]") for p in curve
    )
    note = "the paper prints no numbers: .038 at no cutoff, .391 at its best"
    columns = ("cutoff", "events ranked", "recall@50")
    return Table("Figure 1: PMI by frequency cutoff", columns, rows, (note,), plot(curve))


PAPER = Paper(
    title="Behind the Scenes of an Evolving Event Cloze Test (2017)",
    prepare=prepare,
    tables={
        "table1": table1,
        "table2": table2,
        "table3": table3,
        "table4": table4,
        "figure1": figure1,
    },
    corpus="a file of chains, such as a nachos file or what fabula build chains writes",
)
