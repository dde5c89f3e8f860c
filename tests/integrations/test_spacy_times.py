"""The spaCy component fabula_times."""

from __future__ import annotations

from fabula.integrations.spacy_times import create_times
from fabula.text.parse.pipeline import pipeline


def test_a_doc_gets_spans_and_token_attributes() -> None:
    nlp = pipeline()
    component = create_times(nlp, "fabula_times", "1999-06-15", "auto", "times")
    doc = component(nlp("The bridge fell on Monday at 9 p.m. and stood for two years."))
    spans = [(span.text, span.label_, span._.time_value) for span in doc.spans["times"]]
    assert spans == [
        ("Monday at 9 p.m.", "TIME", "1999-06-14T21:00"),
        ("two years", "DURATION", "P2Y"),
    ]
    assert doc[4]._.time_value == "1999-06-14T21:00" and doc[0]._.time_value is None


def test_spacy_knows_the_factory() -> None:
    from spacy.language import Language

    assert Language.has_factory("fabula_times")
