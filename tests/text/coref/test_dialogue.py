"""Dialogue: who says "I" in a quotation, whom "you" means, and how sure that is."""

from __future__ import annotations

import pytest

from fabula.text.coref import CERTAIN, resolve
from fabula.text.coref.learned.resolver import Learned
from fabula.text.coref.speech import speaker_of
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


def parse(text: str) -> Parsed:
    (parsed,) = Parser().each(Parsed.of, [text])
    return parsed


def meant(text: str, pronoun: str, nth: int = 0) -> tuple[set[str], float]:
    """The other words of the cluster of the nth such pronoun, and its certainty."""
    parsed = parse(text)
    clusters, certainty = resolve(Learned(), parsed)
    token = [t for t, word in enumerate(parsed.words) if word.lower() == pronoun][nth]
    (cluster,) = (c for c in clusters if any(span.head == token for span in c))
    return {parsed.words[s.head] for s in cluster if s.head != token}, certainty.get(token, 1.0)


TALK = (
    '"I saw the thief," said Anna Berg. "Did you?" asked Paul Lind. "I did not know." '
    '"You were asleep, Paul," said Anna.'
)


def test_who_speaks_is_i_and_that_is_certain() -> None:
    words, certainty = meant(TALK, "i")
    assert "Berg" in words
    assert certainty >= CERTAIN


def test_whom_a_turn_calls_by_name_is_you_and_that_is_doubtful() -> None:
    words, certainty = meant(TALK, "you", -1)
    assert "Lind" in words or "Paul" in words
    assert "Berg" not in words
    assert certainty < CERTAIN


def test_a_verb_of_speaking_is_not_that_of_the_next_quotation() -> None:
    parsed = parse('Curtis sat down. "I am tired." "Let me help," said Florence.')
    opening = parsed.words.index('"')
    assert speaker_of(parsed, opening, parsed.words.index('"', opening + 1) + 1) is None


def test_a_question_is_answered_by_another() -> None:
    text = 'Anna Berg met Paul Lind. "Where were you?" Anna asked. "I was at home."'
    words, certainty = meant(text, "i")
    assert "Berg" not in words or certainty < CERTAIN


@pytest.mark.parametrize(
    "text",
    [
        '"I never said so.',
        '"" "" ""',
        '"I." "You." "I." "You."',
        '"' + "I told you. " * 50,
        "“I saw you “and you saw me” he said.",
    ],
)
def test_odd_quotations_are_read(text: str) -> None:
    parsed = parse(text)
    clusters, certainty = resolve(Learned(), parsed)
    heads = [span for cluster in clusters for span in cluster]
    assert len(heads) == len(set(heads))
    assert all(0 < chance <= 1 for chance in certainty.values())


def test_things_are_left_out_when_asked() -> None:
    text = "Anna Berg read the letter. She liked it. The letter was long."
    parsed = parse(text)
    every = resolve(Learned(), parsed).clusters
    some = resolve(Learned(things=False), parsed).clusters
    heads = {parsed.words[span.head] for cluster in some for span in cluster}
    assert {"Berg", "She"} <= heads
    assert "letter" not in heads
    assert len(some) < len(every)
