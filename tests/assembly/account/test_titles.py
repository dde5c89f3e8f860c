from __future__ import annotations

from fabula.assembly.account.titles import StoryText, headlines_of, story_text, title_stories
from fabula.assembly.facts.reading import read_sentences
from fabula.assembly.pile import pieces_of
from fabula.types import Document


def told(*sentences: str, headlines: tuple[str, ...] = ()) -> StoryText:
    return StoryText(read_sentences(sentences), headlines)


def test_the_headline_that_says_most_of_the_story_is_taken() -> None:
    story = told(
        "The ferry Marigold sank off Harwich on Sunday.",
        "Two sailors of the Marigold drowned, the coastguard at Harwich said.",
        headlines=("What we know so far", "Ferry Marigold sinks off Harwich"),
    )
    assert title_stories([story]) == ["Ferry Marigold sinks off Harwich"]


def test_without_headlines_noun_phrases_and_the_place_are_the_title() -> None:
    stories = [
        told("The gas alarm at the fish plant sounded.", "The fish plant in Bergen was closed."),
        told("A getaway van was found.", "The getaway van had been stolen in Oslo."),
    ]
    first, second = title_stories(stories)
    assert "fish plant" in first.lower() and "getaway van" in second.lower()


def test_words_of_all_stories_title_none() -> None:
    stories = [
        told("The storm sank the boat of Hallam.", "Hallam lost the boat in the storm."),
        told("The storm felled the oak of Vane.", "The storm broke the oak, said Vane."),
    ]
    assert not any("storm" in title.lower() for title in title_stories(stories))


def test_a_story_that_tells_nothing_is_untitled() -> None:
    assert title_stories([told("...")]) == ["untitled"]
    assert title_stories([]) == []


def test_long_headlines_are_cut_at_a_word() -> None:
    (title,) = title_stories([told("Rain fell.", headlines=("Rain " * 40,))])
    assert len(title) <= 80 and title.endswith("Rain...")


def test_only_documents_that_are_whole_in_the_story_give_headlines() -> None:
    pieces = pieces_of(
        [
            Document("a", ("Rook sailed. Rook drowned.",), title="Re: Rook is lost at sea"),
            Document("b", ("Hallam wept. Hallam left.",), title="Hallam leaves the town"),
        ]
    )
    assert headlines_of([0, 1, 2], pieces) == ["Rook is lost at sea"]


def test_a_heading_that_the_story_fills_is_the_title() -> None:
    story = told("The fair is on Saturday.", "Ann has booked the hall for the fair.")
    headed = story._replace(headings=("Any other business", "Summer fair"))
    assert title_stories([headed]) == ["Summer fair"]
    assert title_stories([story._replace(headings=("Any other business",))]) != [
        "Any other business"
    ]


def test_a_chat_is_named_by_its_senders() -> None:
    story = told("The boiler exploded at the school.", "Priya saw the boiler at 3pm.")
    title = title_stories([story._replace(senders=("Priya", "Tom", "Ana", "Lena"))])[0]
    assert title.startswith("Priya, Tom, Ana and 1 other: boiler") and title.count("Priya") == 1
    assert "pm" not in title


def test_headings_of_sections_come_without_their_numbers() -> None:
    text = "1. Summer fair\nThe fair is on Saturday.\n2. Shed\nThe lock was forced."
    pieces = pieces_of([Document("a", (text,), lines=(1,))])
    readings = read_sentences([piece.sentence.text for piece in pieces])
    assert story_text([0, 1], pieces, readings).headings == ["Summer fair", "Shed"]


def test_a_headline_says_what_most_documents_tell() -> None:
    texts = [
        "A fire destroyed the warehouse in Sallow Lane.",
        "The warehouse burnt all night, and firefighters saved the houses of Tanner Row.",
        "Families of Tanner Row can apply to the relief fund of the council.",
        "The council pays for cleaning after the warehouse fire from the relief fund.",
    ]
    headlines = ("Council opens relief fund for Tanner Row", "Warehouse in Sallow Lane destroyed")
    story = StoryText(read_sentences(texts), headlines, documents=(0, 1, 2, 2))
    assert title_stories([story, told("A ferry ran aground.")])[0] == headlines[1]


def test_without_headlines_the_first_sentence_of_a_report_is_the_title() -> None:
    reports = [
        "A Waitrose supermarket in Surrey has been destroyed in a fire. It began in the roof.",
        "Fire crews fought the blaze in Surrey. The supermarket was destroyed. Nobody was hurt.",
        "Hello! The supermarket was destroyed. It is closed.",
    ]
    pieces = pieces_of(reports)
    readings = read_sentences([piece.sentence.text for piece in pieces])
    story = story_text(range(len(pieces)), pieces, readings)
    assert len(story.leads) == 2
    first = "A Waitrose supermarket in Surrey has been destroyed in a fire"
    assert title_stories([story]) == [first]
    part = story_text(range(1, len(pieces)), pieces, readings)
    assert part.leads == ["Fire crews fought the blaze in Surrey"], "the other is not whole"
    alone = pieces_of(
        ["The ferry sank off Gull Point.", "The mill of Hallam burned. It had stood long."]
    )
    assert story_text([0], alone, readings).leads == ["The ferry sank off Gull Point"]
    assert story_text([0, 1, 2], alone, readings).leads == ["The mill of Hallam burned"]


def test_no_two_stories_have_one_headline() -> None:
    headlines = ("Ferry Marigold sinks", "The mill of Hallam burns down")
    stories = [
        told("The ferry Marigold sank.", headlines=headlines),
        told("The ferry Marigold sank again.", headlines=headlines),
    ]
    assert set(title_stories(stories)) == set(headlines)


def test_half_of_the_day_is_no_title() -> None:
    (title,) = title_stories([told("The quake struck at 2:12 a.m. and at 2:15 a.m. again.")])
    assert "a.m" not in title.lower() and "quake" in title.lower()
