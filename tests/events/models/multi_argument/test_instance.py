"""Instance-based models of whole events: which documents count, and how much."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabula.bench.evaluate import evaluate
from fabula.errors import UsageError
from fabula.events.cloze.event_test import EventTest
from fabula.events.counts.counting import count
from fabula.events.items import Chain, Event
from fabula.events.models.multi_argument.bigram import MultiBigram
from fabula.events.models.multi_argument.instance import MultiInstanceBigram, MultiInstanceUnigram
from fabula.events.models.multi_argument.rewriting import MultiEvent, multi_event
from fabula.events.models.multi_argument.unigram import MultiUnigram
from fabula.registry import create_model


def event(verb: str, subject: str | None, other: str | None = None) -> Event:
    args = {slot: who for slot, who in (("subj", subject), ("obj", other)) if who}
    return Event(verb, "subj" if subject == "x" else "obj", args)


def chain(document: str, *events: Event) -> Chain:
    return Chain(document, "x", events)


ARREST, FLEE, RUN = event("arrest", "y", "x"), event("flee", "x"), event("run", "x", "z")
SING, PAY = event("sing", "x"), event("pay", "x", "z")
TRAINING = [
    chain("chase", ARREST, FLEE, RUN),
    chain("chase 2", ARREST, FLEE, RUN, RUN),
    chain("opera", SING, PAY, SING),
    chain("opera 2", SING, PAY),
    chain("opera 3", SING, PAY, event("arrest", "x")),  # x arrests here: another whole event
]


def asked(*known: Event) -> EventTest:
    return EventTest("t", known, len(known), entity="x")


def test_documents_are_found_by_whole_events() -> None:
    model = MultiInstanceUnigram(share=1.0, weight=1.0).fit(TRAINING)
    found = model.instances([*map(_whole, (ARREST, FLEE))], "x")
    assert found.documents.tolist() == [0, 1] and found.backed_off == "no"
    fewer = model.instances([*map(_whole, (ARREST, PAY))], "x")
    assert fewer.documents.tolist() == [0, 1, 2, 3, 4] and fewer.backed_off == "fewer"
    assert model.instances([_whole(event("yodel", "x"))], "x").backed_off == "all"
    assert model.backed_off_ == {"no": 1, "fewer": 1, "all": 1}


def _whole(given: Event) -> MultiEvent:
    return multi_event(given, "x")


def test_unigrams_are_those_of_the_documents() -> None:
    (ranking,) = MultiInstanceUnigram(share=1.0, weight=1e-9).fit(TRAINING).rank([asked(ARREST)], 5)
    counted = {"arrest": 2, "flee": 2, "run": 3}
    total = sum(counted.values())
    shares = {p.event.verb: p.score for p in ranking.predictions if p.score > 1e-6}
    assert shares == pytest.approx({verb: n / total for verb, n in counted.items()})
    (everywhere,) = MultiUnigram().fit(TRAINING).rank([asked(ARREST)], 5)
    assert everywhere.predictions[0].event.verb == "sing" != ranking.predictions[0].event.verb


def test_bigrams_add_the_pairs_of_the_documents() -> None:
    plain = MultiBigram().fit(TRAINING)
    none, twice = (MultiInstanceBigram(weight=w).fit(TRAINING) for w in (0, 2))
    test = asked(ARREST, FLEE)
    (one,), (same,), (more,) = (m.rank([test], 9) for m in (plain, none, twice))
    assert [(p.event, round(p.score, 6)) for p in one.predictions] == [
        (p.event, round(p.score, 6)) for p in same.predictions
    ]
    run = plain.ids_["run"]
    pairs, firsts = plain.pairs_, plain.firsts_
    doubled = twice.with_pairs(twice.document_pairs_[twice.document_pairs_[:, 0] <= 1])
    assert int(doubled.counts.sum()) == int(pairs.counts.sum()) + 2 * (3 + 6)
    assert firsts.sum() == pairs.counts.sum() and run >= 0
    assert more.predictions[0].event.verb == "run"


def test_they_are_models_like_any_other(tmp_path: Path) -> None:
    for name in ("multi-instance-unigram", "multi-instance-bigram"):
        model = create_model("events", f"{name}:50").fit(TRAINING)
        assert model.share == 0.5
        model.save(tmp_path / name)
        again = create_model("events", str(tmp_path / name))
        test = EventTest("t", (ARREST, FLEE), 2, RUN, entity="x")
        assert again.rank([test], 5) == model.rank([test], 5)
        run = evaluate("events", [test], again)
        assert np.isfinite(run.metrics["recall@50"].value)
        with pytest.raises(UsageError, match="needs whole events"):
            type(model)().fit(count(TRAINING))
