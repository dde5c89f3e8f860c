from __future__ import annotations

from fabula.pairs.features.alignment import alignment, word_states
from fabula.pairs.features.facts import facts_of


def aligned(a: str, b: str) -> dict[str, float]:
    states = word_states(dict(zip((a, b), facts_of([a, b]), strict=True)))
    return alignment(states[a], states[b])


def test_other_words_for_one_event_align_and_another_event_of_the_same_people_does_not() -> None:
    told = "John Hale stepped down as mayor of Brindle."
    same = aligned(told, "John Hale resigned from office in Brindle.")
    other = aligned(told, "John Hale bought a horse in Brindle.")
    assert same["aligned_events"] > other["aligned_events"]


def test_a_sentence_aligns_with_itself_and_either_way_round_alike() -> None:
    a, b = "The ferry sank off Dover.", "A ferry went down near Dover on Monday."
    assert aligned(a, a + "")["aligned_words"] > 0.99
    assert aligned(a, b) == aligned(b, a)


def test_a_sentence_without_words_aligns_with_nothing() -> None:
    for odd in ("", "12.5", "\ud800 ??"):
        assert set(aligned(odd, "The ferry sank off Dover.").values()) == {0.0}
