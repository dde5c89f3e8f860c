from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fabula.errors import InputError
from fabula.registry import create_model
from fabula.salads.build.event_form import events_of, sentence_tuples, with_events
from fabula.salads.build.mix import build_salads, read_sources
from fabula.salads.items import Salad, present, read_salads
from fabula.salads.models.sentence_vectors import salad_vectors
from fabula.text.io.records import write_records
from fabula.types import Document

ROBBERY = "Two men robbed the bank in the morning."
NOTHING = "It was quiet."


def test_the_events_of_a_sentence() -> None:
    assert sentence_tuples([ROBBERY, NOTHING]) == ((("rob", "men", "bank", "in", "morning"),), ())


def test_a_salad_keeps_its_own_events() -> None:
    own = ((("sing", "birds", ""),), ())
    given = Salad("given", (ROBBERY, NOTHING), events=own)
    bare = Salad("bare", (NOTHING, ROBBERY))
    assert events_of([given, bare]) == [own, ((), (("rob", "men", "bank", "in", "morning"),))]


def test_built_salads_have_the_events_of_their_sentences(tmp_path: Path) -> None:
    texts = {"a": "The guard opened the gate.", "b": "The cook burnt the soup."}
    documents = [
        Document(id=name, paragraphs=tuple([f"{text} {NOTHING}"] * 4))
        for name, text in texts.items()
    ]
    sources = with_events(read_sources(documents)[0])
    (salad,) = build_salads(sources, n=1)
    assert salad.events is not None and len(salad.events) == len(salad.sentences) == 16
    for sentence, events in zip(salad.sentences, salad.events, strict=True):
        expected = {
            "The guard opened the gate.": (("open", "guard", "gate"),),
            "The cook burnt the soup.": (("burn", "cook", "soup"),),
            NOTHING: (),
        }
        assert events == expected[sentence]
    write_records(tmp_path / "salads.jsonl", [salad.to_row()])
    assert list(read_salads(tmp_path / "salads.jsonl")) == [salad]
    view = present(salad, random.Random(1), {}).item
    assert view.sentences != salad.sentences and view.events is not None
    by_text = dict(zip(salad.sentences, salad.events, strict=True))
    assert [by_text[sentence] for sentence in view.sentences] == list(view.events)


@pytest.mark.parametrize(
    "events", [[[]], "rob", [[["rob"]], "men"], [[["rob"]], [[]]], [[["rob", 3]], []]]
)
def test_malformed_events_name_the_line(tmp_path: Path, events: Any) -> None:
    row = {"id": "x", "sentences": [ROBBERY, NOTHING], "documents": [], "events": events}
    write_records(tmp_path / "salads.jsonl", [row])
    with pytest.raises(InputError, match=r"salads\.jsonl:1: 'events' must"):
        list(read_salads(tmp_path / "salads.jsonl"))


def test_vectors_of_the_event_form() -> None:
    class Lengths:
        def encode(self, texts: list[str]) -> Any:
            self.texts = texts
            return np.array([[len(text)] for text in texts], dtype=np.float32)

    salad = Salad("s", (ROBBERY, NOTHING))
    (vectors,) = salad_vectors("tfidf,events", [salad])
    assert len(vectors) == 2 and np.linalg.norm(vectors[1]) == 0  # nothing happens in it
    assert (
        create_model("salads", "kmedoids:tfidf,events")
        .group([Salad("s", (ROBBERY, NOTHING), stories=2)])[0]
        .stories
        <= 2
    )
