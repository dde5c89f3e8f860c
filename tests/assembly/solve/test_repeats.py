from __future__ import annotations

from fabula.assembly import assemble
from fabula.assembly.solve.repeats import find_repeats
from fabula.types import Document


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


def test_the_fullest_version_is_the_one_repeated() -> None:
    texts = ["The mill burned.", "Rain fell.", "The mill burned.", "Wind rose.", "Rain fell."]
    assert find_repeats(texts, [1] * 5, documents=[0, 0, 1, 1, 1]) == {0: 2, 1: 4}
    assert find_repeats(texts, [1, 1, 2, 2, 2], documents=[0, 0, 1, 1, 1]) == {}
    assert find_repeats(texts, [1] * 5, {(0, 2)}, [0, 0, 1, 1, 1]) == {1: 4}
    assert find_repeats(texts, [1] * 5, documents=[0, 0, 1, 1, 2]) == {2: 0, 4: 1}  # none is fuller


WIRE = """Fire broke out in the harbour of Brindle.
The crew of the Aurora saw smoke above the fuel store and called the watch.
Nadia Osei of the harbour watch sent two boats across the basin.
Their pumps failed twice in the cold.
The roof of the store fell in.
"Nobody was hurt, and that is all that counts tonight," Osei said.
The harbour stays shut until the oil is gone."""


def test_a_report_that_papers_cut_is_told_in_its_own_order() -> None:
    lines = WIRE.splitlines()
    cut = ["\n".join(lines[:4]), WIRE, "\n".join([*lines[:2], *lines[4:6]])]
    papers = [Document(name, (text,), source=name) for name, text in zip("abc", cut, strict=True)]
    (story,) = assemble(papers, stories=1).stories
    shown = [p for p in story.sentences if p.repeat_of is None]
    assert [p.sentence.text for p in shown] == lines
    assert {p.sentence.document for p in shown} == {"b"}
    assert [len(p.also_in) for p in shown] == [2, 2, 1, 1, 1, 1, 0]


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
