"""The piles that the benchmark of contradictions draws."""

from __future__ import annotations

from pathlib import Path

from benchmarks.contradictions import draw_piles, read_stories

TEXT = """# A title
agency | {0} people came | so they say.
witness | Nobody came to {0}.
! outcome | 2 1 | Nobody came | people came
"""


def test_piles_hold_every_story_once_with_its_marks(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(TEXT.format(f"A{k}") for k in range(3)))
    (tmp_path / "b").mkdir()
    for k in range(3):
        (tmp_path / "b" / f"{k}.txt").write_text(TEXT.format(f"B{k}"))
    stories = read_stories(tmp_path, "ab")
    assert stories[0].sentences == ("A0 people came | so they say.", "Nobody came to A0.")
    piles = draw_piles(stories, seed=1)
    assert sorted(text for texts, _ in piles for text in texts) == sorted(
        text for story in stories for text in story.sentences
    )
    for texts, marks in piles:
        assert len(texts) == 6 and len(marks) == 3
        for kind, one, two in marks:
            name = next(word for word in texts[one].split() if word[0] in "AB")
            assert kind == "outcome" and one < two and name.strip(".") in texts[two]


def test_no_dossiers_no_stories(tmp_path: Path) -> None:
    assert read_stories(tmp_path, "u") == []
