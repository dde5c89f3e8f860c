"""Training of the resolver: what is kept back, and what is fitted on it."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.coreference.items import Passage, Question
from fabula.coreference.training.examples import Anaphor, gap_anaphor, learn_nouns
from fabula.coreference.training.parts import KEPT_BACK, TrainingParts
from fabula.coreference.training.weights import fit_temperature
from fabula.text.coref.learned.features import FEATURES
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


def anaphor(right: list[int], wrong: list[int] | None = None) -> Anaphor:
    return Anaphor(np.zeros((2, 3), np.float32), right, wrong or [])


def test_what_is_kept_back_is_not_trained_on() -> None:
    (parsed,) = Parser().each(Parsed.of, ["Ann left."])
    many = [anaphor([n % 2]) for n in range(3 * KEPT_BACK)]
    parts = TrainingParts([], [parsed] * len(many), [], [], {}, {}, list(many), [])
    kept = [a for _, (a,) in parts.gap_texts(kept=True)]
    trained = [a for _, (a,) in parts.gap_texts(kept=False)]
    assert len(kept) == 3
    assert not {id(a) for a in kept} & {id(a) for a in trained}
    assert len(kept) + len(trained) == len(many)


def test_the_temperature_makes_probabilities_the_shares_that_are_right() -> None:
    """Logits say 98 %, and three in four are right."""
    logits = np.array([4.0, 0.0, -60.0], np.float32)
    known = [(anaphor([0 if n % 4 else 1]), logits) for n in range(40)]
    temperature = fit_temperature(known)
    scaled = np.exp(logits / temperature)
    assert temperature > 2
    assert scaled[0] / scaled.sum() == pytest.approx(0.75, abs=0.03)


def test_a_question_of_gap_gives_its_names_as_candidates() -> None:
    text = "Anna Berg met Eva Holm in Rome. Later she left."
    (parsed,) = Parser().each(Parsed.of, [text])
    question = Question((38, 41), ((0, 9), (14, 22)), (True, False))
    found = gap_anaphor(Passage("1", text, question=question), parsed, {})
    assert found is not None
    assert found.features.shape[1] == len(FEATURES)
    assert found.names[0] in found.right
    assert found.names[1] in found.wrong


def test_nouns_that_are_annotated_are_known_by_their_share() -> None:
    text = "The captain saw the letter. The captain left."
    (parsed,) = Parser().each(Parsed.of, [text])
    shares = learn_nouns([(Passage("1", text, clusters=(((0, 11), (28, 39)),)), parsed)])
    assert set(shares) == {"captain"}
    assert shares["captain"] > 0.5
