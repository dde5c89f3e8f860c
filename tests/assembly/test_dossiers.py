"""The piles that the benchmark of contradictions draws."""

from __future__ import annotations

from benchmarks.contradictions import draw_piles
from benchmarks.written import Dossier, Mark


def _story(name: str) -> Dossier:
    sentences = (f"{name} was open | so they say.", f"Nobody came to {name}.")
    marks = (Mark("outcome", (1, 0), ("Nobody", "open")),)
    return Dossier(name, name, ("agency", "witness"), sentences, marks)


def test_piles_hold_every_story_once_with_its_marks() -> None:
    stories = [_story(f"A{k}") for k in range(6)]
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
