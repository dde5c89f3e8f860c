"""Reflexives bind in their clause, whatever stands nearer or is more prominent."""

from __future__ import annotations

import pytest

from fabula.text.coref.reflexives import clause_subject
from fabula.text.coref.rules import join_by_rules
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Rui Tavares spoke with the taker. The hostage taker shot himself dead.", "taker"),
        ("Hines told Bellini to shoot himself.", "Bellini"),
        ("Hines promised Bellini to shoot herself.", "Hines"),
        ("The man who hanged himself left a note.", "man"),
        ("Ann saw Bo hurt himself.", "Bo"),
    ],
)
def test_the_subject_of_a_reflexive(text: str, subject: str) -> None:
    (parsed,) = Parser().each(Parsed.of, [text])
    mentions, _, by_head = join_by_rules(parsed)
    reflexive = next(m for m in mentions if m.reflexive)
    found = clause_subject(parsed, reflexive.head, by_head)
    assert found is not None
    assert parsed.words[mentions[found].head] == subject
