"""Pairs written for these tests; the bundled sample is scored in test_score."""

from __future__ import annotations

import pytest

from fabula.assembly.conflicts.contradictions import (
    ContradictingPair,
    Sources,
    find_contradictions,
    possible_contradictions,
    probability,
)
from fabula.assembly.facts.reading import read_sentences

DISAGREE = [
    ("number", "The blast at the chemical plant injured 14 workers.",
     "Nineteen workers were injured in the blast at the chemical plant."),
    ("number", "The temblor struck about 26 miles north of Lorn.",
     "The temblor struck about 20 miles north of Lorn, the survey said."),
    ("time", "The first shot at the fort was fired at 9:15.",
     "The first shot at the fort was fired at 10:40."),
    ("outcome", "Captain Oduya was killed in the ambush.", "Captain Oduya survived the ambush."),
]  # fmt: skip
AGREE = [
    ("The blast injured 14 workers.", "Three firemen were hurt by smoke."),
    ("The British lost 300 men.", "The French lost 1,200 men."),
    ("Two rockets rose over the bay.", "Two rockets were seen from the hill."),
    ("The train left Leeds at nine.", "The train reached York at ten."),
    ("About 200 people came.", "More than 180 people came to the meeting."),
    ("Twenty of the twenty-one boats came home.", "All twenty-one boats had gone out that day."),
    ("Ann left her coat in the hall.", "Bob left his coat in the kitchen."),
    ("The mill burned down.", "The school survived the storm."),
    ("The ship sailed from Genoa in 1492.", "The ship sailed into Palos on 15 March 1493."),
    ("Oduya could have died.", "Oduya survived the fall."),
    ("The crew was saved.", "The trawler sank."),
    ("The bakery opened at six.", "The harbour office opened at eight."),
    ("Ten soldiers guarded the north gate.", "Four soldiers slept in the barn."),
    ("The plane crashed in Ukraine.", "The plane crashed near Hrabove."),
]
# Sentences that only look like a contradiction; the second and the third are of two documents.
FORM = {
    "a near copy": (
        "Part of the roof fell in at about 10.40 p.m., sending sparks over the houses.",
        "Part of the roof fell in at about 10.40 p.m., sending sparks across the houses.",
    ),
    "a paraphrase": (
        "The thieves climbed onto the roof with a ladder and entered through a skylight.",
        "The thieves climbed onto the roof with a ladder and got in through a skylight.",
    ),
    "a sequence": (
        "The first passengers reached the pier at ten past nine.",
        "The last of them stepped onto the pier at 11.15.",
    ),
    "two events in one place": (
        "The council opened the Bethel Hall as a rest centre shortly before midnight on Tuesday.",
        "A public meeting will be held in the Bethel Hall next Thursday at 7 p.m.",
    ),
    "a question": (
        "The blast at the plant injured 14 workers.",
        "Did the blast at the plant injure 19 workers?",
    ),
    "a negated question": (
        "The guard locked the gate at nine.",
        "Why did the guard not lock the gate at nine?",
    ),
    "a quotation of the same": (
        "The dam held through the night, the engineers said.",
        '"The dam held through the night," said Ida Lund, the chief engineer.',
    ),
    "a figure quoted to be denied": (
        "The blast at the plant injured 14 workers.",
        '"It is not true that the blast injured 19 workers," the manager said.',
    ),
    "a figure that is denied": (
        "The blast at the plant injured 14 workers.",
        "The manager denied that the blast at the plant injured 19 workers.",
    ),
    "a quotation with a negated question": (
        "Fourteen workers were taken to hospital after the blast.",
        '"Weren\'t nineteen workers taken to hospital?" a reporter asked.',
    ),
    "rows of a table with words": (
        "Ward A: 14 beds, 12 patients, 3 nurses.",
        "Ward B: 15 beds, 11 patients, 4 nurses.",
    ),
    "rows of a table": ("Ward A 14 19 22 31 8", "Ward A 15 18 20 33 9"),
    "another language": (
        "Die Explosion im Werk verletzte 14 Arbeiter am Montag schwer.",
        "Die Explosion im Werk verletzte 19 Arbeiter am Montag schwer.",
    ),
    "another language with the words of English": (
        "Die Explosion in der Fabrik verletzte 14 Arbeiter, sagte der Manager am Montag.",
        "Die Explosion in der Fabrik verletzte 19 Arbeiter, sagte der Manager am Montag.",
    ),
    "French": (
        "L'explosion de lundi a fait 14 blessés parmi les ouvriers de l'usine.",
        "L'explosion de lundi a fait 19 blessés parmi les ouvriers de l'usine.",
    ),
    "Spanish": (
        "La explosión del lunes hirió a 14 trabajadores de la fábrica, dijo el alcalde.",
        "La explosión del lunes hirió a 19 trabajadores de la fábrica, dijo el alcalde.",
    ),
    "a plan": (
        "The museum reopened on Thursday at nine.",
        "The museum may reopen on Friday at nine.",
    ),
}


def found_in(*sentences: str, sources: Sources | None = None) -> list[ContradictingPair]:
    return find_contradictions(read_sentences(sentences), sources)


@pytest.mark.parametrize(("kind", "one", "two"), DISAGREE)
def test_contradicting_sentences(kind: str, one: str, two: str) -> None:
    found = found_in(one, two)
    assert [(c.kind, c.first, c.second) for c in found] == [(kind, 0, 1)]
    assert 0.5 < found[0].weight < 1


@pytest.mark.parametrize(("one", "two"), AGREE)
def test_compatible_sentences(one: str, two: str) -> None:
    assert found_in(one, two) == []


@pytest.mark.parametrize("documents", [[0, 1], None], ids=["reports", "lines"])
@pytest.mark.parametrize("why", FORM)
def test_no_false_alarm_from_form_alone(why: str, documents: list[int] | None) -> None:
    assert found_in(*FORM[why], sources=Sources(documents=documents)) == []


def test_the_same_document_twice() -> None:
    report = [two for _, one, other in DISAGREE for two in (one, other)][::2]
    copies = Sources(documents=[0] * len(report) + [1] * len(report))
    assert found_in(*report, *report, sources=copies) == []


def test_values_are_words_of_the_sentences() -> None:
    (found,) = found_in(DISAGREE[0][1], DISAGREE[0][2])
    assert found.values == ("14 workers", "Nineteen workers") and "plant" in found.about


def test_two_stories_and_one_writer_do_not_clash() -> None:
    _, one, two = DISAGREE[0]
    assert found_in(one, two, sources=Sources(documents=[0, 1], stories=[1, 1]))
    assert not found_in(one, two, sources=Sources(documents=[0, 1], stories=[1, 2]))
    third = "Rain fell on the town."
    assert not found_in(one, two, third, sources=Sources(documents=[0, 0, 1]))
    quoted = Sources(documents=[0, 0, 1], speakers=["the union", "the company", None])
    (found,) = found_in(one, two, third, sources=quoted)
    assert found.relation == "attributed" and found.speakers == ("the union", "the company")


def test_one_disagreement_is_given_once() -> None:
    _, one, two = DISAGREE[0]
    again = "Fourteen... 14 workers were hurt when the chemical plant blew up."
    found = found_in(one, two, again, sources=Sources(documents=[0, 1, 2]))
    assert len([c for c in found if c.kind == "number"]) == 1


def test_the_unlikely_ones_are_given_when_asked() -> None:
    _, one, two = DISAGREE[0]
    readings = read_sentences([one, two, "There were 23 workers in the plant.", *AGREE[12]])
    likely = find_contradictions(readings)
    everything = find_contradictions(readings, everything=True)
    assert {(c.first, c.second) for c in likely} <= {(c.first, c.second) for c in everything}
    assert all(c.weight > 0.1 for c in everything)


def test_lines_that_belong_to_no_documents_disagree_more_often() -> None:
    readings = read_sentences(DISAGREE[1][1:])
    found = possible_contradictions(readings, Sources())
    assert found and all(probability(row, alone=True) > probability(row) for _, row in found)
    one_file = Sources(documents=[0, 0])
    assert find_contradictions(readings, one_file) == find_contradictions(readings, Sources())


def test_what_the_user_judged() -> None:
    _, one, two = DISAGREE[0]
    readings = read_sentences([one, two])
    assert find_contradictions(readings, judged={(0, 1): False}) == []
    (accepted,) = find_contradictions(readings, judged={(0, 1): True})
    assert accepted.accepted


def test_an_empty_pile_and_a_lone_sentence() -> None:
    assert found_in() == [] and found_in("It rained.") == []
