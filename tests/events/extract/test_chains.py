from __future__ import annotations

import fabula
from fabula.events.extract.chains import build_chains, extract_events
from fabula.events.extract.rules import ExtractionRules
from fabula.text.coref.adapters import Nobody
from fabula.types import Document

STORY = """The police arrested Jon Hale in Rome. He escaped
from the prison, and the police did not find him.

Mrs. Reyes hid Hale. "I trust him," she said."""


def told(text: str, **options: object) -> dict[str, list[str]]:
    (found,) = extract_events(text, **options)  # type: ignore[arg-type]
    return {
        chain.entity: [("!" if e.negated else "") + str(e) for e in chain.events]
        for chain in found.chains
    }


def test_the_paper_s_example() -> None:
    assert told("The police arrested Jon but he escaped. Jon fled the country.") == {
        "Jon": ["arrest->obj", "escape->subj", "flee->subj"]
    }


def test_a_story() -> None:
    assert told(STORY) == {
        "Jon Hale": ["arrest->obj", "escape->subj", "!find->obj", "hide->obj", "trust->obj"],
        "Mrs. Reyes": ["hide->subj", "trust->subj", "say->subj"],
        "the police": ["arrest->subj", "!find->subj"],
    }


def test_lines_sentences_and_entities_are_kept() -> None:
    (found,) = fabula.extract_events(STORY)
    jon = found.chains[0]
    assert [(e.sentence, e.line) for e in jon.events] == [(0, 1), (1, 1), (1, 1), (2, 4), (3, 4)]
    assert jon.events[0].args == {"subj": "the police", "obj": "Jon Hale", "prep_in": "Rome"}
    assert found.sentences[2].text == "Mrs. Reyes hid Hale."
    assert found.verbs == 6


def test_documents_in_documents_out() -> None:
    documents = [
        Document("a", ("Ann sang. She danced.",), source="a.txt", lines=(7,)),
        Document("b", ("Nothing here.",)),
        Document("c", ("Bo fell. He died.",)),
    ]
    chains = list(build_chains(iter(documents)))
    assert [(chain.document, chain.entity, chain.source) for chain in chains] == [
        ("a", "Ann", "a.txt"),
        ("c", "Bo", None),
    ]
    assert chains[0].events[0].line == 7


def test_conjoined_people_and_they() -> None:
    found = told("John and Mary bought a house. They painted it. Mary sold it.")
    assert found["Mary"] == ["buy->subj", "sell->subj"]
    assert found["John and Mary"] == ["buy->subj", "paint->subj"]
    assert found["a house"] == ["buy->obj", "paint->obj", "sell->obj"]


def test_a_reflexive_fills_two_slots() -> None:
    assert told("The king shot himself.") == {"the king": ["shoot->subj", "shoot->obj"]}


def test_same_description_other_person() -> None:
    (found,) = extract_events("A man fell. A man laughed.", least=1)
    assert sorted(chain.entity for chain in found.chains) == ["a man", "a man (2)"]


def test_rules_and_resolvers_are_passed_on() -> None:
    text = "Jon was arrested. Jon fled."
    assert told(text, rules=ExtractionRules(passive="keep")) == {
        "Jon": ["arrest->nsubjpass", "flee->subj"]
    }
    assert told(text, coref=Nobody()) == {}
    assert told(text, coref="none", least=1) == {
        "Jon": ["arrest->obj"],
        "Jon (2)": ["flee->subj"],
    }


def test_bad_input_gives_clear_answers() -> None:
    found = extract_events(["", "No verbs at all.", "It is what it is.", "Ann sang."])
    assert [len(one.chains) for one in found] == [0, 0, 0, 0]
    assert "no events" in found[1].notes[0]
    assert found[3].notes == ()
    assert found[3].verbs == 1
    german = "Der Hund lief in den Wald und kam nicht wieder, weil er sich dort verlaufen hatte. "
    (foreign,) = extract_events(german * 3)
    assert any("does not look like English" in note for note in foreign.notes)


def test_a_sentence_longer_than_the_parser_takes_at_once() -> None:
    long = "Ann saw the sea and " + f"the {'h' * 200} and " * 260 + "the town"
    (found,) = extract_events(f"Bo slept. {long}. Bo woke.", least=2)
    bo = next(chain for chain in found.chains if chain.entity == "Bo")
    assert [(str(e), e.sentence) for e in bo.events] == [("sleep->subj", 0), ("wake->subj", 2)]


def test_the_same_again() -> None:
    assert extract_events(STORY) == extract_events(STORY)


def test_characters_beyond_the_alphabet() -> None:
    assert told("Łukasz met Zoë in Kraków. Zoë kissed Łukasz.")["Łukasz"] == [
        "meet->subj",
        "kiss->obj",
    ]
