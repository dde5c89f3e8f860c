from __future__ import annotations

from fabula.assembly import assemble
from fabula.assembly.solve.repeats import find_repeats


def test_repeats() -> None:
    texts = [
        "Two boats sank off the point last night.",
        "Two boats sank off the point last night!",
        "Three boats sank off the point last night.",  # another number
        "Two boats never sank off the point last night.",  # a "never"
        "Two boats sank off the point last night",
        "The mill burned.",
    ]
    assert find_repeats(texts, [1] * 6) == {1: 0, 4: 0}
    assert find_repeats(texts, [1, 2, 1, 1, 1, 1]) == {4: 0}  # another story's is no repeat
    assert find_repeats(texts, [1] * 6, {(0, 1)}) == {4: 0}


def test_repeats_are_folded_but_there() -> None:
    found = assemble(
        ["The mill burned down.\nRain fell on the hill.\nThe mill burned down!"], stories=1
    )
    (story,) = found.stories
    again = [(p, p.repeat_of) for p in story.sentences if p.repeat_of]
    assert len(story.sentences) == 3 and len(again) == 1
    ((placed, first),) = again
    assert story.sentences[first - 1].sentence.text == "The mill burned down."
    assert placed.position == first + 1
