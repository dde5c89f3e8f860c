"""The spaCy components, as spaCy itself finds, stores and runs them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from fabula.errors import FabulaError
from fabula.integrations.spacy_coref import create_coref
from fabula.integrations.spacy_events import create_events
from fabula.text.parse.pipeline import pipeline

TEXT = "The police arrested Jon but he escaped on Monday. Jon did not flee."
NAMES = ("fabula_times", "fabula_coref", "fabula_events")


@pytest.fixture
def nlp() -> Any:
    """The packaged pipeline with the three components, by their names."""
    nlp = pipeline()
    for name in NAMES:
        nlp.add_pipe(name)
    yield nlp
    for name in NAMES:
        nlp.remove_pipe(name)


def test_mentions_of_an_entity_are_a_span_group() -> None:
    nlp = pipeline()
    doc = create_coref(nlp, "fabula_coref", "best", "coref")(nlp(TEXT))
    groups = [[span.text for span in doc.spans[key]] for key in doc.spans if "coref" in key]
    assert ["Jon", "he", "Jon"] in groups


def test_events_are_chains_and_spans() -> None:
    nlp = pipeline()
    doc = create_events(nlp, "fabula_events", "best", 2, "events")(nlp(TEXT))
    assert [span.label_ for span in doc.spans["events"]] == ["arrest", "escape", "flee"]
    assert [span._.event_negated for span in doc.spans["events"]] == [False, False, True]
    (chain,) = [chain for chain in doc._.event_chains if chain.entity == "Jon"]
    assert [str(event) for event in chain.events] == ["arrest->obj", "escape->subj", "flee->subj"]


def test_documents_are_stored_and_come_back_with_everything(nlp: Any) -> None:
    doc = nlp(TEXT)
    assert [chain.entity for chain in doc._.event_chains] == ["Jon"]
    stored = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (again,) = DocBin(store_user_data=True).from_bytes(stored).get_docs(nlp.vocab)
    for copy in (Doc(nlp.vocab).from_bytes(doc.to_bytes()), again):
        assert copy._.event_chains == doc._.event_chains
        assert {key: len(copy.spans[key]) for key in copy.spans} == {
            "times": 1, "coref_1": 3, "events": 3,
        }  # fmt: skip
        assert copy.spans["events"][2]._.event_negated


def test_a_pipeline_is_saved_with_its_settings(nlp: Any, tmp_path: Path) -> None:
    nlp.remove_pipe("fabula_times")
    nlp.add_pipe("fabula_times", config={"date": "1999-06-15"})
    nlp.to_disk(tmp_path / "nlp", exclude=["vocab", "tok2vec", "parser", "tagger", "ner"])
    config = spacy.util.load_config(tmp_path / "nlp" / "config.cfg")
    assert config["components"]["fabula_times"]["date"] == "1999-06-15"
    assert config["components"]["fabula_events"]["factory"] == "fabula_events"


@pytest.mark.parametrize("text", ["", "...", "\n\n", "😀"])
def test_little_text_is_no_error(nlp: Any, text: str) -> None:
    assert nlp(text)._.event_chains == ()


def test_without_a_parser_there_is_an_error_or_a_warning(caplog: Any) -> None:
    for name in ("fabula_coref", "fabula_events"):
        blank = spacy.blank("en")
        blank.add_pipe(name)
        with pytest.raises(FabulaError, match=f"{name} needs a tagger and a parser"):
            blank("He left on Monday.")
    blank = spacy.blank("en")
    blank.add_pipe("fabula_times")
    with caplog.at_level(logging.WARNING, "fabula"):
        doc = blank("He left on Monday.")
    assert [span.text for span in doc.spans["times"]] == ["Monday"]
    assert "no tagger or parser" in caplog.text


@pytest.mark.parametrize(
    ("name", "config", "why"),
    [
        ("fabula_times", {"date": "yesterday"}, "YYYY"),
        ("fabula_times", {"strategy": "x"}, "auto, news, narrative"),
        ("fabula_events", {"least": 0}, "from 1"),
        ("fabula_coref", {"resolver": "nope"}, "Known: best"),
    ],
)
def test_a_wrong_setting_is_named(name: str, config: dict[str, Any], why: str) -> None:
    with pytest.raises(FabulaError, match=why):
        spacy.blank("en").add_pipe(name, config=config)
