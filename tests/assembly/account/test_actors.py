"""Actors and deeds of stories: aliases merged, doubts shown, corrections replayed."""

from __future__ import annotations

from collections.abc import Sequence

from fabula.assembly.account.actors import (
    StorySentence,
    actors_of,
    deeds_of,
    story_sentences,
)
from fabula.assembly.corrections import actor_corrections
from fabula.assembly.facts.reading import read_sentences
from fabula.assembly.pile import pieces_of


def told(*documents: str, order: Sequence[int] | None = None) -> list[StorySentence]:
    pieces = pieces_of(documents)
    readings = read_sentences([piece.sentence.text for piece in pieces])
    return story_sentences(order or range(len(pieces)), pieces, readings)


VANE = (
    "Doctor Edith Vane drove to London. Edith Vane did not find Owen Pike. Owen Pike left.",
    "Vane returned on Monday.",
)


def test_actors_are_merged_within_and_across_documents() -> None:
    actors = {actor.name: actor for actor in actors_of(told(*VANE))}
    assert actors["Edith Vane"].positions == (1, 2, 4)
    assert actors["Edith Vane"].kind == "person"
    assert "Vane" in actors["Edith Vane"].aliases
    assert actors["Owen Pike"].positions == (2, 3)


def test_deeds_have_positions_and_standing() -> None:
    deeds = deeds_of(told(*VANE))
    assert ("drive", 1, False) in [(d.verb, d.position, d.negated) for d in deeds]
    (found,) = (d for d in deeds if d.verb == "find")
    assert (found.doer, found.undergoer, found.standing) == ("Edith Vane", "Owen Pike", "negated")


def test_the_order_of_the_story_does_not_change_who_is_meant() -> None:
    text = "The police arrested Jon Hale on Monday. Jon Hale denied the theft."
    forwards, backwards = deeds_of(told(text)), deeds_of(told(text, order=(1, 0)))
    assert {d.doer for d in forwards} == {d.doer for d in backwards}
    assert {d.position for d in backwards if d.verb == "deny"} == {1}


def test_papers_and_places_that_do_nothing_are_no_actors() -> None:
    text = (
        "Reuters reported the fire. Anna Berg left London. The New York Times said Anna Berg "
        "saw the fire. The gunman shot a guard."
    )
    names = [actor.name for actor in actors_of(told(text))]
    assert "Anna Berg" in names
    assert "the gunman" in names
    assert not {"Reuters", "London", "New York Times"} & set(names)


def test_one_body_is_one_actor_and_nobody_is_none() -> None:
    found = actors_of(
        told(
            "The U.S. Geological Survey measured the quake. Nobody was hurt. Anna Berg fled.",
            "The US Geological Survey published a map.",
        )
    )
    names = [actor.name for actor in found]
    assert sum("Geological Survey" in name for name in names) == 1
    assert "nobody" not in map(str.lower, names)


def test_a_doer_the_sentence_leaves_open_is_shown_as_doubtful() -> None:
    deeds = deeds_of(told("Anna Berg fled north, dropping the knife."))
    (found,) = (deed for deed in deeds if deed.verb == "drop")
    assert found.subject == "(Anna Berg?)"
    assert not found.certain


def test_titles_and_descriptions_are_no_part_of_a_name() -> None:
    text = "Managing director Philip Court denied it. Philip Court left. Dr Helen Asante saw him."
    actors = {actor.name: actor for actor in actors_of(told(text))}
    assert {"Philip Court", "Helen Asante"} <= actors.keys()
    assert actors["Philip Court"].positions[:2] == (1, 2)
    assert any("director" in alias for alias in actors["Philip Court"].aliases)


def test_the_man_and_the_police_act_only_where_nobody_else_does() -> None:
    alone = actors_of(told("Two people broke the door. The police chased the man."))
    assert alone
    beside = actors_of(told("Two people broke the door. The police chased the man. Jon Hale fled."))
    assert [actor.name for actor in beside] == ["Jon Hale"]


def test_names_that_differ_in_capitals_alone_are_one() -> None:
    documents = (
        "Seacom said on Monday that it had sent a ship. Seacom repaired the cable.",
        "SEACOM repaired the cable on Tuesday.",
    )
    names = [actor.name for actor in actors_of(told(*documents))]
    assert names.count("Seacom") == 1
    assert "SEACOM" not in names


def test_parties_and_weapons_do_not_act() -> None:
    text = "The Christmas party ended early. Anna Berg fired a 357 Magnum. Anna Berg fled."
    names = [actor.name for actor in actors_of(told(text))]
    assert names == ["Anna Berg"]


def test_a_long_title_does_not_cut_a_name() -> None:
    text = (
        "Philadelphia District Attorney Seth Alexander Williams announced the charges. "
        "Williams praised the officers."
    )
    (first, *_) = actors_of(told(text))
    assert first.name.endswith("Williams")


def test_what_one_document_calls_a_ferry_is_no_person_in_another() -> None:
    text = (
        "The ferry Orla Maid ran aground.",
        "Orla Maid left at six. She hit a rock. Jon Hale swam.",
    )
    assert [actor.name for actor in actors_of(told(*text))] == ["Jon Hale"]


def test_a_user_joins_renames_and_splits_actors() -> None:
    text = "Jon Hale robbed the bank. The thief fled. Hale slept. Hale wrote a book."
    pieces = pieces_of([text])
    sentences = told(text)

    def names(*entries: dict[str, object]) -> dict[str, tuple[int, ...]]:
        changes = actor_corrections(entries, range(4), pieces)
        return {actor.name: actor.positions for actor in actors_of(sentences, changes)}

    assert names()["Jon Hale"] == (1, 3, 4)
    joined = names({"do": "join-actors", "actors": ["Jon Hale", "the thief"]})
    assert joined["Jon Hale"] == (1, 2, 3, 4)
    renamed = names({"do": "rename-actor", "actor": "Jon Hale", "name": "John Hale"})
    assert renamed["John Hale"] == (1, 3, 4)
    entry = {"do": "split-actor", "actor": "Jon Hale", "name": "Ann Hale"}
    split = names({**entry, "sentences": [pieces[3].id, "gone"]})
    assert (split["Jon Hale"], split["Ann Hale"]) == ((1, 3), (4,))


def test_capitals_of_a_whole_text_are_kept() -> None:
    text = "ENGINEERS WERE CALLED TO SWITCH OFF THE ELECTRICITY SUPPLY TO THE BUILDING."
    assert [actor.name for actor in actors_of(told(text))] == ["ENGINEERS"]
