from __future__ import annotations

from fabula.assembly.account.titles import title_stories


def test_names_come_first_and_common_words_never() -> None:
    (title,) = title_stories([["The boat of Hallam sank.", "The boat was his, said Hallam."]])
    assert title == "Hallam, boat"


def test_words_of_all_stories_title_none() -> None:
    one = ["Storm at sea; Rook sailed.", "The storm took Rook."]
    other = ["Storm on land; Vane drove.", "The storm stopped Vane.", "A storm."]
    first, second = title_stories([one, other], words=1)
    assert (first, second) == ("Rook", "Vane")


def test_a_capital_at_the_opening_is_no_name() -> None:
    (title,) = title_stories([["Boats came in.", "All the boats were wet.", "Boats left."]])
    assert title == "boats"


def test_a_story_without_repeated_words_is_untitled() -> None:
    assert title_stories([["One came."], [], ["..."]]) == ["untitled"] * 3
    assert title_stories([]) == []


def test_the_number_of_words() -> None:
    story = ["Ann, Bob, Cid and Dot met.", "So Ann, Bob, Cid and Dot left."]
    assert title_stories([story])[0].split(", ") == ["Ann", "Bob", "Cid"]
    assert title_stories([story], words=4)[0].count(",") == 3


def test_a_weekday_names_no_story() -> None:
    stories = [["On Friday Rook left.", "Rook sank on Friday."], ["It blew.", "It blew."]]
    assert title_stories(stories)[0] == "Rook"
