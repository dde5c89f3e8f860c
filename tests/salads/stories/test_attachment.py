"""Chats and mails are placed by whole stories."""

from __future__ import annotations

import numpy as np

from fabula.registry import create_model
from fabula.salads.clustering.average_linkage import linkage_clusters
from fabula.salads.models.documents.model import Unit
from fabula.salads.stories.attachment import with_chats, with_mails
from fabula.salads.stories.structure import Structure, structure_log_odds

FERRY = [
    "The ferry Orla Maid ran aground on Gull Ledge off Hallan on Monday evening.",
    "The Hallan lifeboat took the passengers of the Orla Maid ashore.",
    "Captain Ingrid Halvorsen said the steering of the ferry had failed near Gull Ledge.",
]
MUSEUM = [
    "Thieves broke into the Wenlow Museum and took fourteen pieces of silver.",
    "The director of the Wenlow Museum offered a reward for the Thornwick silver.",
    "Police found a burnt-out van that was used in the Wenlow raid.",
]
CHAT = [
    "We have hit something, the crew say it is Gull Ledge!",
    "I can see the ferry's lights from Hallan pier.",
    "The lifeboat is here, everybody off the Orla Maid is safe.",
    "Thank God.",
]
SENTENCES = [*FERRY, *MUSEUM, *CHAT]
UNITS = [Unit((0, 1, 2), 0), Unit((3, 4, 5), 1), Unit((6, 7, 8), 2), Unit((9,), 3)]
ROOMS = Structure(
    documents=(0, 0, 0, 1, 1, 1, 2, 2, 2, 3), rooms=(None, None, "Singers", "Singers")
)


def placed(structure: Structure) -> list[int]:
    model = create_model("salads", "documents")
    odds = model.link_odds(SENTENCES, UNITS) + structure_log_odds(UNITS, structure)
    odds = with_chats(model, SENTENCES, UNITS, structure, odds)
    assert np.allclose(odds, odds.T)
    return [int(label) for label in linkage_clusters(odds).labels]


def test_a_chat_goes_where_it_fits_as_a_whole() -> None:
    assert placed(ROOMS) == [0, 1, 0, 0]


def test_documents_alone_are_left_as_they_are() -> None:
    model = create_model("salads", "documents")
    bare = Structure(ROOMS.documents)
    odds = model.link_odds(SENTENCES, UNITS)
    assert with_chats(model, SENTENCES, UNITS, bare, odds) is odds


def lone(links: list[float], threads: tuple[str | None, ...] = ("re: van",)) -> list[int]:
    """The clusters of a mail, whose links are given, and three reports of one story."""
    odds = np.full((4, 4), 4.0)
    odds[0, 1:] = odds[1:, 0] = links
    np.fill_diagonal(odds, 0.0)
    units = [Unit((i,), i) for i in range(4)]
    result = with_mails(["Some words."] * 4, units, Structure((0, 1, 2, 3), threads=threads), odds)
    return [int(label) for label in linkage_clusters(result).labels]


def test_a_mail_like_one_report_joins_its_story_unless_the_others_speak_against_it() -> None:
    assert lone([2.8, -0.7, -4.0]) == [0, 0, 0, 0]
    assert lone([2.8, -5.0, -5.0]) == [0, 1, 1, 1]
    assert lone([1.0, -1.0, -2.0]) == [0, 1, 1, 1]
    assert lone([2.8, -0.7, -4.0], threads=()) == [0, 1, 1, 1]  # a report is none


def test_a_thread_joins_as_one() -> None:
    odds = np.full((5, 5), 4.0)
    odds[:2, 2:] = [[2.8, -0.7, -4.0], [-1.0, -1.0, -0.6]]
    odds[2:, :2] = odds[:2, 2:].T
    np.fill_diagonal(odds, 0.0)
    units = [Unit((i,), i) for i in range(5)]
    structure = Structure((0, 1, 2, 3, 4), threads=("re: van", "re: van"))
    result = with_mails(["Some words."] * 5, units, structure, odds)
    assert len(set(linkage_clusters(result).labels.tolist())) == 1


def test_a_short_mail_of_a_thread_counts_by_its_words() -> None:
    odds = np.full((4, 4), -3.0)
    odds[0, 1] = odds[1, 0] = 4.0  # a thread: a long mail, and the short one it answers
    odds[2, 3] = odds[3, 2] = 4.0  # a story
    odds[0, 2] = odds[2, 0] = 2.0
    np.fill_diagonal(odds, 0.0)
    units = [Unit((i,), i) for i in range(4)]
    structure = Structure((0, 1, 2, 3), threads=("re: van", "re: van"))

    def stories(long: str, short: str) -> int:
        result = with_mails([long, short, "A report.", "Another."], units, structure, odds)
        return len(set(linkage_clusters(result).labels.tolist()))

    assert stories("A long letter of what she saw that night. " * 9, "Thanks!") == 1
    assert stories("Thanks!", "A long letter of what she saw that night. " * 9) == 2
