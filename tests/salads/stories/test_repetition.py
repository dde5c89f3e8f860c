"""How much a pile's sentences repeat each other."""

from __future__ import annotations

from fabula.salads.stories.repetition import repeated_share

REPORTS = [
    "A fire destroyed a warehouse of Dellacourt in Aldermouth.",
    "The Dellacourt warehouse in Aldermouth was destroyed by fire.",
]
ARTICLES = [
    "The Battle of Aldermouth was fought between the Grey League and the rebels of Hallan.",
    "Dellacourt crossed the river and besieged two castles in the north.",
]


def test_reports_of_one_event_repeat_each_other_and_articles_of_one_war_do_not() -> None:
    assert repeated_share(REPORTS) == 1.0
    assert repeated_share(ARTICLES) == 0.0
    assert repeated_share([*REPORTS, *ARTICLES]) == 0.5


def test_a_long_sentence_is_not_repeated_by_a_part_of_it() -> None:
    whole = REPORTS[0] + " Twelve engines came from Wenlow and Hallan and pumped water until dawn."
    assert repeated_share([REPORTS[0], whole]) == 0.5


def test_short_sentences_are_not_compared() -> None:
    assert repeated_share(["Nobody died.", "Nobody died.", "He fled.", ""]) == 0.0
    assert repeated_share([]) == 0.0
