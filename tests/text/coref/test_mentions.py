"""Mentions and what rules join: where names begin, what they name, what else somebody is called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabula.text.coref import resolve
from fabula.text.coref.learned.resolver import Learned
from fabula.text.coref.mentions import Mention, find_mentions
from fabula.text.coref.proper_names import settle_kinds
from fabula.text.parse.parsed import Parsed
from fabula.text.parse.pipeline import Parser


def parse(text: str) -> Parsed:
    (parsed,) = Parser().each(Parsed.of, [text])
    return parsed


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Until January Dale Rusk worked for Tellmark.", "Dale Rusk"),
        ("On Monday Dale Rusk left the town.", "Dale Rusk"),
        ("April Jones met Dale Rusk in Rome.", "April Jones"),
    ],
)
def test_a_name_begins_after_the_day_or_month(text: str, name: str) -> None:
    parsed = parse(text)
    assert name in {parsed.span_text(m.start, m.end) for m in find_mentions(parsed)}


def test_a_ship_is_no_person() -> None:
    (ship,) = (m for m in find_mentions(parse("The ferry Orla Maid ran aground.")) if m.words)
    assert ship.entity_type != "PERSON"
    assert ship.animate is not True


def test_a_surname_is_a_person_s_once_the_whole_name_was_read() -> None:
    mentions = find_mentions(parse("Rex Stout wrote novels. Stout and his editor met."))
    kinds = {m.words: m.entity_type for m in mentions if m.kind == "name"}
    assert kinds[("stout",)] == "PERSON"


def test_a_surname_of_the_text_is_no_first_name() -> None:
    """Regina Benjamin is no man, though Benjamin is a first name of men."""
    text = "The president nominated Regina Benjamin. Benjamin thanked him."
    (short,) = (m for m in find_mentions(parse(text)) if m.words == ("benjamin",))
    assert short.gender == "?"


def test_a_headline_has_the_surname_before_the_name() -> None:
    text = "Rusk sues Tellmark.\nThe engineer Dale Rusk sued Tellmark on Monday. Rusk won."
    kinds = {m.entity_type for m in find_mentions(parse(text)) if m.words == ("rusk",)}
    assert kinds == {"PERSON"}


def test_a_name_ends_where_another_word_stands_between() -> None:
    (name,) = (
        m
        for m in find_mentions(parse("CNN correspondent Sanjay Gupta left the studio."))
        if m.entity_type == "PERSON"
    )
    assert name.words == ("sanjay", "gupta")


def test_armies_of_two_countries_are_two() -> None:
    mentions = find_mentions(parse("The Syrian Army attacked. The Iraqi Army fled."))
    assert {m.words for m in mentions} == {("syrian", "army"), ("iraqi", "army")}


def test_one_name_has_one_kind_in_a_text() -> None:
    mention = Mention(0, 0, 1, "name", entity_type="ORG", words=("isil",))
    other = Mention(5, 5, 6, "name", entity_type="GPE", words=("isil",))
    mentions = [mention, replace(mention, head=3), other]
    settle_kinds(mentions)
    assert {m.entity_type for m in mentions} == {"ORG"}


def clusters(text: str) -> list[set[str]]:
    parsed = parse(text)
    found = resolve(Learned(), parsed).clusters
    return [{parsed.span_text(span.start, span.end) for span in spans} for spans in found]


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("Jon Hale, known as Jack Hill, sold it. Hill smiled.", {"Jon Hale", "Jack Hill"}),
        (
            "An old lady fell down the stairs, I'm sitting with her. She says her name is Edith.",
            {"An old lady", "Edith"},
        ),
        ("Lord Hale met Lady Hale. Then Lord Hale left.", {"Lord Hale"}),
        (
            "Guide Lars Eide called. The police questioned Lars Eide.",
            {"Guide Lars Eide", "Lars Eide"},
        ),
        ("After her exit from the show, Anna Singh met Eva Budig.", {"her", "Anna Singh"}),
        ('Ian Cash praised Carl Britton: "He has not failed."', {"He", "Carl Britton"}),
    ],
)
def test_who_is_the_same(text: str, together: set[str]) -> None:
    assert any(together <= cluster for cluster in clusters(text))


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("Her name is not Edith, she says.", {"Her", "Edith"}),
        ("Lord Hale met Lady Hale. Then Lady Hale left.", {"Lord Hale", "Lady Hale"}),
        ("He said that Jon Hale left.", {"He", "Jon Hale"}),
        ("He read the Mark Twain book.", {"He", "Mark Twain"}),
        ("Ben Linus told Hugo Reyes to go with him.", {"Hugo Reyes", "him"}),
        ("Maria Robinson (Imelda Staunton) left the house.", {"Maria Robinson", "Imelda Staunton"}),
        (
            "Clinton won the state with her husband, the former president Bill Clinton.",
            {"Clinton", "Bill Clinton"},
        ),
    ],
)
def test_who_is_not_the_same(text: str, apart: set[str]) -> None:
    assert not any(apart <= cluster for cluster in clusters(text))
