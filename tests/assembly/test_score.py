from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fabula.assembly import Assembly, assemble
from fabula.assembly.score import score_assembly
from fabula.assembly.types import Contradiction, Side
from fabula.cli.inputs import PACKAGED, SAMPLE
from fabula.errors import InputError
from fabula.text.io.documents import read_documents
from fabula.types import Narrative, Placed, Sentence


def assembly(*stories: list[int]) -> Assembly:
    """Stories by the lines of their sentences."""
    return Assembly(
        tuple(
            Narrative(
                number,
                "x",
                tuple(
                    Placed(Sentence("x", line=line), at, 1.0) for at, line in enumerate(lines, 1)
                ),
            )
            for number, lines in enumerate(stories, 1)
        )
    )


@pytest.fixture
def solution(tmp_path: Path) -> Path:
    path = tmp_path / "solution.json"
    stories = [{"lines": [3, 1, 2]}, {"lines": [6, 4, 5]}, {"lines": [9, 8, 7]}]
    path.write_text(json.dumps({"stories": stories, "contradictions": []}))
    return path


def test_the_solution_itself_is_perfect(solution: Path) -> None:
    perfect = assembly([9, 8, 7], [3, 1, 2], [6, 4, 5])
    assert score_assembly(perfect, solution) == {
        "CA": 1.0, "tau": 1.0, "stories": 3.0, "stories_right": 3.0,
    }  # fmt: skip


def test_contradictions_are_counted(solution: Path) -> None:
    data = json.loads(solution.read_text())
    data["contradictions"] = [
        {"kind": "number", "lines": [3, 6]},
        {"kind": "time", "lines": [1, 4]},
    ]
    solution.write_text(json.dumps(data))
    told = assembly([9, 8, 7], [3, 1, 2], [6, 4, 5])
    sides = (Side(2, 1, "ten"), Side(3, 1, "two"))
    clashes = (Contradiction("number", "men", sides, 2.0), Contradiction("place", "x", sides, 2.0))
    score = score_assembly(replace(told, contradictions=clashes), solution)
    assert (score["planted"], score["found"], score["false"]) == (2, 1, 1)


def test_right_stories_in_reverse_order(solution: Path) -> None:
    found = score_assembly(assembly([2, 1, 3], [5, 4, 6], [7, 8, 9]), solution)
    assert found["CA"] == 1.0 and found["tau"] == -1.0


def test_everything_in_one_story(solution: Path) -> None:
    found = score_assembly(assembly([3, 1, 2, 6, 4, 5, 9, 8, 7]), solution)
    assert found["CA"] == pytest.approx(1 / 3)
    assert found["tau"] == 1.0 and found["stories"] == 1.0


def test_tau_is_over_the_sentences_in_the_right_story(solution: Path) -> None:
    # Line 2 strayed; of story 1 lines 3 and 1 remain, in order.
    found = score_assembly(assembly([3, 1], [2, 6, 4, 5], [9, 8, 7]), solution)
    assert found["CA"] == pytest.approx(8 / 9) and found["tau"] == 1.0


def test_a_story_of_the_solution_may_be_absent(solution: Path) -> None:
    found = score_assembly(assembly([3, 1, 2], [7, 8, 9]), solution)
    assert found["CA"] == 1.0
    assert found["tau"] == 0.0  # one story in order, one backwards


def test_single_sentences_have_no_order(solution: Path) -> None:
    assert score_assembly(assembly([3], [4]), solution)["tau"] == 0.0


def test_a_line_the_solution_does_not_know(solution: Path) -> None:
    with pytest.raises(InputError, match=r"solution\.json: the solution does not know line 12"):
        score_assembly(assembly([3, 12]), solution)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"stories": [{"lines": ["x"]}]}', '{"stories": 3}']
)
def test_a_file_that_is_no_solution(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.json").write_text(text)
    with pytest.raises(InputError, match=r"s\.json: not a solution file"):
        score_assembly(assembly([1]), tmp_path / "s.json")
    with pytest.raises(InputError, match=r"no\.json: not a solution file"):
        score_assembly(assembly([1]), tmp_path / "no.json")


def test_the_packaged_sample_end_to_end() -> None:
    told = assemble(read_documents(PACKAGED["tangled"]), stories=3)
    lines = sorted(p.sentence.line for story in told.stories for p in story.sentences)
    assert lines == list(range(1, 46))
    score = score_assembly(told, SAMPLE / "tangled.solution.json")
    assert score["stories"] == score["stories_right"] == 3
    one_story = score_assembly(assembly([*range(1, 46)]), SAMPLE / "tangled.solution.json")
    assert score["CA"] > one_story["CA"] and score["tau"] > one_story["tau"]  # bars: benchmarks
    assert score["planted"] == 5 and score["found"] > 0
