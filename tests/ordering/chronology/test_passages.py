"""Sentences that lean on the one before them are moved together with it."""

from __future__ import annotations

import numpy as np
import pytest

from fabula.ordering.chronology.passages import contracted, expanded, find_passages
from fabula.ordering.chronology.sentence_times import StorySentence, read_times
from fabula.ordering.chronology.solver import find_chronology
from fabula.ordering.chronology.story_calendar import place_times
from fabula.ordering.chronology.story_time import StoryTime

DATE = "2024-03-07"


def passages(*texts: str, document: str | None = "report") -> list[list[int]]:
    sentences = [StorySentence(text, document, at, DATE) for at, text in enumerate(texts)]
    read = read_times(sentences)
    return find_passages(sentences, read, place_times(read, np.zeros((len(texts),) * 2)))


@pytest.mark.parametrize(
    "second",
    [
        "He was taken to hospital.",
        "But they got out in time.",
        "Four minutes later the captain called the coastguard.",
        "The next morning the crews went home.",
        '"It was very hot," she said.',
        "The third is a firefighter.",
    ],
)
def test_a_sentence_that_refers_back_stays(second: str) -> None:
    assert passages("A nurse and two guards found a man in the cellar.", second) == [[0, 1]]


@pytest.mark.parametrize(
    "second",
    [
        "Police closed the road.",
        "Anna Lund said she had seen smoke.",
        "When Anna Lund came home on Tuesday she saw smoke.",
        "There were no clouds.",
    ],
)
def test_a_sentence_of_its_own_may_go(second: str) -> None:
    assert passages("A nurse and two guards found a man in the cellar.", second) == [[0], [1]]


def test_an_earlier_time_parts_it() -> None:
    first = "The guard was arrested on Tuesday."
    assert passages(first, "He was charged on Wednesday.") == [[0, 1]]
    assert passages(first, "He had been dismissed in January.") == [[0], [1]]


def test_hours_apart_part_it() -> None:
    first = "The ferry left at 6.30 p.m. on Tuesday."
    assert passages(first, "It struck a reef at 8.15 p.m. on Tuesday.") == [[0], [1]]
    assert passages(first, "It struck a reef at 6.45 p.m. on Tuesday.") == [[0, 1]]


def test_a_paragraph_goes_on_telling_after_a_time() -> None:
    texts = ("The ferry sank on Tuesday.", "Divers found the bell.", "The owner is bankrupt.")

    def found(*paragraphs: int) -> list[list[int]]:
        sentences = [
            StorySentence(text, "report", at, DATE, paragraph=paragraph)
            for at, (text, paragraph) in enumerate(zip(texts, paragraphs, strict=True))
        ]
        read = read_times(sentences)
        return find_passages(sentences, read, place_times(read, np.zeros((3, 3))))

    assert found(0, 0, 0) == [[0, 1], [2]]
    assert found(0, 1, 1) == [[0], [1], [2]]


def test_a_quotation_stays_whole() -> None:
    first, rest = 'Ann Lund said: "The roof fell.', ("Two men ran.", 'Nobody died."')
    assert passages(first, *rest, "Police closed the road.") == [[0, 1, 2], [3]]
    assert passages(first.replace('"', "\u201c"), rest[0], "Nobody died.\u201d") == [[0, 1, 2]]
    assert passages(first, "Two men ran.", "Nobody died.") == [[0], [1], [2]]  # never closed


def test_without_a_document_nothing_leans() -> None:
    assert passages("A man came.", "He left.", document=None) == [[0], [1]]


def test_a_neighbour_of_another_story_is_not_leant_on() -> None:
    sentences = [StorySentence("A man came.", "d", 0), StorySentence("He left.", "d", 2)]
    assert find_passages(sentences, read_times(sentences), [StoryTime()] * 2) == [[0], [1]]


def test_passages_move_as_one() -> None:
    told = [
        StorySentence("The fire was out on Wednesday at 6 a.m.", "wire", 0, DATE),
        StorySentence("A watchman saw smoke on Tuesday evening.", "paper", 1, DATE),
        StorySentence("He ran to the door.", "paper", 2, DATE),
        StorySentence("The roof fell in on Wednesday at 1 a.m.", "paper", 3, DATE),
    ]
    assert find_chronology(told, None).order == (1, 2, 3, 0)


def test_the_first_told_time_decides() -> None:
    odds = np.array([[0.0, 1.0, -2.0], [-1.0, 0.0, -2.0], [2.0, 2.0, 0.0]])
    must = np.zeros((3, 3), dtype=bool)
    must[2, 1] = True
    times = [StoryTime(), StoryTime(source="told"), StoryTime(source="told")]
    summed, kept = contracted([[0, 1], [2]], odds, must, times)
    assert summed.tolist() == [[0.0, -4.0], [4.0, 0.0]]
    assert kept.tolist() == [[False, False], [True, False]]
    assert expanded((1, 0), [[0, 1], [2]]) == (2, 0, 1)
