from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError

import pytest

from fabula.types import Aside, Document, Narrative, Placed, Sentence


def test_a_document() -> None:
    document = Document("a", ("One.", "Two."), date="2011-03-14", extra={"desk": "news"})
    assert document.text == "One.\n\nTwo."
    assert document.extra["desk"] == "news"
    assert Document("b", ("One.",)).extra == {}


@pytest.mark.parametrize(
    ("date", "month"),
    [(None, None), ("", None), ("2011", None), ("2011-03", "2011-03"), ("2011-03-14", "2011-03")],
)
def test_the_month_of_a_document(date: str | None, month: str | None) -> None:
    assert Document("a", ("One.",), date=date).month == month


@pytest.mark.parametrize(
    "value",
    [
        Document("a", ("One.",)),
        Sentence("One.", "a.txt", 3),
        Placed(Sentence("One."), 1, 0.5),
        Narrative(1, "Rook", ()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_do_not_change(value: object) -> None:
    field = next(iter(value.__slots__))  # type: ignore[attr-defined]
    with pytest.raises(FrozenInstanceError):
        setattr(value, field, None)
    with pytest.raises((AttributeError, TypeError)):
        setattr(value, "new", None)  # noqa: B010


def test_a_narrative_goes_to_another_process() -> None:
    narrative = Narrative(1, "Rook", (Placed(Sentence("One.", "a.txt", 3), 1, 0.5),))
    assert pickle.loads(pickle.dumps(narrative)) == narrative  # noqa: S301


def test_a_document_goes_to_another_process() -> None:
    document = Document("a", ("One.",))
    assert pickle.loads(pickle.dumps(document)) == document  # noqa: S301


def test_a_document_is_read_back_from_its_row_also_from_one_without_asides() -> None:
    aside = (Aside("signature", "-- \nAnn", 7),)
    document = Document("a", ("One.",), lines=(3,), extra={"from": "ann"}, aside=aside)
    row = document.to_row()
    assert Document.from_row(json.loads(json.dumps(row))) == document
    del row["aside"]
    assert Document.from_row(row).aside == ()


def test_a_document_is_well_formed(caplog: pytest.LogCaptureFixture) -> None:
    document = Document(
        "a\udce9",
        ("One\ud800.", "Two \ud83d\ude00."),
        source="caf\udce9.txt",
        extra={"k": ["\udfff"]},
    )
    assert document.paragraphs == ("One\ufffd.", "Two \U0001f600.")
    assert (document.id, document.source) == ("a\ufffd", "caf\ufffd.txt")
    assert document.extra == {"k": ["\ufffd"], "characters_replaced": 1}
    assert "1 characters that are no text" in caplog.text
    assert Document.from_row(document.to_row()) == document
    assert Sentence("x\ud800").text == "x\ufffd"
