from __future__ import annotations

import numpy as np
import pytest

from fabula.errors import UsageError
from fabula.salads import untangle
from fabula.salads.models.documents.model import Unit
from fabula.salads.stories.assignment import assign_stories
from fabula.salads.stories.constraints import Constraints, constrained_units
from fabula.salads.stories.structure import (
    Structure,
    apart_by_language,
    date_log_odds,
    structure_log_odds,
)

QUAKE = [
    "A strong earthquake shook the town of Arvika on Monday.",
    "The earthquake in Arvika damaged the town hall and two schools.",
    "Mayor Lena Holm of Arvika said that nobody was killed.",
]
HEIST = [
    "Thieves stole four watches from a jeweller in Porto.",
    "The jeweller Rui Tavares saw two men run from his shop in Porto.",
    "Police in Porto found a burnt van near the river.",
]
PILE = [*QUAKE, *HEIST]
SOURCES = [0, 0, 0, 1, 1, 1]


def test_documents_stay_whole() -> None:
    found = untangle(PILE, sources=SOURCES)
    assert found.labels == (1, 1, 1, 2, 2, 2)
    assert found.runner_up == (2, 2, 2, 1, 1, 1)
    assert found.numbers[0][0] == 2


def test_items_of_minutes_join_the_stories_they_belong_to() -> None:
    minutes = [
        "Lena Holm said that the schools of Arvika are closed after the earthquake.",
        "The jeweller in Porto wants his four watches back, Rui Tavares told the meeting.",
    ]
    structure = Structure((*SOURCES, 2, 2), sections={6: 0.0, 7: 0.0})
    assert assign_stories([*PILE, *minutes], structure=structure).labels[6:] == (1, 2)
    whole = Structure((*SOURCES, 2, 2), sections={6: 1.0, 7: 1.0})
    assert len(set(assign_stories([*PILE, *minutes], structure=whole).labels[6:])) == 1


def test_a_number_of_stories_above_that_of_documents_splits_them() -> None:
    assert untangle(PILE, sources=SOURCES, stories=3).stories == 3
    assert untangle(PILE, sources=SOURCES, stories=1).stories == 1


def test_constraints_join_and_cut_documents() -> None:
    joined = untangle(PILE, sources=SOURCES, together=[(0, 3)])
    assert joined.stories == 1
    parted = untangle(PILE, sources=SOURCES, apart=[(0, 1)])
    assert parted.labels[0] != parted.labels[1]
    with pytest.raises(UsageError, match="sentences 1 and 2 are to be kept together and apart"):
        untangle(PILE, sources=SOURCES, together=[(0, 1)], apart=[(0, 1)])


def test_units_that_hold_what_is_apart_fall_into_sentences() -> None:
    units = [Unit((0, 1, 2), 0), Unit((3, 4, 5), 1)]
    cut = constrained_units(units, Constraints(apart=((0, 2),)))
    assert [unit.sentences for unit in cut] == [(0,), (1,), (2,), (3, 4, 5)]
    joined = constrained_units(units, Constraints(together=((2, 3),)))
    assert [unit.sentences for unit in joined] == [(0, 1, 2, 3, 4, 5)]


def test_threads_and_dates_are_evidence() -> None:
    units = [Unit((0,), 0), Unit((1,), 1), Unit((2,), 2)]
    structure = Structure((0, 1, 2), dates=("2024-03-01", "2024-03-02", "2014-03-02"),
                          threads=("a", "a", None))  # fmt: skip
    odds = structure_log_odds(units, structure)
    assert odds[0, 1] > 4 and odds[0, 2] == pytest.approx(-1, abs=0.01)
    assert date_log_odds(0) > date_log_odds(10) > date_log_odds(100)
    unknown = Structure((0, 1, 2), dates=("2024", None, "31 May"))
    assert not structure_log_odds(units, unknown).any()


def test_a_thread_joins_what_the_text_would_part() -> None:
    structure = Structure(tuple(SOURCES), threads=("t", "t"))
    plain = assign_stories(PILE, structure=Structure(tuple(SOURCES)))
    joined = assign_stories(PILE, structure=structure)
    assert plain.odds is not None and joined.odds is not None
    assert joined.odds[0, 3] == pytest.approx(plain.odds[0, 3] + 4.0)


def test_texts_in_other_languages_are_apart_unless_they_share_words() -> None:
    german = "In Hamburg brannte am Montag ein Lagerhaus ab, und niemand wurde dabei verletzt."
    again = "Das Lagerhaus, das am Montag in Hamburg brannte, war leer, und niemand war dort."
    texts = [german, again, "На складе в Москве был пожар.", QUAKE[0], QUAKE[1]]
    units = [Unit((n,), n) for n in range(len(texts))]
    odds = apart_by_language([t * 2 for t in texts], units, np.full((5, 5), 2.0))
    assert odds[0, 1] == 2 and odds[3, 4] == 2  # of one language
    assert (odds[2, [0, 1, 3, 4]] < 0).all() and odds[0, 3] < 0
