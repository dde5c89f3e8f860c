"""The texts written for training and measuring, and what is made of them."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.contradictions import draw_piles
from benchmarks.pairwise_data import named
from benchmarks.written import Dossier, Mark, claims, endings, main, stories

from fabula.text.io.documents import read_documents

STORY = [
    "Casey's car was covered in ice.",
    "She had no scraper.",
    "She used a credit card.",
    "The card broke in half.",
    "Her boss laughed when she told him.",
]
NAMES = {"Casey", "Ann"}


class _Always(random.Random):
    def random(self) -> float:
        return 0.0


def test_a_name_may_stand_in_any_sentence() -> None:
    assert named(STORY, NAMES, _Always()) == STORY  # somebody else is told of
    alone = [*STORY[:4], "Her day was ruined."]
    assert named(alone, NAMES, _Always()) == [
        "Casey's car was covered in ice.",
        "Casey had no scraper.",
        "Casey used a credit card.",
        "The card broke in half.",
        "Casey's day was ruined.",
    ]


def test_where_two_may_be_meant_nothing_is_named() -> None:
    two = [*STORY[:4], "Then Ann gave her a lift."]
    both = [*STORY[:4], "He gave her a lift."]
    nobody = ["The car was covered in ice.", *STORY[1:4], "She was late."]
    friend = [STORY[0], "Ann had a scraper.", "She lent it to Casey.", *STORY[3:4], "She was late."]
    for story in (two, both, nobody, friend):
        assert named(story, NAMES, _Always()) == story


def test_other_endings_are_of_known_stories() -> None:
    for part in ("train", "dev"):
        known = dict(stories(part))
        for name, told in endings(part):
            assert known[name.removesuffix("-again")][:4] == told[:4] and len(told) == 5


def test_claims_are_whole() -> None:
    for part in ("train", "dev"):
        found = list(claims(part))
        assert found
        for block in found:
            assert block.kind in ("number", "time", "date", "place", "outcome")
            assert len(block.agree) in (2, 3)
            assert len(block.against) == 2 and len(block.beside) == 3


def dossier(name: str) -> Dossier:
    sentences = (f"{name} was open | so they say.", f"Nobody came to {name}.")
    marks = (Mark("outcome", (1, 0), ("Nobody", "open")),)
    return Dossier(name, name, ("agency", "witness"), sentences, marks)


def test_drawn_piles_hold_every_story_once_with_its_marks() -> None:
    stories = [dossier(f"A{k}") for k in range(6)]
    piles = draw_piles(stories, seed=1, size=3)
    assert sorted(text for texts, _ in piles for text in texts) == sorted(
        text for story in stories for text in story.sentences
    )
    for texts, marks in piles:
        assert len(texts) == 6 and len(marks) == 3
        for kind, one, two in marks:
            name = next(word for word in texts[one].split() if word[0] == "A")
            assert kind == "outcome" and one < two and name.strip(".") in texts[two]


def test_no_stories_no_piles() -> None:
    assert draw_piles([], seed=0, size=1) == []


def test_all_stories_are_written_as_documents(tmp_path: Path) -> None:
    path = tmp_path / "stories.jsonl"
    main([str(path)])
    told = [story for part in ("train", "dev") for story in stories(part)]
    written = list(read_documents(path))
    assert [document.id for document in written] == [name for name, _ in told]
    assert written[0].paragraphs == (" ".join(told[0][1]),)
