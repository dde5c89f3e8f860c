from __future__ import annotations

import pytest

from fabula.conversations.models.links.names import find_people


@pytest.mark.parametrize(
    ("text", "addressed"),
    [
        ("annabel: try again", True),
        ("annabel, try again", True),
        ("@annabel try again", True),
        ("Annabel try again", True),  # first, without a mark
        ("anna: try again", True),  # shortened
        ("annabell: try again", True),  # misspelt
        ("anabel: try again", True),
        ("annabel_: try again", True),  # a second login
        ("try again", False),
        ("note: try again", False),
    ],
)
def test_who_is_addressed(text: str, addressed: bool) -> None:
    people = find_people(["annabel", "bob"], ["hello", text])
    assert (people.addressee[1] == people.sender[0]) == addressed


@pytest.mark.parametrize("word", ["Well", "sorry", "Hello", "guys", "Thanks", "hm", "Frankly"])
def test_a_word_before_a_comma_is_no_absent_person(word: str) -> None:
    people = find_people(["ann", "bob"], ["hi", f"{word}, it does not print"])
    assert people.addressee.tolist() == [-1, -1]


def test_a_word_that_the_chat_uses_is_no_absent_person() -> None:
    people = find_people(["ann", "bob"], ["what does bash say?", "bash: command not found"])
    assert people.addressee[1] == -1


@pytest.mark.parametrize(
    "text",
    [
        "!dma | annabel",
        "!dma|annabel",
        "!dma | anna",
        "!dma > annabel",
        "!dma | annabel, see there",
    ],
)
def test_a_bot_is_asked_to_tell_somebody(text: str) -> None:
    people = find_people(["annabel", "bob"], ["hello", text])
    assert people.addressee[1] == people.sender[0]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("annab did you try?", True),  # first, cut short, without a mark
        ("thanks annab", True),  # last
        ("annabell did you try?", True),  # misspelt
        ("I told annab that", False),  # within, only the whole name counts
        ("anna did you try?", False),  # too short to be sure
    ],
)
def test_a_name_cut_short_without_a_mark(text: str, named: bool) -> None:
    people = find_people(["annabel", "bob"], ["hello", text])
    assert (people.sender[0] in people.named[1]) == named


@pytest.mark.parametrize("text", ["annual reports are out", "where is the meter", "Annually"])
def test_a_word_like_a_name_is_none(text: str) -> None:
    people = find_people(["ann", "peter", "bob"], ["hello", "hello", text])
    assert (people.named[2] == -1).all()


def test_a_word_the_chat_uses_often_is_no_name_cut_short() -> None:
    texts = ["hello", *["print it"] * 6]
    people = find_people(["printer5", *["bob"] * 6], texts)
    assert (people.named == -1).all()


def test_names_within_a_message() -> None:
    people = find_people(["ann", "bob", "cem"], ["hi", "hi", "bob: ann said so, ann and bob"])
    assert people.addressee[2] == people.sender[1]
    assert people.named[2].tolist() == [people.sender[1], people.sender[0], -1]


def test_parts_of_a_name_are_names() -> None:
    people = find_people(["Ann Lee", "Bob Lee"], ["hi", "@Ann are you there?"])
    assert people.addressee[1] == people.sender[0]  # Lee is nobody's alone


def test_a_common_word_is_a_name_in_an_address_alone() -> None:
    people = find_people(["the", "bob"], ["hi", "close the door"])
    assert people.named[1].tolist() == [-1, -1, -1]
    people = find_people(["the", "bob"], ["hi", "the: close it"])
    assert people.addressee[1] == people.sender[0]


def test_second_logins_are_one_person() -> None:
    people = find_people(["ann", "ann_", "Ann"], ["a", "b", "c"])
    assert people.sender.tolist() == [0, 0, 0]


def test_somebody_who_never_speaks_has_a_number() -> None:
    people = find_people(["ann", "bob"], ["zed: hello", "zed: are you there?"])
    assert people.addressee[0] == people.addressee[1] > people.sender.max()


def test_a_telephone_number_is_called_by_its_digits() -> None:
    senders = ["+49 170 1234567", "Ann"]
    called = find_people(senders, ["hello", "@491701234567 are you there?"])
    assert called.addressee.tolist() == [-1, called.sender[0]]
    told = find_people(senders, ["hello", "it costs 170 euros"])
    assert told.named[1].tolist() == [-1, -1, -1]
